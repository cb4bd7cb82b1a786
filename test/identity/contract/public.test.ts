// The rows of /api/public and /api/health (contract: identity, Public and Health; decisions G5, I11 and I12).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startContract } from '#test/support/identity/identity-contract.ts';
import {
  accessRequestBody,
  makeOrganisation,
  makePatient,
  makeProfessional,
} from '#test/support/identity/identity-people.ts';
import { GUID } from '#test/support/shape.ts';

const UNKNOWN = '01900000-0000-7000-8000-000000000000';
const ASK = 'POST /api/public/access-request';
const { identity, su, ask, expect, refuse, makeGroup } = await startContract({ after });
const form = (phases: readonly string[] = []) => accessRequestBody(identity, phases);

test('health: 200 {status, database, version}', async () => {
  await expect('GET /api/health', {}, 200, { status: 'ok', database: 'connected', version: '1.2.3' });
});

test('organisations: 200, {organisation_guid, name} of each', async () => {
  const guid = await makeOrganisation(identity);
  const { body } = await expect('GET /api/public/organisations', {}, 200, [{ organisation_guid: GUID, name: /./ }]);
  assert.ok(body.some((item: { organisation_guid: string }) => item.organisation_guid === guid));
});

test('groups: 200, {group_guid, name, group_type} of each, the four phases from the start', async () => {
  await makeGroup();
  const item = { group_guid: /^[0-9a-f-]{36}$/, name: /./, group_type: /^(phase|team|organisation|quality_registry)$/ };
  const { body } = await expect('GET /api/public/groups', {}, 200, [item]);
  const phases = body.filter((group: { group_type: string }) => group.group_type === 'phase');
  const names = phases.map((group: { name: string }) => group.name).sort();
  assert.deepEqual(names, ['analysis', 'execution', 'followup', 'planning']);
});

test('group-leaders: 200, group admins and SU admins, and nobody else', async () => {
  const { leader } = await makeGroup();
  const member = await makeProfessional(identity, ['planning']);
  const patient = await makePatient(identity);
  const item = { user_guid: GUID, first_name: String, last_name: String, is_su_admin: Boolean };
  const { body } = await expect('GET /api/public/group-leaders', {}, 200, [item]);
  const listed = new Map(
    body.map((entry: { user_guid: string; is_su_admin: boolean }) => [entry.user_guid, entry.is_su_admin]),
  );
  const suGuid = (await ask('GET /api/auth/me', { as: su })).body.user_guid;
  assert.deepEqual([listed.get(suGuid), listed.get(leader.userGuid)], [true, false]);
  assert.ok(!listed.has(member.userGuid) && !listed.has(patient.answer.user_guid));
});

for (const path of ['organisations', 'groups', 'group-leaders']) {
  test(`${path}: page and per_page answer one page with Link and X-Total-Count, and no more than 200`, async () => {
    await makeGroup();
    const all = await ask(`GET /api/public/${path}`);
    assert.equal(all.headers['x-total-count'], undefined);
    const page = await ask(`GET /api/public/${path}?page=1&per_page=1`);
    assert.deepEqual([page.body.length, page.headers['x-total-count']], [1, String(all.body.length)]);
    assert.match(String(page.headers['link']), /rel="first".*rel="next".*rel="last"/);
    for (const query of ['per_page=201', 'per_page=0', 'page=0', 'page=x', 'sort=name']) {
      await refuse(`GET /api/public/${path}?${query}`, {}, 400, 'validation_error');
    }
  });
}

test('access-request: 201 {access_request_guid, status, message}, for each role', async () => {
  for (const professional_role of ['doctor', 'nurse', 'other']) {
    const body = { ...(await form(['planning', 'analysis'])), professional_role };
    await expect(ASK, { body }, 201, { access_request_guid: GUID, status: 'pending', message: /./ });
  }
});

test('access-request: a group leader may be chosen as well as an SU admin', async () => {
  const { leader } = await makeGroup();
  const body = { ...(await form()), chosen_leader_guid: leader.userGuid };
  assert.equal((await ask(ASK, { body })).status, 201);
});

test('access-request: 400 validation_error names every missing field', async () => {
  const { body } = await refuse(ASK, { body: {} }, 400, 'validation_error');
  const fields = Object.keys(await form());
  assert.deepEqual([...body.messages].sort(), fields.map((field) => `'${field}' is required`).sort());
});

for (const [field, value] of [
  ['email', 'no address'],
  ['password', 'sju-777'],
  ['password', 'password1'],
  ['professional_role', 'surgeon'],
  ['first_name', '   '],
  ['requested_phases', 'planning'],
  ['requested_phases', ['dreaming']],
  ['is_su_admin', true],
] as const) {
  test(`access-request: 400 validation_error names ${field} for ${JSON.stringify(value)}`, async () => {
    const answer = await refuse(ASK, { body: { ...(await form()), [field]: value } }, 400, 'validation_error');
    assert.equal(answer.body.messages.length, 1);
    assert.match(answer.body.messages[0], new RegExp(`'${field}'`));
  });
}

test('access-request: 404 not_found for an unknown organisation, an unknown leader and who leads nothing', async () => {
  const { userGuid } = await makeProfessional(identity, ['planning']);
  for (const change of [
    { organisation_guid: UNKNOWN },
    { organisation_guid: 'none' },
    { chosen_leader_guid: UNKNOWN },
    { chosen_leader_guid: 'none' },
    { chosen_leader_guid: userGuid },
  ]) {
    await refuse(ASK, { body: { ...(await form()), ...change } }, 404, 'not_found');
  }
});

test('access-request: 409 conflict for the address of a user, of a patient and of an open request', async () => {
  const open = await form();
  await ask(ASK, { body: open });
  const { email } = await makeProfessional(identity);
  const patient = await makePatient(identity);
  for (const taken of [open.email, open.email.toUpperCase(), email, patient.email]) {
    await refuse(ASK, { body: { ...(await form()), email: taken } }, 409, 'conflict');
  }
});

test('access-request: an open request does not sign in', async () => {
  const body = await form();
  await ask(ASK, { body });
  const { email, password } = body;
  await refuse('POST /api/auth/login', { body: { email, password } }, 401, 'authentication_failed');
});
