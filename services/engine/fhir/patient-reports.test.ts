// What patients report about themselves (decision L2, docs/adr/0072). An attacker tries every way to report for
// somebody else, to change what staff wrote, and to take the tag off.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createDispatchClient } from '#clients/dispatch-client.ts';
import { principalOfKey } from '#lib/auth/api-key-principal.ts';
import { newGuid } from '#lib/guid.ts';
import type { ServiceFetch } from '#lib/http/upstream/service-fetch.ts';
import { PATIENT as ME, ORGANISATION, startTestEngine } from '#test/support/engine/engine.ts';
import { bundle, entry, patchOf, pulse, subject } from '#test/support/fhir/report-samples.ts';
import { makePrincipal } from '#test/support/http-app.ts';
import { processorMs } from '#test/support/processor-time.ts';

const OTHER = '01900000-0000-7000-8000-0000000000b2';
const LINKED = '01900000-0000-7000-8000-0000000000b3';
const THIRD = '01900000-0000-7000-8000-0000000000b4';
const UNKNOWN = '01900000-0000-7000-8000-0000000000b5';
const ELSEWHERE = '01900000-0000-7000-8000-0000000000b6';
const TAG = { system: 'https://kedja.dev/codes/tag', code: 'patient-reported', display: 'Patient-reported' };

/** Dispatch has one plan, of the patient `elsewhere`, and that patient's record. */
const askDispatch: ServiceFetch = async (_path, request = {}) => {
  const { patient_ids: ids, based_on: plans } = request.json as { patient_ids: string[]; based_on: string[] };
  const isOwn = ids.includes(ELSEWHERE);
  const missing = plans.filter((reference) => reference !== 'CarePlan/at-dispatch' || !isOwn);
  const records = isOwn ? [{ patient_guid: ELSEWHERE, organisation_guid: ORGANISATION }] : [];
  return { status: 200, headers: {}, text: JSON.stringify({ records, missing }) };
};

const { call } = await startTestEngine(
  { after },
  {
    dispatch: createDispatchClient({ fetch: askDispatch, credentials: { clientId: 'engine', clientSecret: 'secret' } }),
    callers: {
      other: makePrincipal(['patient'], { patientGuid: OTHER }),
      elsewhere: makePrincipal(['patient'], { patientGuid: ELSEWHERE }),
      unknown: makePrincipal(['patient'], { patientGuid: UNKNOWN }),
      twice: makePrincipal(['patient'], {
        patientGuid: UNKNOWN,
        linkedRecords: { engine: [LINKED, THIRD], dispatch: [] },
      }),
      lab: principalOfKey({ keyGuid: newGuid(), scopes: ['system/Observation.cruds'], providerGuid: undefined }),
    },
  },
);

/** A report of the patient, and its address. */
async function report(more: object = {}, as = 'patient') {
  const made = await call(as, 'POST', '/Observation', pulse(more));
  assert.equal(made.status, 201, made.text);
  return { ...made.body, address: `/Observation/${made.body.id}` };
}

async function byStaff(more: object = {}): Promise<{ id: string; address: string }> {
  const made = await call('planner', 'POST', '/Observation', pulse({ ...subject(ME), ...more }));
  assert.equal(made.status, 201, made.text);
  return { ...made.body, address: `/Observation/${made.body.id}` };
}

before(async () => {
  for (const [by, id] of [
    ['planner', ME],
    ['stranger', OTHER],
    ['planner', LINKED],
    ['stranger', THIRD],
  ] as const) {
    const made = await call(by, 'PUT', `/Patient/${id}`, { resourceType: 'Patient', id });
    assert.equal(made.status, 201, made.text);
  }
});

test('a report is completed by the service, keeps its digits, and is found by its tag by those who have the record', async () => {
  const sent = JSON.stringify(pulse()).replace('72', '72.0');
  const made = await call('patient', 'POST', '/Observation', sent);
  assert.equal(made.status, 201, made.text);
  assert.match(made.text, /"value":72\.0/);
  const me = { reference: `Patient/${ME}` };
  assert.deepEqual([made.body.subject, made.body.performer, made.body.meta.tag], [me, [me], [TAG]]);
  const ids = async (as: string) =>
    (await call(as, 'GET', `/Observation?_tag=${TAG.system}|${TAG.code}&_id=${made.body.id}`)).body.total;
  assert.deepEqual(
    [await ids('patient'), await ids('planner'), await ids('admin'), await ids('stranger'), await ids('other')],
    [1, 1, 1, 0, 0],
  );
  const audit = await call(
    'admin',
    'GET',
    `/AuditEvent?patient=Patient/${ME}&action=C&entity=Observation/${made.body.id}`,
  );
  assert.equal(audit.status, 200);
});

