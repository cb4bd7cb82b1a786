// The owners of definitions and library entries. The tests cover reading them, transfer to another organisation, and
// the choice of an organisation when the author has several (docs/adr/0050, 0060).

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { RegisteredId } from '#lib/auth/registered-ids.ts';
import { unavailable } from '#lib/db/failure.ts';
import { ORGANISATION, OTHER_ORGANISATION, PATIENT, startTestEngine } from '#test/support/engine/engine.ts';
import { makeKey, makePrincipal } from '#test/support/http-app.ts';

const UNKNOWN = '01900000-0000-7000-8000-00000000ffff';
const both = { organisationGuids: [ORGANISATION, OTHER_ORGANISATION], phases: new Set(['planning']) };
const REGISTERED: readonly RegisteredId[] = [
  { guid: ORGANISATION, type: 'Organization', organisationGuids: [ORGANISATION] },
  { guid: OTHER_ORGANISATION, type: 'Organization', organisationGuids: [OTHER_ORGANISATION] },
  { guid: PATIENT, type: 'Patient', organisationGuids: [ORGANISATION] },
];
let isIdentityAway = false;
const { call, app, database } = await startTestEngine(
  { after },
  {
    callers: {
      both: makePrincipal(['professional', 'clinician'], both),
      leader: makePrincipal(['professional', 'clinician', 'admin'], both),
      key: makeKey('system/*.cruds'),
    },
    registeredIds: async (guids) => {
      if (isIdentityAway) throw unavailable(new Error('away'));
      return REGISTERED.filter(({ guid }) => guids.includes(guid));
    },
  },
);

interface Sent {
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body?: object;
  /** The header `Kedja-Organisation`. */
  readonly of?: string;
}

