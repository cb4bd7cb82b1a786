// What a provider's key and its staff write at the engine (decision L9, docs/adr/0078). With basedOn a request that was
// pushed to the provider it belongs to the organisation that ordered. Anything else about a patient is refused.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { ReportableRequest } from '#clients/dispatch-client.ts';
import { principalOfKey } from '#lib/auth/api-key-principal.ts';
import { ServiceError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import { PATIENT, startTestEngine } from '#test/support/engine/engine.ts';
import { playDispatch, reportableRequest } from '#test/support/engine/engine-dispatch.ts';
import { eventually } from '#test/support/http.ts';

/** Whose staff `providerStaff` is. */
const PROVIDER = '01900000-0000-7000-8000-0000000000c1';
const OTHER = '01900000-0000-7000-8000-0000000000c2';
const OTHER_PATIENT = '01900000-0000-7000-8000-0000000000b2';
const [REQUEST, FOREIGN, WITHDRAWN, SECOND] = [newGuid(), newGuid(), newGuid(), newGuid()];

const CLOSED = { status: 'withdrawn', may_report: false };
const known: ReportableRequest[] = [
  reportableRequest(PROVIDER, REQUEST),
  reportableRequest(PROVIDER, SECOND),
  reportableRequest(PROVIDER, WITHDRAWN, CLOSED),
  reportableRequest(OTHER, REQUEST),
  reportableRequest(OTHER, FOREIGN),
];
const dispatch: {
  isAway: boolean;
  asked: number;
  readonly reported: { request: string; results: readonly string[]; by?: string | undefined }[];
} = { isAway: false, asked: 0, reported: [] };
const key = (scopes: string[], providerGuid = PROVIDER) => principalOfKey({ keyGuid: newGuid(), scopes, providerGuid });
const { call, clock, engine } = await startTestEngine(
  { after },
  {
    callers: {
      key: key(['system/*.cruds']),
      unscoped: key([]),
      narrow: key(['system/Patient.r']),
      rival: key(['system/*.cruds'], OTHER),
    },
    // The reports below are taken whatever is here, as dispatch knows the request.
    checksReferences: true,
    dispatch: {
      ...playDispatch().client,
      async findReportable(providers, requests) {
        dispatch.asked += 1;
        if (dispatch.isAway) throw new ServiceError('upstream_unavailable', 'Dispatch is away in this test');
        return known.filter(
          (each) => providers.includes(each.provider_guid) && requests.includes(each.service_request_id),
        );
      },
      async registerResults(request, { results, by }) {
        if (dispatch.isAway) throw new ServiceError('upstream_unavailable', 'Dispatch is away in this test');
        dispatch.reported.push({ request, results, by: by?.name ?? undefined });
        return { kind: 'done' };
      },
    },
  },
);

const basedOn = (...requests: string[]) => requests.map((id) => ({ reference: `ServiceRequest/${id}` }));
const observation = (changes: object = {}) => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'Body weight' },
  basedOn: basedOn(REQUEST),
  valueQuantity: { value: 80, unit: 'kg' },
  ...changes,
});
const provenanceOf = async (target: string) => {
  const { body } = await call('planner', 'GET', `/Provenance?target=${target}`);
  assert.equal(body.total, 1, JSON.stringify(body));
  return body.entry[0].resource;
};

test('planner and patient see what the key wrote about its request, and who did it', async () => {
  const text = JSON.stringify(observation()).replace('"value":80', '"value":80.50');
  const made = await call('key', 'POST', '/Observation', text);
  assert.equal(made.status, 201, made.text);
  const address = `Observation/${made.body.id}`;
  for (const [caller, status] of [
    ['planner', 200],
    ['patient', 200],
    ['stranger', 404],
    ['key', 404],
  ] as const)
    assert.equal((await call(caller, 'GET', `/${address}`)).status, status, caller);
  const read = await call('planner', 'GET', `/${address}`);
  assert.match(read.text, /80\.50/);
  assert.deepEqual(read.body.subject, { reference: `Patient/${PATIENT}` });
  assert.deepEqual(read.body.performer, [{ display: 'Home care North' }]);
  const found = await call('planner', 'GET', `/Observation?based-on=ServiceRequest/${REQUEST}`);
  assert.equal(found.body.total, 1);
  const { agent } = await provenanceOf(address);
  assert.deepEqual([agent.length, agent[0].who.identifier.value], [1, PROVIDER]);
  const absolute = { reference: `https://dispatch.example.org/api/v1/ServiceRequest/${REQUEST}` };
  const again = await call('key', 'POST', '/Observation', observation({ basedOn: [absolute] }));
  assert.deepEqual(again.body.basedOn, basedOn(REQUEST));
});