test('form answers are reported as well, with author and source', async () => {
  const answers = {
    resourceType: 'QuestionnaireResponse',
    status: 'completed',
    questionnaire: 'https://kedja.dev/forms/x',
  };
  const made = await call('patient', 'POST', '/QuestionnaireResponse', answers);
  assert.equal(made.status, 201, made.text);
  const me = { reference: `Patient/${ME}` };
  assert.deepEqual([made.body.subject, made.body.author, made.body.source, made.body.meta.tag], [me, me, me, [TAG]]);
});

test('a report must be valid, and every issue is named', async () => {
  const { status, body } = await call('patient', 'POST', '/Observation', pulse({ status: 'done', valueString: 'x' }));
  assert.equal(status, 422);
  assert.ok(body.issue.length >= 2);
  assert.equal(
    (await call('patient', 'POST', '/Observation', pulse({ note: [{ text: 'x'.repeat(1_048_600) }] }))).status,
    413,
  );
});

test('nobody reports for somebody else, whatever element names them', async () => {
  const foreign = [
    subject(OTHER),
    { subject: { reference: `http://engine.test/api/v1/Patient/${OTHER}` } },
    { subject: { reference: `Patient/${OTHER}/_history/1` } },
    { subject: { identifier: { system: 'urn:oid', value: '1' } } },
    { subject: { reference: 'Group/g' } },
    { performer: [{ reference: `Patient/${OTHER}` }] },
    { performer: [{ reference: `Patient/${ME}` }, { reference: 'Practitioner/x' }] },
    { focus: [{ reference: `Patient/${OTHER}` }] },
    { note: [{ text: 'x', authorReference: { reference: `Patient/${OTHER}` } }] },
    { contained: [{ resourceType: 'Patient', id: 'p' }], focus: [{ reference: '#p' }] },
    { extension: [{ url: 'urn:x', valueReference: { reference: `Patient/${OTHER}` } }] },
  ];
  for (const more of foreign) {
    const { status, text } = await call('patient', 'POST', '/Observation', pulse(more));
    assert.ok([403, 422].includes(status), `${JSON.stringify(more)}: ${status} ${text}`);
  }
  assert.equal((await call('other', 'GET', '/Observation')).body.total, 0);
});

test('a report refers to nothing that the patient does not see, so that nobody locks the report of another', async () => {
  const theirs = await report({}, 'other');
  for (const element of ['derivedFrom', 'hasMember']) {
    const made = await call(
      'patient',
      'POST',
      '/Observation',
      pulse({ [element]: [{ reference: `Observation/${theirs.id}` }] }),
    );
    assert.equal(made.status, 422, element);
    assert.match(made.text, new RegExp(`Observation.${element}`));
  }
  assert.equal(
    (await call('patient', 'POST', '/Observation', pulse({ basedOn: [{ reference: 'CarePlan/none' }] }))).status,
    422,
  );
  assert.equal(
    (await call('other', 'PUT', theirs.address, { ...theirs, address: undefined, status: 'amended' })).status,
    200,
  );
});

