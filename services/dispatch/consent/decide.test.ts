import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCalendar } from '#fhir/primitives/calendar.ts';
import { newGuid } from '#lib/guid.ts';
import { pick, seeded } from '#test/support/random.ts';
import { insertOwn } from '../own-consents/store.ts';
import { replaceRecords } from '../persons/store.ts';
import { createSendingBench } from '../testing/sending-bench.ts';
import type { Consent, ConsentPolicy, PatientConsents, Provision } from './consent.ts';
import { decideConsent } from './decide.ts';
import {
  consentsByHand,
  decideSlowly,
  KNOWN_PURPOSES,
  recipientByHand,
  type Statement,
} from './slow-evaluator.test-support.ts';

const NOW = Date.parse('2026-06-15T12:00:00Z');
const ZONE = 'Europe/Stockholm';
const calendar = createCalendar(ZONE);
const CLINIC = '01900000-0000-7000-8000-0000000000c1';
const REGION = '01900000-0000-7000-8000-0000000000f0';
const OTHER = '01900000-0000-7000-8000-0000000000ee';
const recipient = { guids: new Set([CLINIC, REGION]), isComplete: true };

const organisation = (guid: string) => ({ reference: { reference: `Organization/${guid}` } });
const treatment = { system: 'http://terminology.hl7.org/CodeSystem/v3-ActReason', code: 'TREAT' };
const research = { ...treatment, code: 'HRESCH' };

function consent(decision: string | undefined, provision: Provision[] = [], changes: Partial<Consent> = {}): Consent {
  return { id: 'c', status: 'active', ...(decision === undefined ? {} : { decision }), provision, ...changes };
}

const fileOf = (consents: readonly Consent[], objections: readonly Consent[] = []): PatientConsents => ({
  consents,
  objections,
  isComplete: true,
});

/** `permit`, or the reason of the refusal. */
async function decide(consents: Consent[], policy: ConsentPolicy = 'required', asked = recipient): Promise<string> {
  const decision = await decideConsent(fileOf(consents), { recipient: asked, at: NOW, calendar }, policy);
  return decision.permitted ? decision.basis : decision.reason;
}

