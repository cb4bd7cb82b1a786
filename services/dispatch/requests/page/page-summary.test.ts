// What the receipt page shows of a pushed request: plan, forms and priority before the acceptance, the patient after
// it.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startDispatchContract } from '#test/support/dispatch/dispatch-contract.ts';
import { readPageContent } from './page-summary.ts';

const contract = await startDispatchContract({ after });

async function pageOf(token: string, fields: Readonly<Record<string, string>> = {}): Promise<string> {
  const answer = await contract.app.inject({
    method: 'POST',
    url: '/receipt',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ token, ...fields }).toString(),
  });
  assert.equal(answer.statusCode, 200, answer.payload);
  return answer.payload;
}

/** The names and values on the page. */
function factsOf(page: string): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    [...page.matchAll(/<dt>(.*?)<\/dt>((?:<dd>.*?<\/dd>)+)/g)].map(([, name = '', values = '']) => [
      name,
      [...values.matchAll(/<dd>(.*?)<\/dd>/g)].map(([, value = '']) => value),
    ]),
  );
}

test('the page shows the plan and its forms and, after acceptance, the patient', async () => {
  const { token } = await contract.pushed();
  const asked = {
    Uppdrag: ['Heart failure at home'],
    Innehåll: ['Weigh at home'],
    Formulär: ['Breathing'],
    Mål: ['Stable weight: 80.5 kg'],
    När: ['Weigh at home: Varje dag'],
    'Att mäta': ['Weight (kilogram), varje dag, ska mätas'],
    Skickad: ['1 mars 2026 kl. 09:00'],
  };
  assert.deepEqual(factsOf(await pageOf(token)), asked);
  assert.deepEqual(factsOf(await pageOf(token, { decision: 'accepted' })), { Namn: ['Ek'], ...asked });
});

test('every part of a bundle for the page is read, and absent parts are left out', () => {
  const serviceRequest = {
    resourceType: 'ServiceRequest',
    code: { concept: { text: 'Blood pressure' } },
    priority: 'urgent',
    contained: [
      {
        resourceType: 'PractitionerRole',
        id: 'requester',
        practitioner: { display: 'Anna Berg' },
        organization: { display: 'Linden' },
        contact: [{ telecom: [{ system: 'phone', value: '040-1' }] }],
      },
    ],
    occurrencePeriod: { start: '2026-03-02', end: '2026-03-09' },
    note: [{ text: 'Rings on the ground floor' }],
  };
  const patient = {
    resourceType: 'Patient',
    identifier: [
      { system: 'http://electronichealth.se/identifier/personnummer', value: '195001021234' },
      { system: 'https://example.org/card', value: '195001021234' },
    ],
    name: [{ family: 'Ek' }, { use: 'official', given: ['Åsa', 'Maria'], family: 'Öberg' }],
    telecom: [{ value: '070-1' }],
    birthDate: '1950-01-02',
    address: [{ line: ['Storgatan 1'], postalCode: '222 22', city: 'Lund' }],
  };
  const entry = [serviceRequest, patient].map((resource) => ({ resource }));
  assert.deepEqual(readPageContent(JSON.stringify({ entry })), {
    askedFor: {
      title: 'Blood pressure',
      priority: 'urgent',
      from: '2026-03-02',
      until: '2026-03-09',
      activities: [],
      forms: [],
      requester: { person: 'Anna Berg', unit: 'Linden', contacts: [{ system: 'phone', value: '040-1' }] },
      goals: [],
      timing: [],
      measures: [],
    },
    forms: [],
    patient: {
      name: 'Åsa Maria Öberg',
      birthDate: '1950-01-02',
      identifiers: ['19500102-1234', '195001021234'],
      contacts: ['070-1'],
      addresses: ['Storgatan 1, 222 22 Lund'],
      notes: ['Rings on the ground floor'],
    },
  });
  const nothing = readPageContent('{}');
  assert.deepEqual([nothing.askedFor.title, nothing.patient.name, nothing.patient.notes], [undefined, undefined, []]);
});

test('the limit of a goal has the sign that people write', () => {
  const targets = ['<', '<=', '>=', '>', 'ad'].map((comparator) => ({
    detailQuantity: { comparator, value: 90, unit: '%' },
  }));
  assert.deepEqual(shownTargets(targets), ['< 90 %', '≤ 90 %', '≥ 90 %', '> 90 %', '90 %']);
});

test('the range of a goal has its unit once', () => {
  const low = { value: 5, unit: 'mmol/L' };
  const ranges = [{ low, high: { ...low, value: 8 } }, { low, high: { value: 144, unit: 'mg/dL' } }, { low }];
  const targets = ranges.map((range) => ({ detailRange: range }));
  assert.deepEqual(shownTargets(targets), ['5–8 mmol/L', '5 mmol/L–144 mg/dL', '5 mmol/L–']);
});

/** Of a goal with these targets. */
function shownTargets(targets: readonly object[]): readonly string[] | undefined {
  const goal = { id: 'g', description: { text: 'Goal' }, target: targets };
  const request = { resourceType: 'ServiceRequest', contained: [{ resourceType: 'PlanDefinition', goal: [goal] }] };
  return readPageContent(JSON.stringify({ entry: [{ resource: request }] })).askedFor.goals[0]?.targets;
}