test('the tag is given by the service alone, and nobody takes it off', async () => {
  for (const as of ['planner', 'admin', 'lab']) {
    const forged = pulse({ ...subject(ME), meta: { tag: [TAG] } });
    assert.equal((await call(as, 'POST', '/Observation', forged)).status, 422, as);
    assert.equal(
      (await call(as, 'PUT', `/Observation/forged-${as}`, { ...forged, id: `forged-${as}` })).status,
      422,
      as,
    );
    for (const type of ['batch', 'transaction'] as const) {
      const answer = await call(as, 'POST', '/', bundle(type, entry('POST', 'Observation', forged)));
      assert.match(answer.text, /The tags patient-reported/, `${as} ${type}`);
    }
  }
  const own = await byStaff();
  const tags = { resourceType: 'Parameters', parameter: [{ name: 'meta', valueMeta: { tag: [TAG] } }] };
  assert.equal((await call('planner', 'POST', `${own.address}/$meta-add`, tags)).status, 422);
  const mine = await report();
  for (const as of ['planner', 'admin', 'lab', 'patient']) await call(as, 'POST', `${mine.address}/$meta-delete`, tags);
  await call('patient', 'PUT', mine.address, {
    ...pulse(),
    id: mine.id,
    meta: { tag: [{ system: TAG.system, code: 'archived' }] },
  });
  assert.deepEqual((await call('patient', 'GET', mine.address)).body.meta.tag, [TAG]);
});

test('staff never change or delete a report; an administrator may delete it', async () => {
  const mine = await report();
  const changed = { ...pulse(subject(ME)), id: mine.id };
  const patch = [{ op: 'replace', path: '/status', value: 'amended' }];
  for (const as of ['planner', 'admin']) {
    assert.equal((await call(as, 'PUT', mine.address, changed)).status, 403, as);
    const binary = patchOf(patch);
    for (const each of [
      entry('PUT', mine.address.slice(1), changed),
      entry('PATCH', mine.address.slice(1), binary),
      entry('PUT', `Observation?_id=${mine.id}`, changed),
    ]) {
      const batch = await call(as, 'POST', '/', bundle('batch', each));
      assert.match(batch.body.entry[0].response.status, /^403/, `${as} ${JSON.stringify(each.request)}: ${batch.text}`);
      assert.equal((await call(as, 'POST', '/', bundle('transaction', each))).status, 403, as);
    }
    assert.equal((await call(as, 'PUT', `/Observation?_id=${mine.id}`, changed)).status, 403);
  }
  assert.equal((await call('lab', 'PUT', mine.address, changed)).status, 404);
  assert.equal((await call('planner', 'DELETE', mine.address)).status, 403);
  assert.equal((await call('planner', 'DELETE', `/Observation?_id=${mine.id}`)).status, 403);
  assert.equal(
    (await call('planner', 'POST', '/', bundle('transaction', entry('DELETE', mine.address.slice(1))))).status,
    403,
  );
  assert.equal((await call('stranger', 'DELETE', mine.address)).status, 204);
  assert.equal((await call('patient', 'GET', mine.address)).body.meta.versionId, '1', 'nothing was changed');
  assert.equal((await call('admin', 'DELETE', mine.address)).status, 204);
  assert.equal((await call('planner', 'PUT', mine.address, changed)).status, 403, 'nor is it made again');
});

test('the patient corrects and withdraws their own report, in every way', async () => {
  const mine = await report();
  const corrected = { ...pulse({ status: 'corrected', valueQuantity: { value: 75, unit: '/min' } }), id: mine.id };
  const put = await call('patient', 'PUT', mine.address, corrected);
  assert.deepEqual([put.status, put.body.meta.tag], [200, [TAG]], put.text);
  const error = await call('patient', 'PUT', `/Observation?_id=${mine.id}`, {
    ...corrected,
    status: 'entered-in-error',
  });
  assert.deepEqual([error.status, error.body.status], [200, 'entered-in-error'], error.text);
  const history = await call('planner', 'GET', `${mine.address}/_history`);
  assert.deepEqual([history.status, history.body.entry.length], [200, 3], history.text);
  const transaction = bundle('transaction', entry('PUT', mine.address.slice(1), corrected));
  const untagged = patchOf([
    { op: 'remove', path: '/meta/tag' },
    { op: 'replace', path: '/status', value: 'amended' },
  ]);
  const patched = await call('patient', 'POST', '/', bundle('batch', entry('PATCH', mine.address.slice(1), untagged)));
  assert.match(patched.body.entry[0].response.status, /^200/, patched.text);
  const after = await call('patient', 'GET', mine.address);
  assert.deepEqual([after.body.status, after.body.meta.tag], ['amended', [TAG]]);
  const moved = patchOf([{ op: 'replace', path: '/subject/reference', value: `Patient/${OTHER}` }]);
  assert.equal(
    (await call('patient', 'POST', '/', bundle('transaction', entry('PATCH', mine.address.slice(1), moved)))).status,
    403,
  );
  assert.equal((await call('patient', 'POST', '/', transaction)).status, 200);
  assert.equal((await call('patient', 'DELETE', mine.address)).status, 204);
  assert.equal((await call('patient', 'GET', mine.address)).status, 404);
  assert.equal((await call('patient', 'PUT', mine.address, corrected)).status, 404, 'what was withdrawn stays so');
});

