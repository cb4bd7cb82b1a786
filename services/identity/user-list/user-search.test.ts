// Users found by administrators, one user with sessions, and what a deletion would touch.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startIdentity } from '#test/support/identity/identity.ts';
import { auditedEvents, makePatient, makeProfessional } from '#test/support/identity/identity-people.ts';

const identity = await startIdentity({ after });
const { app, database } = identity;
const admin = await identity.asAdmin();
const get = async (url: string, status = 200) => {
  const response = await app.inject({ url, headers: admin });
  assert.equal(response.statusCode, status, response.body);
  return response.json();
};
const search = (query: Record<string, string>) => get(`/api/admin/user-search?${new URLSearchParams(query)}`);
const emailsOf = (page: { data: { email: string }[] }) => page.data.map(({ email }) => email);

const leader = await makeProfessional(identity, ['planning']);
const member = await makeProfessional(identity);
const patient = await makePatient(identity);
await database.query(`UPDATE app_user SET first_name = 'Åsa', last_name = 'Öberg' WHERE user_guid = $1`, [
  member.userGuid,
]);

test('by a part of name or address, by guid, and by what they are', async () => {
  assert.deepEqual(emailsOf(await search({ search: 'åsa öb' })), [member.email]);
  assert.deepEqual(emailsOf(await search({ search: member.email.toUpperCase() })), [member.email]);
  assert.deepEqual(emailsOf(await search({ search: leader.userGuid })), [leader.email]);
  assert.deepEqual(emailsOf(await search({ search: patient.answer.patient_guid })), [patient.answer.email]);
  assert.deepEqual(emailsOf(await search({ user_type: 'patient' })), [patient.answer.email]);
  assert.equal((await search({ state: 'su_admin' })).total, 1);
  assert.deepEqual(emailsOf(await search({ organisation_guid: member.organisationGuid })), [member.email]);
  const groups = (await app.inject('/api/public/groups')).json();
  const planning = groups.find(({ name }: { name: string }) => name === 'planning');
  assert.deepEqual(emailsOf(await search({ group_guid: planning.group_guid })), [leader.email]);
  assert.deepEqual(await search({ group_guid: 'none' }), { data: [], page: 1, per_page: 20, total: 0 });
  assert.equal((await search({ search: '%' })).total, 0);
});

test('in the order of names, page by page, and blocked ones by themselves', async () => {
  const all = await search({ user_type: 'professional' });
  assert.equal(all.data.at(-1).last_name, 'Öberg');
  const second = await search({ user_type: 'professional', per_page: '1', page: '2' });
  assert.deepEqual([second.total, emailsOf(second)], [3, [all.data[1].email]]);
  const post = (action: string) =>
    app.inject({ method: 'POST', url: `/api/admin/users/${member.userGuid}/${action}`, headers: admin });
  await post('block');
  assert.deepEqual(emailsOf(await search({ state: 'blocked' })), [member.email]);
  assert.ok(!emailsOf(await search({ state: 'active' })).includes(member.email));
  await post('unblock');
  assert.equal((await search({ state: 'blocked' })).total, 0);
});

test('one user has second factor and sessions; 404 for who is not there', async () => {
  const user = await get(`/api/admin/users/${leader.userGuid}`);
  assert.deepEqual([user.email, user.second_factor_since, user.must_change_password], [leader.email, null, false]);
  assert.equal(user.professional.memberships[0].group_name, 'planning');
  assert.deepEqual([user.sessions.length, user.sessions[0].current], [1, false]);
  await get(`/api/admin/users/${leader.organisationGuid}`, 404);
  await get('/api/admin/users/none', 404);
  await get('/api/admin/users/none/deletion', 404);
  assert.ok((await auditedEvents(identity)).includes('user.read'));
});

test('what a deletion would touch', async () => {
  const as = { headers: leader.headers };
  const { proposal_guid } = (
    await app.inject({
      method: 'POST',
      url: '/api/groups/proposals',
      ...as,
      payload: { name: 'Wound care', group_type: 'team' },
    })
  ).json();
  const payload = { proposal_guid, decision: 'approved' };
  await app.inject({ method: 'POST', url: '/api/admin/group-proposals', headers: admin, payload });
  await app.inject({
    method: 'POST',
    url: '/api/groups/proposals',
    ...as,
    payload: { name: 'Night team', group_type: 'team' },
  });
  const touched = await get(`/api/admin/users/${leader.userGuid}/deletion`);
  assert.deepEqual(
    [touched.memberships, touched.led_groups, touched.open_requests, touched.sessions],
    [2, ['Wound care'], 1, 1],
  );
  const [suAdmin] = (await search({ state: 'su_admin' })).data;
  assert.ok((await get(`/api/admin/users/${suAdmin.user_guid}/deletion`)).decisions >= 3);
  const ofPatient = await get(`/api/admin/users/${patient.answer.user_guid}/deletion`);
  assert.deepEqual([ofPatient.memberships, ofPatient.proxies, ofPatient.linked_records], [0, 0, 0]);
});
