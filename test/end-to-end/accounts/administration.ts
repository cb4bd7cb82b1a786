// An administrator looks after accounts: changes a user, blocks and unblocks, merges two accounts of one person. A
// leader sees the access requests that name them. All of it counts everywhere within two seconds, and is recorded.
import assert from 'node:assert/strict';
import { admitProfessional, makeOrganisation, PASSWORD } from '../accounts.ts';
import { call } from '../call.ts';
import type { Story } from '../context.ts';
import { untilStatus, userOf } from '../people.ts';

interface User {
  readonly email: string;
  readonly token: string;
  readonly guid: string;
}

export async function administratorLooksAfterUsers(story: Story): Promise<void> {
  const [user, former] = [await admit(story, 'Tora', 'Vik'), await admit(story, 'Tora', 'Vik.former')];
  await story.walk('A1', () => changesAUser(story, user));
  await story.walk('A2', () => blocksAUser(story, user));
  await story.walk('A4', () => mergesAccounts(story, user, former));
  await story.walk('A5', () => leaderSeesRequests(story));
}

async function admit({ addresses, accounts }: Story, first: string, last: string): Promise<User> {
  const email = `${first}.${last}@example.org`.toLowerCase();
  const [lastName = last] = last.split('.');
  const token = await admitProfessional(addresses, accounts.admin, {
    email,
    name: [first, lastName],
    role: 'nurse',
    organisation: accounts.organisationGuid,
    phases: ['planning'],
  });
  return { email, token, guid: await userOf(addresses, token) };
}

/** Moved to another organisation and back, and without a phase. */
async function changesAUser({ addresses, accounts }: Story, { token, guid }: User): Promise<void> {
  const { identity, dispatch } = addresses;
  const elsewhere = await makeOrganisation(addresses, accounts.admin, 'Region Väst');
  const change = (json: object) =>
    call(`${identity}/api/admin/users/${guid}`, { method: 'PATCH', token: accounts.admin, json });
  const patient = `${dispatch}/Patient/${accounts.patientGuid}`;
  await call(patient, { token });
  await change({ organisation_guids: [elsewhere], first_name: 'Thora', professional_role: 'doctor' });
  await untilStatus(404, patient, { token });
  await change({ organisation_guids: [accounts.organisationGuid] });
  await untilStatus(200, patient, { token });
  const list = `${dispatch}/notifications`;
  await untilStatus(200, list, { token });
  await change({ phases: [] });
  await untilStatus(403, list, { token });
  await change({ phases: ['planning', 'analysis'] });
  await untilStatus(200, list, { token });
  const me = (await call(`${identity}/api/auth/me`, { token })).body;
  assert.deepEqual([me.professional_role, me.effective_phases.toSorted()], ['doctor', ['analysis', 'planning']]);
  const audit = await call(`${identity}/api/admin/audit?event=user.change&user_guid=${guid}`, {
    token: accounts.admin,
  });
  assert.equal(audit.body.length, 4, 'each change is recorded');
}

async function blocksAUser({ addresses, accounts }: Story, { email, token, guid }: User): Promise<void> {
  const { identity, dispatch, engine } = addresses;
  const user = `${identity}/api/admin/users/${guid}`;
  const login = { json: { email, password: PASSWORD } };
  await call(`${user}/block`, { method: 'POST', token: accounts.admin });
  for (const url of [`${dispatch}/CarePlan`, `${engine}/Observation`]) await untilStatus(401, url, { token });
  await call(`${identity}/api/auth/login`, { ...login, expect: 401 });
  await call(`${user}/unblock`, { method: 'POST', token: accounts.admin });
  const again = (await call(`${identity}/api/auth/login`, login)).body.token;
  await untilStatus(200, `${dispatch}/CarePlan`, { token: again });
  await call(`${dispatch}/CarePlan`, { token, expect: 401 });
}

/** The former account has a membership that the other lacks; undone, each has what it had. */
async function mergesAccounts({ addresses, accounts }: Story, user: User, former: User): Promise<void> {
  const { identity, dispatch } = addresses;
  const asAdmin = { token: accounts.admin };
  const merge = `${identity}/api/admin/users/${former.guid}/merge`;
  const elsewhere = await makeOrganisation(addresses, accounts.admin, 'Region Öst');
  const change = { ...asAdmin, method: 'PATCH', json: { organisation_guids: [elsewhere] } } as const;
  await call(`${identity}/api/admin/users/${former.guid}`, change);
  const preview = (await call(`${merge}?into_user_guid=${user.guid}`, asAdmin)).body;
  assert.deepEqual([preview.is_merged, preview.organisations.length], [false, 1]);
  await call(merge, { ...asAdmin, json: { into_user_guid: user.guid } });
  await untilStatus(401, `${dispatch}/CarePlan`, former);
  const login = { json: { email: user.email, password: PASSWORD } };
  const { token } = (await call(`${identity}/api/auth/login`, login)).body;
  const organisations = async () => (await call(`${identity}/api/auth/me`, { token })).body.organization_ids.toSorted();
  assert.deepEqual(await organisations(), [accounts.organisationGuid, elsewhere].toSorted());
  await call(merge, { ...asAdmin, method: 'DELETE' });
  assert.deepEqual(await organisations(), [accounts.organisationGuid]);
  await call(`${identity}/api/auth/login`, { json: { email: former.email, password: PASSWORD } });
}

async function leaderSeesRequests(story: Story): Promise<void> {
  const { addresses, accounts } = story;
  const { identity } = addresses;
  const leader = await admit(story, 'Love', 'Lund');
  const groups = (await call(`${identity}/api/public/groups`)).body;
  const { group_guid: group } = groups.find((each: Record<string, string>) => each['name'] === 'planning');
  const appoint = { token: accounts.admin, json: { user_guid: leader.guid, group_guid: group } };
  await call(`${identity}/api/admin/assign-group-admin`, appoint);
  const request = {
    email: 'nova.sjo@example.org',
    password: PASSWORD,
    first_name: 'Nova',
    last_name: 'Sjö',
    professional_role: 'nurse',
    organisation_guid: accounts.organisationGuid,
    requested_phases: ['planning'],
    chosen_leader_guid: leader.guid,
  };
  const { body } = await call(`${identity}/api/public/access-request`, { json: request, expect: 201 });
  const seen = `${identity}/api/groups/admin/access-requests`;
  const [mine] = (await call(seen, { token: leader.token })).body;
  assert.deepEqual([mine.access_request_guid, mine.last_name], [body.access_request_guid, 'Sjö']);
  assert.deepEqual((await call(seen, { token: accounts.planner })).body, [], 'a colleague sees none of it');
  const decision = { access_request_guid: body.access_request_guid, decision: 'rejected' };
  await call(`${identity}/api/admin/access-requests`, { token: accounts.admin, json: decision });
  assert.deepEqual((await call(seen, { token: leader.token })).body, []);
}