test('a patient changes nothing that staff wrote, and learns of nothing that is hidden', async () => {
  const own = await byStaff();
  const changed = { ...pulse(), id: own.id };
  const theirs = await report({}, 'other');
  assert.equal((await call('patient', 'PUT', own.address, changed)).status, 403);
  assert.equal((await call('patient', 'DELETE', own.address)).status, 403);
  assert.equal((await call('patient', 'PUT', `/Observation?_id=${own.id}`, changed)).status, 403);
  const patch = entry('PATCH', own.address.slice(1), patchOf([{ op: 'replace', path: '/status', value: 'amended' }]));
  assert.equal((await call('patient', 'POST', '/', bundle('transaction', patch))).status, 403);
  for (const type of ['batch', 'transaction'] as const) {
    const put = await call('patient', 'POST', '/', bundle(type, entry('PUT', own.address.slice(1), changed)));
    assert.match(type === 'batch' ? put.body.entry[0].response.status : String(put.status), /^403/);
    const gone = await call('patient', 'POST', '/', bundle(type, entry('DELETE', own.address.slice(1))));
    assert.match(type === 'batch' ? gone.body.entry[0].response.status : String(gone.status), /^403/);
  }
  const hidden = await call('patient', 'PUT', theirs.address, { ...pulse(), id: theirs.id });
  const absent = await call('patient', 'PUT', '/Observation/absent', { ...pulse(), id: 'absent' });
  assert.deepEqual([hidden.status, absent.status], [404, 404], 'no id shows whether it is taken');
  assert.equal((await call('patient', 'DELETE', theirs.address)).status, 204);
  assert.equal((await call('other', 'GET', theirs.address)).status, 200);
  assert.equal((await call('patient', 'GET', own.address)).body.meta.versionId, '1');
});

test('what has been used is not changed any more: another resource refers to it, or staff have reviewed it', async () => {
  const used = await report();
  await byStaff({ derivedFrom: [{ reference: `Observation/${used.id}` }] });
  const reviewed = await report();
  const provenance = {
    resourceType: 'Provenance',
    target: [{ reference: `Observation/${reviewed.id}` }],
    agent: [{ who: { display: 'Anna, nurse' } }],
    activity: { text: 'Reviewed' },
  };
  assert.equal((await call('planner', 'POST', '/Provenance', provenance)).status, 201);
  for (const { id, address } of [used, reviewed]) {
    assert.equal((await call('planner', 'GET', address)).status, 200, 'a read is no use');
    for (const [method, body] of [
      ['PUT', { ...pulse(), id }],
      ['DELETE', undefined],
    ] as const) {
      const refused = await call('patient', method, address, body);
      assert.equal(refused.status, 409, `${method} ${refused.text}`);
    }
  }
  const seen = await report();
  await call('planner', 'GET', seen.address);
  await call('planner', 'GET', `/Observation?_id=${seen.id}`);
  assert.equal((await call('patient', 'DELETE', seen.address)).status, 204);
});

test('patients write no other type, import nothing, and a conditional create finds their own alone', async () => {
  for (const type of ['Condition', 'Patient', 'CarePlan', 'Provenance', 'DiagnosticReport', 'Consent', 'List']) {
    const made = await call('patient', 'POST', `/${type}`, { resourceType: type });
    assert.equal(made.status, 403, type);
    const inBundle = await call(
      'patient',
      'POST',
      '/',
      bundle('transaction', entry('POST', type, { resourceType: type })),
    );
    assert.equal(inBundle.status, 403, type);
  }
  const identified = { identifier: [{ system: 'urn:phone', value: 'm-1' }] };
  const once = bundle(
    'transaction',
    entry('POST', 'Observation', pulse(identified), { ifNoneExist: 'identifier=urn:phone|m-1' }),
  );
  const first = await call('other', 'POST', '/', once);
  const mine = await call('patient', 'POST', '/', once);
  const again = await call('patient', 'POST', '/', once);
  const location = (answer: typeof mine) => String(answer.body.entry[0].response.location).split('/_history')[0];
  assert.deepEqual([first.status, mine.status, again.status], [200, 200, 200], mine.text);
  assert.notEqual(location(first), location(mine));
  assert.equal(location(again), location(mine), 'sent twice, stored once');
});