const ONE: readonly [string, Consent, string][] = [
  ['a bare permission', consent('permit'), 'consent'],
  ['a bare denial', consent('deny'), 'denied'],
  ['no decision', consent(undefined), 'cannot_be_evaluated'],
  ['an unknown decision', consent('maybe'), 'cannot_be_evaluated'],
  ['a draft', consent('permit', [], { status: 'draft' }), 'no_consent'],
  ['an inactive denial', consent('deny', [], { status: 'inactive' }), 'no_consent'],
  ['one entered in error', consent('deny', [], { status: 'entered-in-error' }), 'no_consent'],
  ['its period is over', consent('permit', [], { period: { end: '2026-06-14' } }), 'no_consent'],
  ['its period ends today', consent('permit', [], { period: { end: '2026-06-15' } }), 'consent'],
  ['its period ends this month', consent('permit', [], { period: { end: '2026-06' } }), 'consent'],
  ['its period begins tomorrow', consent('permit', [], { period: { start: '2026-06-16' } }), 'no_consent'],
  ['its period began today', consent('permit', [], { period: { start: '2026-06-15' } }), 'consent'],
  ['its period is unreadable', consent('permit', [], { period: { start: '2026-02-30' } }), 'cannot_be_evaluated'],
  ['its end is unknown', consent('permit', [], { period: { _end: { extension: [] } } }), 'cannot_be_evaluated'],
  ['its start is unknown', consent('permit', [], { period: { _start: {}, end: '2027' } }), 'cannot_be_evaluated'],
  [
    'its end is unknown, and it has not begun',
    consent('permit', [], { period: { start: '2026-07', _end: {} } }),
    'no_consent',
  ],
  ['a denial whose period is unreadable', consent('deny', [], { period: { start: 'x' } }), 'cannot_be_evaluated'],
  ['an exception for this clinic', consent('permit', [{ actor: [organisation(CLINIC)] }]), 'denied'],
  ['an exception for the region above it', consent('permit', [{ actor: [organisation(REGION)] }]), 'denied'],
  ['an exception for another', consent('permit', [{ actor: [organisation(OTHER)] }]), 'consent'],
  ['only this clinic', consent('deny', [{ actor: [organisation(CLINIC)] }]), 'consent'],
  ['only another', consent('deny', [{ actor: [organisation(OTHER)] }]), 'denied'],
  ['one of two actors', consent('deny', [{ actor: [organisation(OTHER), organisation(CLINIC)] }]), 'consent'],
  [
    'siblings are alternatives',
    consent('deny', [{ actor: [organisation(OTHER)] }, { actor: [organisation(CLINIC)] }]),
    'consent',
  ],
  ['elements are joined by and', consent('deny', [{ actor: [organisation(CLINIC)], purpose: [research] }]), 'denied'],
  ['for treatment', consent('deny', [{ purpose: [treatment] }]), 'consent'],
  ['for what is above treatment', consent('deny', [{ purpose: [{ code: 'PurposeOfUse' }] }]), 'consent'],
  ['for a kind of treatment only', consent('deny', [{ purpose: [{ code: 'ETREAT' }] }]), 'denied'],
  ['not for research', consent('permit', [{ purpose: [research] }]), 'consent'],
  ['for a purpose nobody knows', consent('permit', [{ purpose: [{ code: 'XYZZY' }] }]), 'cannot_be_evaluated'],
  [
    'for a purpose of another system',
    consent('deny', [{ purpose: [{ system: 'urn:x', code: 'TREAT' }] }]),
    'cannot_be_evaluated',
  ],
  [
    'nesting turns the sense: the region not, this clinic yes',
    consent('permit', [{ actor: [organisation(REGION)], provision: [{ actor: [organisation(CLINIC)] }] }]),
    'consent',
  ],
  [
    'nested twice',
    consent('permit', [{ provision: [{ actor: [organisation(CLINIC)], provision: [{ purpose: [treatment] }] }] }]),
    'denied',
  ],
  ['an action other than disclosure', consent('permit', [{ action: [{ coding: [{ code: 'collect' }] }] }]), 'consent'],
  ['disclosure', consent('permit', [{ action: [{ coding: [{ code: 'disclose' }] }] }]), 'denied'],
  ['an action in words', consent('permit', [{ action: [{}] }]), 'cannot_be_evaluated'],
  ['some of the data', consent('permit', [{ code: [{}] }]), 'cannot_be_evaluated'],
  ['some of the data, for another', consent('permit', [{ code: [{}], actor: [organisation(OTHER)] }]), 'consent'],
  ['resource types that are not sent', consent('permit', [{ resourceType: [{ code: 'Observation' }] }]), 'consent'],
  ['one of the types sent', consent('permit', [{ resourceType: [{ code: 'CarePlan' }] }]), 'cannot_be_evaluated'],
  ['every type', consent('permit', [{ resourceType: [{ code: 'Resource' }] }]), 'denied'],
  ['a modifier extension', consent('permit', [], { modifierExtension: [{}] }), 'cannot_be_evaluated'],
  ['a modifier on a provision', consent('permit', [{ modifierExtension: [{}] }]), 'cannot_be_evaluated'],
  ['implicit rules', consent('permit', [], { implicitRules: 'urn:rules' }), 'cannot_be_evaluated'],
  ['granted to this clinic', consent('permit', [], { grantee: [organisation(CLINIC).reference] }), 'consent'],
  ['granted to another', consent('permit', [], { grantee: [organisation(OTHER).reference] }), 'no_consent'],
  [
    'a practitioner',
    consent('deny', [{ actor: [{ reference: { reference: 'Practitioner/1' } }] }]),
    'cannot_be_evaluated',
  ],
  ['a relative', consent('permit', [{ actor: [{ reference: { reference: 'RelatedPerson/1' } }] }]), 'consent'],
  [
    'an actor by role alone',
    consent('permit', [{ actor: [{ role: { coding: [{ code: 'IRCP' }] } }] }]),
    'cannot_be_evaluated',
  ],
  ['a contained actor', consent('deny', [{ actor: [{ reference: { reference: '#o' } }] }]), 'cannot_be_evaluated'],
  [
    'an actor as a full address',
    consent('deny', [{ actor: [{ reference: { reference: `https://x.example/fhir/Organization/${CLINIC}` } }] }]),
    'consent',
  ],
  [
    'an actor as urn:uuid',
    consent('deny', [{ actor: [{ reference: { reference: `urn:uuid:${CLINIC}` } }] }]),
    'consent',
  ],
];

