// The demo's content is complete and consistent, and valid by the rules of the services.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasErrors, validateResource } from '#fhir/validation/validate.ts';
import { parsePersonnummer } from '#lib/personnummer.ts';
import { checkUcum } from '#services/engine/lookups/ucum.ts';
import { CONCEPTS, conceptOf, UNITS } from './content/concepts.ts';
import { FORMS, type FormKey } from './content/forms.ts';
import { PATIENTS, patientNamed } from './content/patients.ts';
import { emailOf, PROFESSIONALS } from './content/people.ts';
import { ACTIVITIES, GOALS, PLANS } from './content/plans.ts';
import { type DemoProvider, PROVIDERS } from './content/providers.ts';
import { buildQuestionnaire } from './content/questionnaire.ts';
import { observationsOf, questionnaireResponse } from './content/reports.ts';
import { REQUESTS } from './content/requests.ts';
import { DEMO_COUNTS } from './load.ts';
import { consentOf, recordOf } from './load-patients.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const GUID = '01900000-0000-7000-8000-000000000001';
const ORGANISATIONS = { primary: GUID, hospital: GUID, home: GUID, lungs: GUID };

function assertValid(resource: unknown): void {
  const issues = validateResource(resource);
  assert.equal(hasErrors(issues), false, JSON.stringify(issues));
}

interface Ranged {
  readonly code: { readonly text: string };
  readonly referenceRange?: readonly Readonly<Record<'low' | 'high', { value: number; unit: string }>>[];
}

function assertDistinct(values: readonly unknown[]): void {
  assert.equal(new Set(values).size, values.length);
}

test('there is as much of everything as the issue asks for', () => {
  const { requests, ...counts } = DEMO_COUNTS;
  assert.deepEqual(counts, {
    organisations: 4,
    professionals: 10,
    careTeams: 2,
    groups: 2,
    patients: 40,
    concepts: 40,
    activities: 10,
    goals: 6,
    plans: 4,
    forms: 6,
    providers: 6,
  });
  assert.ok(requests >= 20);
});

test('the keys by which things are found again are unique', () => {
  assertDistinct([...Object.values(PROFESSIONALS), ...PATIENTS].map(emailOf));
  assertDistinct(PATIENTS.map(({ first, last }) => `${first} ${last}`));
  assertDistinct(PATIENTS.map(({ personnummer }) => personnummer));
  assertDistinct(CONCEPTS.map(({ code }) => code));
  assertDistinct(Object.values(UNITS).map(({ name }) => name));
  assertDistinct(ACTIVITIES.map(({ concept }) => concept));
  assertDistinct(GOALS.map(({ name }) => name));
  assertDistinct(Object.values(PLANS).map(({ url }) => url));
  assertDistinct(REQUESTS.map(({ carePlanId }) => carePlanId));
});

test('every personnummer is valid and of the series that belongs to nobody', () => {
  for (const { personnummer } of PATIENTS) {
    assert.equal(parsePersonnummer(personnummer, NOW), personnummer);
    assert.match(personnummer, /^\d{8}9[89]\d{2}$/);
  }
});

test('every unit is a UCUM code by the engine’s validation', async () => {
  for (const { ucum_code: code } of Object.values(UNITS)) assert.equal(await checkUcum(code), undefined, code);
});

test('activities, goals and plans refer to existing entries', () => {
  const known = new Set(ACTIVITIES.map(({ concept }) => concept));
  for (const { transactions, concept } of ACTIVITIES) {
    assert.equal(conceptOf(concept).type, 'activity');
    for (const transaction of transactions) assert.notEqual(conceptOf(transaction.concept).response, undefined);
  }
  for (const { concept, activities } of GOALS) {
    assert.notEqual(conceptOf(concept).unit, undefined);
    for (const activity of activities) assert.ok(known.has(activity), activity);
  }
  const goals = new Set(GOALS.map(({ concept }) => concept));
  for (const plan of Object.values(PLANS)) {
    for (const activity of plan.activities) assert.ok(known.has(activity), activity);
    for (const goal of plan.goals) assert.ok(goals.has(goal), goal);
  }
  assertDistinct(Object.values(PLANS).flatMap((plan) => plan.goals));
});

test('every form is a valid Questionnaire with choices, conditions and units among them', () => {
  const forms = Object.values(FORMS).map(buildQuestionnaire);
  for (const form of forms) assertValid(form);
  const text = JSON.stringify(forms);
  for (const element of ['answerOption', 'enableWhen', 'enableBehavior', 'unitOption'])
    assert.match(text, new RegExp(element));
});

test('patients and consents are valid, and some deny or have not been asked', () => {
  const kinds = new Map<string, number>();
  for (const [index, patient] of PATIENTS.entries()) {
    kinds.set(patient.consent, (kinds.get(patient.consent) ?? 0) + 1);
    assertValid(recordOf(patient, GUID, ORGANISATIONS));
    const consent = consentOf(patient, index, GUID);
    if (consent !== undefined) assertValid(consent);
  }
  assert.ok((kinds.get('no') ?? 0) >= 3 && (kinds.get('none') ?? 0) >= 3);
  assert.equal(PATIENTS.at(-1)?.consent, 'yes', 'the last consent seals the load');
});

test('reports are valid, and older in a partial report', () => {
  const concepts = new Map(CONCEPTS.map(({ code }) => [code, GUID]));
  const subject = { patientGuid: GUID, patientName: 'Astrid Berg', concepts, now: NOW };
  for (const plan of ['heart', 'diabetes', 'copd', 'wound'] as const) {
    const all = observationsOf(plan, subject, false);
    for (const observation of all) assertValid(observation);
    assert.ok(observationsOf(plan, subject, true).length < all.length);
  }
  const ranges = observationsOf('heart', subject, false).map((each) => {
    const { code, referenceRange } = each as Ranged;
    const [range] = referenceRange ?? [];
    return [code.text, range?.low?.value, range?.high?.value, range?.high?.unit] as const;
  });
  assert.deepEqual(
    ranges.find(([name]) => name === 'Kalium'),
    ['Kalium', 3.5, 5, 'mmol/L'],
  );
  assert.deepEqual(
    ranges.find(([name]) => name === 'Kroppsvikt'),
    ['Kroppsvikt', undefined, undefined, undefined],
    'no weight is normal for everybody',
  );
  for (const { normal: { low, high } = {}, unit } of CONCEPTS)
    if (low !== undefined || high !== undefined)
      assert.ok(unit !== undefined && (low ?? 0) < (high ?? Number.POSITIVE_INFINITY));
  for (const form of Object.keys(FORMS) as FormKey[]) {
    assertValid(questionnaireResponse(form, buildQuestionnaire(FORMS[form]).url, subject));
  }
});

test('requests are in every state and go to providers whose contract covers the plan', () => {
  const fates = new Set(REQUESTS.map(({ targetState: fate }) => fate));
  const wanted =
    'draft active matched pushed dead blocked acknowledged accepted in_progress completed rejected on-hold revoked';
  assert.deepEqual([...fates].toSorted(), wanted.split(' ').toSorted());
  assert.ok(REQUESTS.some(({ isArchived }) => isArchived));
  for (const { to, plan, targetState: fate, patient } of REQUESTS) {
    const { consent } = patientNamed(patient);
    assert.equal(fate === 'blocked', consent === 'no' || consent === 'none', patient);
    if (to === undefined) continue;
    const { covers, reach }: DemoProvider = PROVIDERS[to];
    for (const activity of PLANS[plan].activities) assert.ok(covers.includes(activity), `${to} ${activity}`);
    assert.equal(fate === 'dead', reach === 'dead', patient);
  }
});
