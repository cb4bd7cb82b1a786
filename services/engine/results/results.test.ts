// Results that dispatch sends to the engine (decision L9, docs/adr/0078). They are stored once, all or nothing, for the
// organisation that ordered, whose planners and whose patient see them. They are corrected by a later report.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { principalOfKey } from '#lib/auth/api-key-principal.ts';
import { newGuid } from '#lib/guid.ts';
import { ORGANISATION, PATIENT, startTestEngine } from '#test/support/engine/engine.ts';
import { playDispatch } from '#test/support/engine/engine-dispatch.ts';
import { fifty } from '#test/support/system/at-once.ts';

const [PROVIDER, REQUEST] = [newGuid(), newGuid()];
const { call } = await startTestEngine(
  { after },
  {
    callers: { key: principalOfKey({ keyGuid: newGuid(), scopes: [], providerGuid: PROVIDER }) },
    dispatch: {
      ...playDispatch().client,
      findReportable: async () => [
        {
          service_request_id: REQUEST,
          provider_guid: PROVIDER,
          request_guid: newGuid(),
          patient_guid: PATIENT,
          organisation_guid: ORGANISATION,
          provider_name: 'Home care North',
          provider_organisation_guid: null,
          status: 'completed',
          may_report: true,
        },
      ],
    },
  },
);

const observation = (id: string, value: number, changes: object = {}) => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  code: { text: 'Body weight' },
  subject: { reference: `Patient/${PATIENT}` },
  basedOn: [{ reference: `ServiceRequest/${newGuid()}` }],
  valueQuantity: { value, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
  ...changes,
});
const reportOf = (...resources: object[]) => ({
  report_guid: newGuid(),
  request_guid: newGuid(),
  provider_guid: newGuid(),
  patient_guid: PATIENT,
  organisation_guid: ORGANISATION,
  resources: resources.map((resource) => JSON.stringify(resource)),
});
const store = (report: object) => call('service', 'POST', '/results', report);

test('planner and patient see them; another organisation does not', async () => {
  const id = newGuid();
  assert.equal((await store(reportOf(observation(id, 80.5)))).status, 204);
  for (const [caller, status] of [
    ['planner', 200],
    ['patient', 200],
    ['admin', 200],
    ['stranger', 404],
    ['providerStaff', 403],
  ] as const)
    assert.equal((await call(caller, 'GET', `/Observation/${id}`)).status, status, caller);
});

test('the same report again, also fifty at once, is one version; a later one corrects', async () => {
  const id = newGuid();
  const report = reportOf(observation(id, 80));
  const answers = await fifty(() => store(report));
  assert.ok(answers.every(({ status }) => status === 204));
  const read = async () => (await call('planner', 'GET', `/Observation/${id}`)).body;
  assert.equal((await read()).meta.versionId, '1');
  assert.equal((await store(reportOf(observation(id, 81, { status: 'amended' })))).status, 204);
  const { meta, status, valueQuantity } = await read();
  assert.deepEqual([meta.versionId, status, valueQuantity.value], ['2', 'amended', 81]);
  await store(report);
  assert.equal((await read()).valueQuantity.value, 81, 'an old report that comes again undoes nothing');
});

test('one that is not valid stores nothing, and other types are refused', async () => {
  const id = newGuid();
  const invalid = await store(reportOf(observation(id, 80), observation(newGuid(), 80, { status: 'odd' })));
  assert.deepEqual([invalid.status, invalid.body.error], [422, 'unprocessable']);
  assert.equal((await call('planner', 'GET', `/Observation/${id}`)).status, 404);
  const other = { resourceType: 'Condition', id: newGuid(), subject: { reference: `Patient/${PATIENT}` } };
  assert.equal((await store(reportOf(other))).status, 422);
});

test('what a provider reported is corrected by the provider, also by FHIR, and by nobody else', async () => {
  const id = newGuid();
  const tag = [
    { system: 'https://kedja.dev/codes/tag', code: 'provider-reported' },
    { system: 'https://kedja.dev/ids/provider', code: PROVIDER },
  ];
  const basedOn = [{ reference: `ServiceRequest/${REQUEST}` }];
  assert.equal((await store(reportOf(observation(id, 80, { meta: { tag }, basedOn })))).status, 204);
  const put = (caller: string, value: number) =>
    call(caller, 'PUT', `/Observation/${id}`, observation(id, value, { basedOn, status: 'amended' }));
  assert.equal((await put('planner', 81)).status, 403);
  assert.equal((await call('planner', 'DELETE', `/Observation/${id}`)).status, 403);
  const corrected = await put('key', 82);
  assert.equal(corrected.status, 200, corrected.text);
  assert.equal((await call('patient', 'GET', `/Observation/${id}`)).body.valueQuantity.value, 82);
});

test('a long result is the provider’s alone, too', async () => {
  const id = newGuid();
  const tag = [
    { system: 'https://kedja.dev/codes/tag', code: 'provider-reported', display: 'Provider-reported' },
    { system: 'https://kedja.dev/ids/provider', code: PROVIDER },
  ];
  const note = [1, 2].map(() => ({ text: 'x'.repeat(700_000) }));
  assert.equal((await store(reportOf(observation(id, 80, { meta: { tag }, note })))).status, 204);
  assert.equal((await call('planner', 'PUT', `/Observation/${id}`, observation(id, 81))).status, 403);
});