for (const [what, given, expected] of ONE) {
  test(`consent: ${what} → ${expected}`, async () => assert.equal(await decide([given]), expected));
}

test('without consents the policy decides; a denial always counts', async () => {
  assert.equal(await decide([], 'required'), 'no_consent');
  assert.equal(await decide([], 'implied'), 'implied');
  assert.equal(await decide([consent('deny')], 'implied'), 'denied');
  assert.equal(await decide([consent(undefined)], 'implied'), 'cannot_be_evaluated');
});

test('one denial, or one consent that cannot be evaluated, outweighs every permission', async () => {
  assert.equal(await decide([consent('permit'), consent('deny'), consent('permit')]), 'denied');
  assert.equal(await decide([consent('permit'), consent(undefined)]), 'cannot_be_evaluated');
  const decision = await decideConsent(
    fileOf([{ ...consent('deny'), id: 'no' }, consent('permit')]),
    { recipient, at: NOW, calendar },
    'required',
  );
  assert.deepEqual(decision, { permitted: false, reason: 'denied', consentIds: ['no'] });
});

test('an organisation with unknown parents may be part of the one named', async () => {
  const unsure = { guids: new Set([CLINIC]), isComplete: false };
  assert.equal(
    await decide([consent('permit', [{ actor: [organisation(OTHER)] }])], 'required', unsure),
    'cannot_be_evaluated',
  );
  assert.equal(await decide([consent('deny', [{ actor: [organisation(CLINIC)] }])], 'required', unsure), 'consent');
});

/** Time zones on both sides of midnight, and moments around it. */
const ZONES = ['UTC', ZONE, 'Pacific/Kiritimati', 'America/Los_Angeles'];
const MOMENTS = ['14T21:59:59.999', '14T22:00:00', '15T12:00:00', '15T21:59:59.999', '15T22:00:00', '16T00:00:00'].map(
  (text) => Date.parse(`2026-06-${text}Z`),
);

test('5,000 generated sets of consents are decided as the independent evaluator decides them', async () => {
  const random = seeded(20_260_615);
  const seen: Record<string, number> = {};
  for (let round = 0; round < 5000; round += 1) {
    const consents = times(random, 3, () => generateConsent(random));
    const objections = random() < 0.2 ? [generateConsent(random)] : [];
    const file = { consents, objections, isComplete: random() < 0.95 };
    const policy = pick(random, ['required', 'implied'] as const);
    const asked = { guids: recipient.guids, isComplete: random() < 0.8 };
    const zone = pick(random, ZONES);
    const question = { recipient: asked, at: pick(random, MOMENTS), zone };
    const fast = await decideConsent(file, { ...question, calendar: createCalendar(zone) }, policy);
    const label = fast.permitted ? fast.basis : fast.reason;
    seen[label] = (seen[label] ?? 0) + 1;
    assert.equal(
      fast.permitted,
      decideSlowly(file, question, policy),
      JSON.stringify({ file, policy, question, asked: asked.isComplete }),
    );
  }
  for (const outcome of ['consent', 'implied', 'denied', 'cannot_be_evaluated', 'no_consent']) {
    assert.ok((seen[outcome] ?? 0) > 100, `${outcome} must be among the outcomes: ${JSON.stringify(seen)}`);
  }
});

function generateConsent(random: () => number): Consent {
  return {
    id: 'g',
    status: random() < 0.85 ? 'active' : 'inactive',
    ...(random() < 0.95 ? { decision: pick(random, ['permit', 'deny']) } : {}),
    ...(random() < 0.2 ? { period: generatePeriod(random) } : {}),
    ...(random() < 0.1 ? { grantee: [generateActor(random).reference] } : {}),
    ...(random() < 0.02 ? { modifierExtension: [{}] } : {}),
    ...(random() < 0.02 ? { implicitRules: 'urn:rules' } : {}),
    provision: times(random, 3, () => generateProvision(random, 0)),
  };
}