async function send(caller: string, { method = 'POST', path, body, of }: Sent) {
  const answer = await app.inject({
    method,
    url: `/api/v1${path}`,
    headers: {
      authorization: `Bearer ${caller}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(of === undefined ? {} : { 'kedja-organisation': of }),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
  return { status: answer.statusCode, text: answer.payload, body: answer.payload === '' ? {} : answer.json() };
}

const ownerOf = async (type: string, id: string) =>
  (await call('planner', 'GET', `/owners/${type}/${id}`)).body.organisation_guid;
const transfer = (caller: string, path: string, organisation: unknown) =>
  call(caller, 'PUT', `/owners/${path}`, { organisation_guid: organisation });

test('an administrator gives a definition to another organisation: its people change it, the former ones do not, its content stays', async () => {
  const form = {
    resourceType: 'Questionnaire',
    id: 'given',
    url: 'http://example.org/given',
    status: 'active',
    title: 'x',
  };
  assert.equal((await call('planner', 'PUT', '/Questionnaire/given', form)).status, 201);
  assert.equal(await ownerOf('Questionnaire', 'given'), ORGANISATION);
  assert.equal((await call('stranger', 'PUT', '/Questionnaire/given', { ...form, title: 'y' })).status, 403);
  const given = await transfer('admin', 'Questionnaire/given', OTHER_ORGANISATION);
  assert.deepEqual(
    [given.status, given.body],
    [200, { type: 'Questionnaire', id: 'given', organisation_guid: OTHER_ORGANISATION }],
  );
  const { body: read } = await call('planner', 'GET', '/Questionnaire/given');
  assert.deepEqual([read.title, read.meta.versionId], ['x', '1']);
  assert.equal((await call('planner', 'PUT', '/Questionnaire/given', { ...form, title: 'y' })).status, 403);
  assert.equal((await call('stranger', 'PUT', '/Questionnaire/given', { ...form, title: 'y' })).status, 200);
  // Its url went with it.
  const twin = { ...form, id: 'twin' };
  assert.equal((await call('planner', 'PUT', '/Questionnaire/twin', twin)).status, 403);
  assert.equal((await transfer('admin', 'Questionnaire/given', null)).status, 200);
  assert.equal((await call('stranger', 'PUT', '/Questionnaire/given', form)).status, 403);
  assert.equal((await call('admin', 'PUT', '/Questionnaire/given', form)).status, 200);
});

test('each change of an owner is recorded once, with the former and the new one', async () => {
  const plan = { resourceType: 'PlanDefinition', id: 'told', status: 'draft', title: 'x' };
  assert.equal((await call('planner', 'PUT', '/PlanDefinition/told', plan)).status, 201);
  for (let time = 0; time < 2; time += 1)
    assert.equal((await transfer('admin', 'PlanDefinition/told', OTHER_ORGANISATION)).status, 200);
  const text = `SELECT resource FROM audit_event WHERE event = 'owner.change' AND resource LIKE '%PlanDefinition/told%'`;
  const { rows } = await database.query<{ resource: string }>(text);
  assert.equal(rows.length, 1);
  const event = JSON.parse(rows[0]?.resource ?? '{}');
  assert.equal(event.outcome.detail[0].text, `from ${ORGANISATION} to ${OTHER_ORGANISATION}`);
  assert.equal(event.agent[0].who.identifier.value, '01900000-0000-7000-8000-000000000001');
});

test('entries of the library are given in the same way', async () => {
  const made = await call('planner', 'POST', '/concept-types', { name: 'Given' });
  assert.equal(made.status, 201, made.text);
  const { concept_type_guid: guid } = made.body;
  assert.equal(await ownerOf('concept-types', guid), ORGANISATION);
  const change = (caller: string) => call(caller, 'PUT', `/concept-types/${guid}`, { name: 'Given' });
  assert.equal((await change('stranger')).status, 403);
  assert.equal((await transfer('admin', `concept-types/${guid}`, OTHER_ORGANISATION)).status, 200);
  assert.deepEqual([(await change('planner')).status, (await change('stranger')).status], [403, 200]);
  assert.equal((await transfer('admin', `concept-types/${guid}`, null)).status, 200);
  assert.deepEqual([await ownerOf('concept-types', guid), (await change('stranger')).status], [null, 403]);
});

test('who may not, what has no owner, and whom identity does not know is refused', async () => {
  const form = { resourceType: 'Questionnaire', id: 'kept', status: 'active', title: 'x' };
  assert.equal((await call('planner', 'PUT', '/Questionnaire/kept', form)).status, 201);
  for (const caller of ['planner', 'stranger', 'both', 'idle', 'patient', 'key', 'service'])
    assert.equal((await transfer(caller, 'Questionnaire/kept', OTHER_ORGANISATION)).status, 403, caller);
  for (const path of [
    'Questionnaire/none',
    `Patient/${PATIENT}`,
    'Nothing/x',
    `concepts/${UNKNOWN}`,
    'goals/x',
    'toString/x',
  ]) {
    assert.equal((await transfer('admin', path, OTHER_ORGANISATION)).status, 404, path);
    assert.equal((await call('admin', 'GET', `/owners/${path}`)).status, 404, path);
  }
  for (const organisation of [UNKNOWN, PATIENT, 'x', 7, undefined]) {
    const refused = await transfer('admin', 'Questionnaire/kept', organisation);
    assert.deepEqual([refused.status, refused.body.error], [400, 'validation_error'], String(organisation));
    assert.match(refused.text, /organisation_guid/);
  }
  isIdentityAway = true;
  assert.equal((await transfer('admin', 'Questionnaire/kept', OTHER_ORGANISATION)).status, 503);
  isIdentityAway = false;
  assert.equal(await ownerOf('Questionnaire', 'kept'), ORGANISATION);
});

test('somebody of several organisations says for which one a definition, an entry, a plan or a bundle is written', async () => {
  const form = (id: string) => ({ resourceType: 'Questionnaire', id, status: 'active', title: 'x' });
  const put = (id: string, of?: string) =>
    send('both', { method: 'PUT', path: `/Questionnaire/${id}`, body: form(id), ...(of === undefined ? {} : { of }) });
  assert.equal((await put('first')).status, 201);
  assert.equal((await put('second', OTHER_ORGANISATION)).status, 201);
  assert.deepEqual(
    [await ownerOf('Questionnaire', 'first'), await ownerOf('Questionnaire', 'second')],
    [ORGANISATION, OTHER_ORGANISATION],
  );
  const entry = [{ resource: form('bundled'), request: { method: 'PUT', url: 'Questionnaire/bundled' } }];
  const bundle = { resourceType: 'Bundle', type: 'transaction', entry };
  assert.equal((await send('both', { path: '/', body: bundle, of: OTHER_ORGANISATION })).status, 200);
  assert.equal(await ownerOf('Questionnaire', 'bundled'), OTHER_ORGANISATION);
  const unit = await send('both', { path: '/concept-types', body: { name: 'Chosen' }, of: OTHER_ORGANISATION });
  assert.equal(await ownerOf('concept-types', unit.body.concept_type_guid), OTHER_ORGANISATION);
  const note = { resourceType: 'Basic', id: 'chosen', code: { text: 'x' } };
  assert.equal(
    (await send('both', { method: 'PUT', path: '/Basic/chosen', body: note, of: OTHER_ORGANISATION })).status,
    201,
  );
  assert.deepEqual(
    [(await call('planner', 'GET', '/Basic/chosen')).status, (await call('stranger', 'GET', '/Basic/chosen')).status],
    [404, 200],
  );
  const ofAdmin = { method: 'PUT', path: '/Questionnaire/leaders', body: form('leaders') } as const;
  assert.equal((await send('leader', { ...ofAdmin, of: OTHER_ORGANISATION })).status, 201);
  assert.equal(await ownerOf('Questionnaire', 'leaders'), OTHER_ORGANISATION);
});

test('an organisation that is not the writer’s is refused, and nothing is written', async () => {
  const body = { resourceType: 'Questionnaire', id: 'refused', status: 'active', title: 'x' };
  const put = { method: 'PUT', path: '/Questionnaire/refused', body } as const;
  for (const [caller, of] of [
    ['planner', OTHER_ORGANISATION],
    ['both', UNKNOWN],
    ['both', ''],
    ['both', `${ORGANISATION}, ${OTHER_ORGANISATION}`],
    ['admin', ORGANISATION],
    ['key', ORGANISATION],
    ['patient', ORGANISATION],
  ] as const) {
    const refused = await send(caller, { ...put, of });
    assert.equal(refused.status, 403, `${caller} ${of}: ${refused.text}`);
    assert.match(refused.text, /Kedja-Organisation/, caller);
  }
  assert.equal((await call('admin', 'GET', '/Questionnaire/refused')).status, 404);
  assert.equal((await send('planner', { ...put, of: ORGANISATION })).status, 201);
});