test('the report belongs to the organisation whose record it is about; the patient chooses among several', async () => {
  const nowhere = await call('unknown', 'POST', '/Observation', pulse());
  assert.equal(nowhere.status, 422, 'no organisation has a record');
  const several = await call('twice', 'POST', '/Observation', pulse());
  assert.equal(several.status, 422);
  assert.match(several.text, new RegExp(`Patient/${LINKED}.*Patient/${THIRD}`));
  const chosen = await report(subject(THIRD), 'twice');
  const seenBy = async () => [
    (await call('stranger', 'GET', chosen.address)).status,
    (await call('planner', 'GET', chosen.address)).status,
  ];
  assert.deepEqual(await seenBy(), [200, 404]);
  const moved = await call('twice', 'PUT', chosen.address, { ...pulse(subject(LINKED)), id: chosen.id });
  assert.equal(moved.status, 200, moved.text);
  assert.deepEqual(await seenBy(), [404, 200], 'the owner follows the subject');
});

test('a report that is based on a plan belongs to the organisation of the plan', async () => {
  const plan = {
    resourceType: 'CarePlan',
    status: 'active',
    intent: 'plan',
    subject: { reference: `Patient/${THIRD}` },
  };
  const { body: made } = await call('stranger', 'POST', '/CarePlan', plan);
  const answer = await report({ basedOn: [{ reference: `CarePlan/${made.id}` }] }, 'twice');
  assert.deepEqual(answer.subject, { reference: `Patient/${THIRD}` });
  assert.equal((await call('stranger', 'GET', answer.address)).status, 200);
  assert.equal((await call('planner', 'GET', answer.address)).status, 404);
});

test('a plan of megabytes is read once, however often a report is based on it', async () => {
  const extension = Array.from({ length: 60_000 }, () => ({ url: 'http://a', valueCode: 'a' }));
  const plan = { resourceType: 'CarePlan', status: 'active', intent: 'plan', ...subject(THIRD), extension };
  const { body: made } = await call('stranger', 'POST', '/CarePlan', plan);
  const reference = `CarePlan/${made.id}`;
  const before = processorMs();
  await report({ basedOn: Array.from({ length: 500 }, () => ({ reference })) }, 'twice');
  const took = processorMs() - before;
  assert.ok(took < 2_000, `it took ${took.toFixed(0)} ms of processor time`);
});

test('plans and records that only dispatch has decide as well: it is asked, and not within a transaction', async () => {
  const basedOn = { basedOn: [{ reference: 'CarePlan/at-dispatch' }] };
  const made = await report(basedOn, 'elsewhere');
  assert.deepEqual(made.subject, { reference: `Patient/${ELSEWHERE}` });
  assert.equal((await call('planner', 'GET', made.address)).status, 200);
  assert.equal((await call('stranger', 'GET', made.address)).status, 404);
  const plain = await report({}, 'elsewhere');
  assert.equal((await call('planner', 'GET', plain.address)).status, 200);
  const foreign = await call('other', 'POST', '/Observation', pulse(basedOn));
  assert.equal(foreign.status, 422, foreign.text);
  const inside = await call(
    'elsewhere',
    'POST',
    '/',
    bundle('transaction', entry('PUT', `Observation/${made.id}`, { ...pulse(basedOn), id: made.id })),
  );
  assert.equal(inside.status, 422, inside.text);
  const patch = entry('PATCH', made.address.slice(1), patchOf([{ op: 'replace', path: '/status', value: 'amended' }]));
  assert.equal((await call('elsewhere', 'POST', '/', bundle('transaction', patch))).status, 200);
  assert.equal((await call('planner', 'GET', made.address)).body.status, 'amended');
});