function generateProvision(random: () => number, depth: number): Provision {
  return {
    ...(random() < 0.25 ? { period: generatePeriod(random) } : {}),
    ...(random() < 0.5 ? { actor: [generateActor(random), ...times(random, 2, () => generateActor(random))] } : {}),
    ...(random() < 0.3
      ? { purpose: times(random, 2, () => ({ code: pick(random, PURPOSES) })).concat({ code: pick(random, PURPOSES) }) }
      : {}),
    ...(random() < 0.2 ? { action: [{ coding: [{ code: pick(random, ['disclose', 'collect', 'use', 'x']) }] }] } : {}),
    ...(random() < 0.15 ? { resourceType: [{ code: pick(random, ['Observation', 'CarePlan', 'Resource']) }] } : {}),
    ...(random() < 0.04 ? { code: [{}] } : {}),
    ...(random() < 0.02 ? { securityLabel: [{}] } : {}),
    ...(random() < 0.02 ? { modifierExtension: [{}] } : {}),
    provision: depth < 3 ? times(random, 2, () => generateProvision(random, depth + 1)) : [],
  };
}

function generatePeriod(random: () => number) {
  const start = pick(random, [undefined, '2026', '2026-06-15', '2026-06-16', '2027', 'bad']);
  const end = pick(random, [undefined, '2025', '2026-06', '2026-06-15', '2026-06-15T11:59:59Z', '2030']);
  return { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) };
}

/** Treatment and the codes above it often, each other code, and an unknown code. */
const OFTEN = ['TREAT', 'PurposeOfUse', '_ActHealthInformationManagementReason', 'ETREAT', 'HRESCH', 'WHAT'];
const PURPOSES = [...OFTEN, ...OFTEN, ...OFTEN, ...Object.keys(KNOWN_PURPOSES)];

/** An actor in each form of reference. */
function generateActor(random: () => number, guids: readonly string[] = [CLINIC, REGION, OTHER]) {
  const guid = pick(random, guids);
  const organisations = [`Organization/${guid}`, `Organization/${guid}/_history/2`].concat(
    `Organization/${guid}`,
    `urn:uuid:${guid}`,
    `https://elsewhere.example/fhir/Organization/${guid}`,
  );
  const reference = pick(random, [
    ...organisations,
    'Patient/1',
    'Group/1',
    'Practitioner/1',
    'RelatedPerson/1',
    undefined,
  ]);
  const role = pick(random, [undefined, undefined, undefined, 'IRCP', 'XYZ']);
  return {
    reference: reference === undefined ? { identifier: { value: guid } } : { reference },
    ...(role === undefined ? {} : { role: { coding: [{ code: role }] } }),
  };
}