test('staff without another right write about the request, under their own name; nothing else of theirs is open', async () => {
  const answers = {
    resourceType: 'QuestionnaireResponse',
    status: 'completed',
    questionnaire: 'https://example.org/q',
  };
  const made = await call('providerStaff', 'POST', '/QuestionnaireResponse', { ...answers, basedOn: basedOn(REQUEST) });
  assert.equal(made.status, 201, made.text);
  const address = `QuestionnaireResponse/${made.body.id}`;
  assert.equal((await call('planner', 'GET', `/${address}`)).body.author.display, 'Home care North');
  const { agent } = await provenanceOf(address);
  assert.equal(agent[1].type.coding[0].code, 'author');
  assert.equal((await call('providerStaff', 'POST', '/QuestionnaireResponse', answers)).status, 422);
  assert.equal((await call('providerStaff', 'POST', '/Observation', observation({ basedOn: undefined }))).status, 422);
  for (const method of ['GET', 'DELETE'] as const)
    assert.equal((await call('providerStaff', method, `/${address}`)).status, 403, method);
});

test('what names no request of the provider’s, or another patient, is refused with the element', async () => {
  const toPatient = (id: string) => ({ reference: `Patient/${id}` });
  for (const [changes, message] of [
    [{ basedOn: undefined, subject: toPatient(PATIENT) }, /basedOn must name a ServiceRequest/],
    [{ basedOn: basedOn(FOREIGN), subject: toPatient(PATIENT) }, /basedOn must name a ServiceRequest/],
    [{ basedOn: basedOn(newGuid()), subject: toPatient(PATIENT) }, /basedOn must name a ServiceRequest/],
    [{ basedOn: basedOn(WITHDRAWN) }, /withdrawn: nothing more/],
    [{ basedOn: basedOn(REQUEST, SECOND) }, /one request, and no other/],
    [{ basedOn: basedOn(REQUEST, FOREIGN) }, /one request, and no other/],
    [{ subject: toPatient(OTHER_PATIENT) }, /subject must be the patient of the request/],
    [{ performer: [toPatient(OTHER_PATIENT)] }, /only patient/],
  ] as const) {
    const { status, text } = await call('key', 'POST', '/Observation', observation(changes));
    assert.equal(status, 422, text);
    assert.match(text, message);
  }
  const condition = {
    resourceType: 'Condition',
    clinicalStatus: {
      coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-clinical', code: 'active' }],
    },
    subject: toPatient(PATIENT),
  };
  assert.equal((await call('key', 'POST', '/Condition', condition)).status, 403);
  assert.equal((await call('key', 'POST', '/Patient', { resourceType: 'Patient' })).status, 403);
  assert.equal((await call('key', 'POST', '/Device', { resourceType: 'Device' })).status, 201, 'about nobody');
  for (const caller of ['unscoped', 'narrow']) {
    assert.equal((await call(caller, 'POST', '/Observation', observation())).status, 201, 'it acts for the provider');
    const other = await call(caller, 'POST', '/Observation', observation({ basedOn: undefined }));
    assert.equal(other.status, 422, 'more needs a scope');
  }
  assert.equal((await call('key', 'POST', '/Observation', observation({ basedOn: undefined }))).status, 201);
  const chosen = { ...observation(), id: newGuid() };
  assert.notEqual((await call('key', 'PUT', `/Observation/${chosen.id}`, chosen)).status, 201, 'no id of its choice');
  const tag = [{ system: 'https://kedja.dev/codes/tag', code: 'patient-reported' }];
  assert.notEqual((await call('key', 'POST', '/Observation', observation({ meta: { tag } }))).status, 201);
});

test('in a transaction all or nothing, in a batch each by itself', async () => {
  const send = (type: string, ...resources: object[]) => {
    const entry = resources.map((resource) => ({ resource, request: { method: 'POST', url: 'Observation' } }));
    return call('key', 'POST', '/', { resourceType: 'Bundle', type, entry });
  };
  const count = async () => (await call('planner', 'GET', '/Observation?_count=0')).body.total;
  const before = await count();
  const refused = await send('transaction', observation(), observation({ basedOn: basedOn(FOREIGN) }));
  assert.deepEqual([refused.status, await count()], [422, before], refused.text);
  const taken = await send('transaction', observation(), observation({ basedOn: basedOn(SECOND) }));
  assert.deepEqual([taken.status, await count()], [200, before + 2], taken.text);
  for (const { response } of taken.body.entry)
    await provenanceOf(String(response.location).match(/Observation\/[^/]+/)?.[0] ?? '');
  const batch = await send('batch', observation(), observation({ basedOn: basedOn(FOREIGN) }));
  const statuses = batch.body.entry.map(({ response }: { response: { status: string } }) =>
    response.status.slice(0, 3),
  );
  assert.deepEqual([statuses, await count()], [['201', '422'], before + 3]);
});

