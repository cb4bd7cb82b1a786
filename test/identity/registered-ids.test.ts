// An id that identity has given to somebody cannot be taken by others (docs/adr/0051). Engine and dispatch ask identity
// whose it is. They refuse the first write by others, in every way in which a client chooses an id.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createIdentityClient } from '#clients/identity-client.ts';
import { principalOfKey } from '#lib/auth/api-key-principal.ts';
import type { RegisteredIdSource } from '#lib/auth/registered-ids.ts';
import { ServiceError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import { injectFetch } from '#lib/http/upstream/service-fetch.ts';
import { makeSite } from '#services/dispatch/testing/site.ts';
import { startTestEngine } from '#test/support/engine/engine.ts';
import { makePrincipal } from '#test/support/http-app.ts';
import { asService, SERVICE, startIdentity } from '#test/support/identity/identity.ts';
import { makePatient, makeProfessional } from '#test/support/identity/identity-people.ts';

const identity = await startIdentity({ after });
const people = await Promise.all([makePatient(identity), makePatient(identity), makePatient(identity)]);
const professional = await makeProfessional(identity);
const { rows: known } = await identity.database.query<{ guid: string; organisation: string }>(
  'SELECT patient_guid AS guid, organisation_guid AS organisation FROM patient ORDER BY patient_guid',
);
const { rows: staff } = await identity.database.query<{ guid: string }>(
  'SELECT professional_guid AS guid FROM professional p JOIN professional_organisation o USING (user_guid) WHERE organisation_guid = $1',
  [professional.organisationGuid],
);
const { rows: groups } = await identity.database.query<{ guid: string }>(
  'SELECT group_guid AS guid FROM care_group LIMIT 1',
);
const [first, second, third] = known.map(({ guid, organisation }) => ({ guid, organisation }));
assert.ok(first !== undefined && second !== undefined && third !== undefined && people.length === 3);
const practitioner = staff[0]?.guid ?? '';
const group = groups[0]?.guid ?? '';

const client = createIdentityClient({ fetch: injectFetch(() => identity.app), credentials: SERVICE });
let isDown = false;
let asked = 0;
const registeredIds: RegisteredIdSource = async (guids) => {
  asked += 1;
  if (isDown) throw new ServiceError('upstream_unavailable', 'Identity cannot be reached in this test');
  return client.registeredIds(guids);
};

const phases = new Set(['planning', 'analysis']);
const roles = ['professional', 'clinician'] as const;
const callers = {
  own: makePrincipal(roles, { phases, organisationGuids: [first.organisation, professional.organisationGuid] }),
  other: makePrincipal(roles, { phases, organisationGuids: [newGuid()] }),
  wide: principalOfKey({ keyGuid: newGuid(), scopes: ['system/*.cruds'] }),
};
const { call } = await startTestEngine({ after }, { callers, registeredIds });
const dispatch = await makeSite({ after }, callers, { registeredIds });

const patient = (id: string) => ({ resourceType: 'Patient', id, active: true });
const bundle = (type: string, id: string) => ({
  resourceType: 'Bundle',
  type,
  entry: [{ request: { method: 'PUT', url: `Patient/${id}` }, resource: patient(id) }],
});

test('identity reports registered guids to services only, and without names', async () => {
  const url = '/api/auth/registered-ids';
  const payload = { guids: [first.guid, practitioner, professional.organisationGuid, group, newGuid()] };
  const answer = await identity.app.inject({ method: 'POST', url, headers: asService, payload });
  assert.deepEqual(
    answer
      .json()
      .ids.map((each: { type: string; organisation_guids: string[] }) => [each.type, each.organisation_guids]),
    [
      ['Patient', [first.organisation]],
      ['Practitioner', [professional.organisationGuid]],
      ['Organization', [professional.organisationGuid]],
      ['Group', []],
    ],
  );
  for (const headers of [{}, professional.headers, await identity.asAdmin()]) {
    const refused = await identity.app.inject({ method: 'POST', url, headers, payload });
    assert.ok([401, 403].includes(refused.statusCode), refused.payload);
  }
});

test('no way of writing at the engine makes a resource under the id of somebody else’s patient', async () => {
  const { guid } = first;
  for (const caller of ['other', 'wide']) {
    const answers = [
      await call(caller, 'PUT', `/Patient/${guid}`, patient(guid)),
      await call(caller, 'PUT', '/Patient?identifier=urn:none|1', patient(guid)),
      await call(caller, 'POST', '/', bundle('transaction', guid)),
    ];
    for (const { status, text } of answers) assert.equal(status, 404, text);
    const batch = await call(caller, 'POST', '/', bundle('batch', guid));
    assert.equal(batch.body.entry[0].response.status.slice(0, 3), '404', batch.text);
  }
  assert.equal((await call('admin', 'GET', `/Patient/${guid}`)).status, 404);
  // It is answered as one that is there and hidden.
  assert.equal((await call('own', 'PUT', `/Patient/${guid}`, patient(guid))).status, 201);
  const [hidden, registered] = [
    await call('other', 'PUT', `/Patient/${guid}`, patient(guid)),
    await call('other', 'PUT', `/Patient/${second.guid}`, patient(second.guid)),
  ];
  assert.equal(hidden.text.replaceAll(guid, 'x'), registered.text.replaceAll(second.guid, 'x'));
});

test('nor of a professional, an organisation or a group; their own organisation may', async () => {
  for (const [type, guid, body] of [
    ['Practitioner', practitioner, {}],
    ['Organization', professional.organisationGuid, { name: 'x' }],
    ['Group', group, { type: 'person', membership: 'definitional' }],
  ] as const) {
    const resource = { resourceType: type, id: guid, ...body };
    assert.equal((await call('other', 'PUT', `/${type}/${guid}`, resource)).status, 404, type);
    const own = await call('own', 'PUT', `/${type}/${guid}`, resource);
    assert.equal(own.status, type === 'Group' ? 404 : 201, own.text);
    assert.equal((await call('admin', 'PUT', `/${type}/${guid}`, resource)).status, type === 'Group' ? 201 : 200, type);
  }
});

test('nor at dispatch', async () => {
  const { guid } = second;
  const refused = await dispatch.call('PUT', `Patient/${guid}`, { as: 'other', body: patient(guid) });
  assert.equal(refused.status, 404, refused.text);
  const admin = await dispatch.call('PUT', `Patient/${guid}`, { as: 'admin', body: patient(guid) });
  assert.equal(admin.status, 201, admin.text);
  const own = await dispatch.call('PUT', `Patient/${first.guid}`, { as: 'own', body: patient(first.guid) });
  assert.equal(own.status, 201, own.text);
});

test('ids that identity has not given out are free, and what is there is written without asking', async () => {
  const [free, random] = [newGuid(), '5f0c5d1e-6a3b-4c0e-9a57-3f2d1b0a9c8e'];
  assert.equal((await call('other', 'PUT', `/Patient/${free}`, patient(free))).status, 201);
  const before = asked;
  assert.equal((await call('other', 'PUT', `/Patient/${free}`, { ...patient(free), active: false })).status, 200);
  assert.equal((await call('other', 'PUT', `/Patient/${random}`, patient(random))).status, 201);
  assert.equal((await call('other', 'PUT', '/Patient/local-7', patient('local-7'))).status, 201);
  assert.equal((await call('admin', 'PUT', `/Patient/${third.guid}`, patient(third.guid))).status, 201);
  assert.equal(asked, before);
});

test('while identity cannot be reached nobody makes a resource under an id that may be its own', async () => {
  isDown = true;
  const [id, later] = [newGuid(), newGuid()];
  assert.equal((await call('other', 'PUT', `/Patient/${id}`, patient(id))).status, 503);
  assert.equal((await call('other', 'POST', '/', bundle('transaction', id))).status, 503);
  assert.equal((await dispatch.call('PUT', `Patient/${id}`, { as: 'other', body: patient(id) })).status, 503);
  assert.equal((await call('other', 'PUT', '/Patient/local-8', patient('local-8'))).status, 201);
  isDown = false;
  assert.equal((await call('other', 'PUT', `/Patient/${later}`, patient(later))).status, 201);
  assert.equal((await call('other', 'PUT', `/Patient/${id}`, patient(id))).status, 201);
});