test('240 generated decisions of the gate in the database, up a tree of organisations, are those of the independent evaluator', async (t) => {
  const bench = await createSendingBench({ after: t.after.bind(t) });
  const random = seeded(20_261_122);
  const guids = Array.from({ length: 7 }, () => newGuid());
  const [region = '', hospital = '', ward = '', other = '', circle = '', back = '', unknown = ''] = guids;
  const partOf = {
    [region]: null,
    [hospital]: region,
    [ward]: hospital,
    [other]: null,
    [circle]: back,
    [back]: circle,
  };
  for (const [id, above] of Object.entries(partOf)) {
    const within = above === null ? {} : { partOf: { reference: `Organization/${above}` } };
    await bench.put({ resourceType: 'Organization', id, name: id, ...within });
  }
  const providers = [ward, hospital, other, circle, unknown, region];
  const seen = new Set<string>();
  for (let round = 0; round < 40; round += 1) {
    const { id, patientGuid } = await bench.request(providers, 'none');
    const consents = [generateFor(random, guids), ...times(random, 1, () => generateFor(random, guids))];
    for (const consent of consents) {
      const subject = { reference: `Patient/${patientGuid}` };
      await bench.put({ resourceType: 'Consent', ...consent, id: newGuid(), subject });
    }
    await bench.call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`);
    for (const { providerGuid, status, blockedReason } of await bench.matches(id)) {
      const question = { recipient: recipientByHand(providerGuid, partOf), at: bench.clock.time, zone: ZONE };
      const isPermitted = decideSlowly(fileOf(consents), question, 'required');
      assert.equal(status, isPermitted ? 'pushed' : 'pending', `${providerGuid}: ${JSON.stringify(consents)}`);
      seen.add(blockedReason ?? status);
    }
  }
  const all = ['consent_cannot_be_evaluated', 'consent_denied', 'consent_missing', 'pushed'];
  assert.deepEqual([...seen].sort(), all);
});

test('240 generated decisions about records of people who decide themselves are those of the independent evaluator', async (t) => {
  const bench = await createSendingBench({ after: t.after.bind(t) });
  const random = seeded(20_261_126);
  const [clinic, other] = [newGuid(), newGuid()];
  for (const id of [clinic, other]) await bench.put({ resourceType: 'Organization', id, name: id });
  const partOf = { [clinic]: null, [other]: null };
  const seen = new Set<string>();
  for (let round = 0; round < 60; round += 1) {
    const requests = [await bench.request([clinic, other], 'none'), await bench.request([clinic, other], 'none')];
    const records = requests.map(({ patientGuid }) => patientGuid);
    // The first person may have both records, the second one of them, or a record under their own guid.
    const people = [newGuid(), pick(random, [newGuid(), ...records])];
    const personOf = Object.fromEntries(records.map((record) => [record, pick(random, [undefined, ...people])]));
    for (const patientGuid of people) {
      const own = records.filter((record) => personOf[record] === patientGuid && record !== patientGuid);
      await replaceRecords(bench.db, [{ patientGuid, records: own }]);
    }
    const statements = times(random, 4, () => generateStatement(random, { records, people, guids: [clinic, other] }));
    for (const { consent, about, by } of statements) {
      const id = newGuid();
      await bench.put({ resourceType: 'Consent', ...consent, id, subject: { reference: `Patient/${by ?? about}` } });
      if (by !== undefined) {
        await insertOwn(bench.db, { id, patientGuid: by, isActive: consent.status === 'active' });
      }
    }
    for (const { id, patientGuid } of requests) {
      const consents = consentsByHand(patientGuid, statements, personOf);
      await bench.call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`);
      for (const { providerGuid, status, blockedReason } of await bench.matches(id)) {
        const question = { recipient: recipientByHand(providerGuid, partOf), at: bench.clock.time, zone: ZONE };
        const isPermitted = decideSlowly(fileOf(consents), question, 'required');
        const shown = JSON.stringify({ patientGuid, personOf, statements });
        assert.equal(status, isPermitted ? 'pushed' : 'pending', `${providerGuid}: ${shown}`);
        seen.add(`${blockedReason ?? status} ${statements.some(({ by }) => by !== undefined) ? 'own' : 'staff'}`);
      }
    }
  }
  for (const outcome of ['pushed own', 'consent_denied own', 'consent_missing own', 'pushed staff']) {
    assert.ok(seen.has(outcome), `${outcome}: ${[...seen].join(', ')}`);
  }
});

function generateStatement(
  random: () => number,
  { records, people, guids }: Readonly<Record<'records' | 'people' | 'guids', readonly string[]>>,
): Statement {
  const by = random() < 0.6 ? pick(random, people) : undefined;
  const grantee = random() < 0.5 ? { grantee: [{ reference: `Organization/${pick(random, guids)}` }] } : {};
  const status = random() < 0.85 ? 'active' : 'inactive';
  const consent = { id: 'g', status, decision: pick(random, ['permit', 'permit', 'deny']), ...grantee };
  return { consent, about: pick(random, records), by };
}

/** Few doubts, so that all outcomes occur. */
function generateFor(random: () => number, guids: readonly string[]): Consent {
  const reference = () => ({ reference: `Organization/${pick(random, guids)}` });
  const purpose = () => [{ code: pick(random, ['TREAT', 'PurposeOfUse', 'HRESCH', 'ETREAT']) }];
  const provision = (depth: number): Provision => ({
    ...(random() < 0.8 ? { actor: [{ reference: reference() }] } : { purpose: purpose() }),
    ...(random() < 0.2 ? { purpose: purpose() } : {}),
    ...(depth < 2 && random() < 0.5 ? { provision: [provision(depth + 1)] } : {}),
  });
  return {
    id: 'g',
    status: random() < 0.9 ? 'active' : 'inactive',
    decision: pick(random, ['permit', 'deny']),
    ...(random() < 0.2 ? { period: { end: pick(random, ['2025', '2030']) } } : {}),
    ...(random() < 0.7 ? { provision: [provision(0), ...times(random, 1, () => provision(0))] } : {}),
  };
}

function times<T>(random: () => number, limit: number, make: () => T): T[] {
  return Array.from({ length: Math.floor(random() * (limit + 1)) }, make);
}