test('the provider corrects and withdraws what it reported, and nobody else does', async () => {
  const made = await call('key', 'POST', '/Observation', observation());
  const address = `/Observation/${made.body.id}`;
  const changed = (changes: object) => observation({ id: made.body.id, ...changes });
  const put = (caller: string, changes: object) => call(caller, 'PUT', address, changed(changes));
  const amended = await put('key', { status: 'amended', valueQuantity: { value: 81, unit: 'kg' } });
  assert.equal(amended.status, 200, amended.text);
  const read = await call('planner', 'GET', address);
  assert.deepEqual([read.body.valueQuantity.value, read.body.meta.versionId], [81, '2']);
  assert.deepEqual(
    read.body.meta.tag.map(({ code }: { code: string }) => code),
    ['provider-reported', PROVIDER],
  );
  const { body: provenances } = await call('planner', 'GET', `/Provenance?target=Observation/${made.body.id}`);
  assert.equal(provenances.total, 2, 'each version has one');
  const subject = { reference: `Patient/${PATIENT}` };
  for (const [caller, changes, status] of [
    ['planner', { subject, basedOn: undefined }, 403],
    ['planner', read.body, 422],
    ['rival', {}, 404],
    ['key', { basedOn: basedOn(SECOND) }, 404],
    ['key', { basedOn: basedOn(FOREIGN), subject }, 422],
    ['stranger', { subject }, 404],
  ] as const)
    assert.equal((await put(caller, changes)).status, status, `${caller} ${JSON.stringify(changes)}`);
  const patch = [{ op: 'replace', path: '/status', value: 'final' }];
  for (const caller of ['planner', 'key'])
    assert.ok([403, 404, 415].includes((await call(caller, 'PATCH', address, patch)).status), caller);
  assert.equal((await call('planner', 'DELETE', address)).status, 403);
  const entry = [
    { resource: changed({ status: 'entered-in-error' }), request: { method: 'PUT', url: address.slice(1) } },
  ];
  const withdrawn = await call('key', 'POST', '/', { resourceType: 'Bundle', type: 'transaction', entry });
  assert.equal(withdrawn.status, 200, withdrawn.text);
  assert.equal((await call('patient', 'GET', address)).body.status, 'entered-in-error');
  const forged = { ...observation({ basedOn: undefined, subject }), meta: { tag: read.body.meta.tag } };
  assert.equal((await call('planner', 'POST', '/Observation', forged)).status, 422, 'the tag is the service’s');
  const nurse = await call('providerStaff', 'PUT', address, changed({ status: 'final' }));
  assert.equal(nurse.status, 200, nurse.text);
});

test('dispatch hears of each report, also when it was away', async () => {
  await engine.start();
  const request = known[1]?.request_guid;
  const references = () =>
    dispatch.reported.filter((each) => each.request === request).flatMap(({ results }) => results);
  const sent = async () => {
    const { body } = await call('key', 'POST', '/Observation', observation({ basedOn: basedOn(SECOND) }));
    return `http://engine.test/api/v1/Observation/${body.id}`;
  };
  const first = await sent();
  dispatch.isAway = true;
  const second = await sent();
  await eventually('the first was reported', async () => {
    dispatch.isAway = false;
    clock.time += 60_000;
    engine.wake();
    return references().includes(first) && references().includes(second) ? true : undefined;
  });
});

test('a transaction about many requests asks dispatch once', async () => {
  clock.time += 60_000;
  const ids = Array.from({ length: 30 }, () => newGuid());
  known.push(...ids.map((id) => reportableRequest(PROVIDER, id)));
  const entry = ids.map((id) => ({
    resource: observation({ basedOn: basedOn(id) }),
    request: { method: 'POST', url: 'Observation' },
  }));
  const before = dispatch.asked;
  const taken = await call('key', 'POST', '/', { resourceType: 'Bundle', type: 'transaction', entry });
  assert.deepEqual([taken.status, dispatch.asked - before], [200, 1], taken.text);
});

test('what is no report has the size of other resources', async () => {
  const item = Array.from({ length: 12_000 }, (_, at) => ({ linkId: `q${at}`, type: 'string', text: 'x'.repeat(60) }));
  const form = { resourceType: 'Questionnaire', status: 'draft', item };
  assert.ok(JSON.stringify(form).length > 1024 * 1024);
  const made = await call('key', 'POST', '/Questionnaire', form);
  assert.equal(made.status, 201, made.text.slice(0, 300));
  const note = [{ text: 'x'.repeat(1024 * 1024) }];
  assert.equal((await call('key', 'POST', '/Observation', observation({ note }))).status, 413);
});

test('dispatch is asked every five seconds at most; while it is away the answer is 503, and nothing is stored', async () => {
  clock.time += 60_000;
  const before = dispatch.asked;
  for (const _ of [1, 2, 3]) assert.equal((await call('key', 'POST', '/Observation', observation())).status, 201);
  assert.equal(dispatch.asked, before + 1);
  clock.time += 5_000;
  dispatch.isAway = true;
  const away = await call('key', 'POST', '/Observation', observation());
  assert.equal(away.status, 503, away.text);
  assert.equal((await call('planner', 'GET', '/Observation?_count=0')).status, 200);
  dispatch.isAway = false;
  assert.equal((await call('key', 'POST', '/Observation', observation())).status, 201, 'a failure is not remembered');
  known[0] = reportableRequest(PROVIDER, REQUEST, CLOSED);
  clock.time += 5_000;
  assert.equal((await call('key', 'POST', '/Observation', observation())).status, 422);
});
