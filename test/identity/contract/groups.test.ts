// The rows of /api/groups (contract: identity, Groups; decisions I8 and I9).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { HOUR_MS } from '#lib/clock.ts';
import { handClock } from '#test/support/identity/identity.ts';
import { startContract } from '#test/support/identity/identity-contract.ts';
import { makePatient, makeProfessional } from '#test/support/identity/identity-people.ts';
import { GUID, OFFSET_TIME, PLAIN_TIME } from '#test/support/shape.ts';

const UNKNOWN = '01900000-0000-7000-8000-000000000000';
const clock = handClock();
const contract = await startContract({ after }, { clock, config: { tokenTtlSeconds: 86_400 } });
const { identity, su, ask, expect, refuse, makeGroup, makeAsker, makeMember } = contract;
const JOIN = 'POST /api/groups/request-membership';
const LEAD = 'POST /api/groups/request-admin';
const PENDING = 'GET /api/groups/admin/pending';
const DECIDE = 'POST /api/groups/admin/decide';
const INVITE = 'POST /api/groups/admin/invite';
const USE_INVITE = 'POST /api/groups/join-by-invite';
const here = await makeGroup();
const elsewhere = await makeGroup();
const patient = await makePatient(identity);
const stranger = await makeProfessional(identity);
const invite = async (body: object = {}) =>
  (await ask(INVITE, { as: here.leader, body: { group_guid: here.groupGuid, ...body } })).body;

test('GET /api/groups: 200, the approved memberships as Group', async () => {
  const member = await makeMember(here.groupGuid);
  await ask(JOIN, { as: member, body: { group_guid: elsewhere.groupGuid } });
  const group = {
    resourceType: 'Group',
    group_guid: here.groupGuid,
    name: here.name,
    group_type: 'team',
    is_admin: false,
    membership_status: 'approved',
  };
  await expect('GET /api/groups', { as: member }, 200, [group]);
  await expect('GET /api/groups', { as: here.leader }, 200, [{ ...group, is_admin: true }]);
  await expect('GET /api/groups', { as: stranger }, 200, []);
});

test('request-membership: 201 {membership_guid, group_guid, status}', async () => {
  const body = { group_guid: here.groupGuid };
  const as = await makeProfessional(identity);
  await expect(JOIN, { as, body }, 201, { membership_guid: GUID, ...body, status: 'pending' });
});

test('request-membership: 404 not_found for no group', async () => {
  for (const group_guid of [UNKNOWN, 'none'])
    await refuse(JOIN, { as: stranger, body: { group_guid } }, 404, 'not_found');
});

test('request-membership: 409 conflict for a membership that is pending, approved or rejected', async () => {
  const body = { group_guid: here.groupGuid };
  const asker = await makeAsker(here.groupGuid);
  await refuse(JOIN, { as: asker, body }, 409, 'conflict');
  await refuse(JOIN, { as: await makeMember(here.groupGuid), body }, 409, 'conflict');
  await ask(DECIDE, { as: su, body: { membership_guid: asker.membershipGuid, decision: 'rejected' } });
  await refuse(JOIN, { as: asker, body }, 409, 'conflict');
});

test('request-admin: 201 {leader_request_guid, group_guid, status}', async () => {
  const body = { group_guid: elsewhere.groupGuid };
  const as = await makeProfessional(identity);
  await expect(LEAD, { as, body }, 201, { leader_request_guid: GUID, ...body, status: 'pending' });
});

test('request-admin: 404 for no group, 409 for its admin and while a request is open; after a rejection one may ask again', async () => {
  const body = { group_guid: here.groupGuid };
  for (const group_guid of [UNKNOWN, 'none'])
    await refuse(LEAD, { as: stranger, body: { group_guid } }, 404, 'not_found');
  await refuse(LEAD, { as: here.leader, body }, 409, 'conflict');
  const asked = await ask(LEAD, { as: stranger, body });
  await refuse(LEAD, { as: stranger, body }, 409, 'conflict');
  const decision = { leader_request_guid: asked.body.leader_request_guid, decision: 'rejected' };
  await ask('POST /api/admin/leader-requests', { as: su, body: decision });
  assert.equal((await ask(LEAD, { as: stranger, body })).status, 201);
});

test('pending: 200, the items of the group that the caller administers', async () => {
  const group = await makeGroup();
  const asker = await makeAsker(group.groupGuid);
  await makeAsker(elsewhere.groupGuid);
  const item = {
    membership_guid: asker.membershipGuid,
    user_guid: asker.userGuid,
    user_email: asker.email,
    group_guid: group.groupGuid,
    group_name: group.name,
    status: 'pending',
    created_at: PLAIN_TIME,
  };
  const { body } = await expect(PENDING, { as: group.leader }, 200, [item]);
  assert.ok(Math.abs(Date.parse(`${body[0].created_at}Z`) - clock.now()) < 60_000, 'in UTC');
});

test('pending: 200 for an SU admin, all groups', async () => {
  const { body } = await ask(PENDING, { as: su });
  const groups = new Set(body.map((item: { group_guid: string }) => item.group_guid));
  assert.ok(groups.has(here.groupGuid) && groups.has(elsewhere.groupGuid));
});

test('pending: 403 forbidden for who administers nothing, 401 without a token', async () => {
  for (const as of [stranger, patient]) await refuse(PENDING, { as }, 403, 'forbidden');
  await refuse(PENDING, {}, 401, 'unauthorized');
});

for (const status of ['approved', 'rejected'] as const) {
  test(`decide: 200 {membership_guid, status, decided_by}, ${status} by the group’s admin and by an SU admin`, async () => {
    const suGuid = (await ask('GET /api/auth/me', { as: su })).body.user_guid;
    for (const [as, decided_by] of [
      [here.leader, here.leader.userGuid],
      [su, suGuid],
    ] as const) {
      const { membershipGuid: membership_guid } = await makeAsker(here.groupGuid);
      const body = { membership_guid, decision: status };
      await expect(DECIDE, { as, body }, 200, { membership_guid, status, decided_by });
    }
  });
}

test('decide: 404, 403 another group’s admin, 409 decided already, 400 another literal', async () => {
  const { membershipGuid: membership_guid } = await makeAsker(here.groupGuid);
  const body = { membership_guid, decision: 'approved' };
  for (const guid of [UNKNOWN, 'none']) {
    await refuse(DECIDE, { as: here.leader, body: { ...body, membership_guid: guid } }, 404, 'not_found');
  }
  for (const as of [elsewhere.leader, stranger, patient]) await refuse(DECIDE, { as, body }, 403, 'forbidden');
  for (const decision of ['approve', 'pending', 'Approved', '', null]) {
    await refuse(DECIDE, { as: here.leader, body: { membership_guid, decision } }, 400, 'validation_error');
  }
  assert.equal((await ask(DECIDE, { as: here.leader, body })).status, 200);
  for (const decision of ['approved', 'rejected']) {
    await refuse(DECIDE, { as: here.leader, body: { membership_guid, decision } }, 409, 'conflict');
  }
});

test('invite: 201 {invite_guid, token, group_guid, expires_at} with an offset', async () => {
  const body = { group_guid: here.groupGuid, hours_valid: 5 };
  for (const as of [here.leader, su]) {
    const made = await expect(INVITE, { as, body }, 201, {
      invite_guid: GUID,
      token: /^[\w-]{43,}$/,
      group_guid: here.groupGuid,
      expires_at: OFFSET_TIME,
    });
    const lifetime = Date.parse(made.body.expires_at) - clock.now();
    assert.ok(Math.abs(lifetime - 5 * HOUR_MS) < 60_000);
  }
});

test('invite: 72 hours when not said, 1 to 720, whole ones', async () => {
  assert.ok(Math.abs(Date.parse((await invite()).expires_at) - clock.now() - 72 * HOUR_MS) < 60_000);
  const call = (hours_valid: unknown) => ({ as: here.leader, body: { group_guid: here.groupGuid, hours_valid } });
  for (const hours of [1, 720]) assert.equal((await ask(INVITE, call(hours))).status, 201);
  for (const hours of [0, -1, 721, 1.5, '5', null]) await refuse(INVITE, call(hours), 400, 'validation_error');
});

test('invite: 404 no such group, 403 another group’s admin and members', async () => {
  const body = { group_guid: here.groupGuid };
  for (const group_guid of [UNKNOWN, 'none']) await refuse(INVITE, { as: su, body: { group_guid } }, 404, 'not_found');
  for (const as of [elsewhere.leader, await makeMember(here.groupGuid), stranger, patient]) {
    await refuse(INVITE, { as, body }, 403, 'forbidden');
  }
});

test('join-by-invite: 201 {membership_guid, group_guid, status}, for many', async () => {
  const { token } = await invite();
  for (let joined = 0; joined < 3; joined += 1) {
    const as = await makeProfessional(identity);
    const shape = { membership_guid: GUID, group_guid: here.groupGuid, status: 'pending' };
    await expect(USE_INVITE, { as, body: { token } }, 201, shape);
  }
});

test('join-by-invite: 404 not_found for an invalid token', async () => {
  const { token } = await invite();
  for (const wrong of ['nonsense', `${token}x`, token.slice(1)]) {
    await refuse(USE_INVITE, { as: stranger, body: { token: wrong } }, 404, 'not_found');
  }
});

test('join-by-invite: 409 conflict for a member, and for one who waits or was rejected', async () => {
  const body = { token: (await invite()).token };
  const asker = await makeAsker(here.groupGuid);
  for (const as of [await makeMember(here.groupGuid), here.leader, asker])
    await refuse(USE_INVITE, { as, body }, 409, 'conflict');
  await ask(DECIDE, { as: su, body: { membership_guid: asker.membershipGuid, decision: 'rejected' } });
  await refuse(USE_INVITE, { as: asker, body }, 409, 'conflict');
});

test('join-by-invite: 410 expired when its time is over, and not before', async () => {
  const { token } = await invite({ hours_valid: 1 });
  clock.advance(HOUR_MS - 60_000);
  const as = await makeProfessional(identity);
  assert.equal((await ask(USE_INVITE, { as, body: { token } })).status, 201);
  clock.advance(60_000);
  await refuse(USE_INVITE, { as: await makeProfessional(identity), body: { token } }, 410, 'expired');
});

test('proposals: 201 {proposal_guid, name, group_type, status} for every type of group', async () => {
  for (const group_type of ['phase', 'team', 'organisation', 'quality_registry']) {
    const body = { name: `Proposed ${group_type}`, group_type, description: 'What for' };
    const shape = { proposal_guid: GUID, name: body.name, group_type, status: 'pending' };
    await expect('POST /api/groups/proposals', { as: stranger, body }, 201, shape);
  }
});

test('proposals: 400 validation_error names name and group_type', async () => {
  const invalid = await refuse('POST /api/groups/proposals', { as: stranger, body: {} }, 400, 'validation_error');
  assert.deepEqual(invalid.body.messages.length, 2);
  const body = { name: 'Right', group_type: 'club' };
  await refuse('POST /api/groups/proposals', { as: stranger, body }, 400, 'validation_error');
});

test('proposals: 409 conflict for the name of a group or of an open proposal of the type, whatever its case', async () => {
  const body = { name: here.name.toUpperCase(), group_type: 'team' };
  await refuse('POST /api/groups/proposals', { as: stranger, body }, 409, 'conflict');
  const open = { name: 'Asked twice', group_type: 'team' };
  assert.equal((await ask('POST /api/groups/proposals', { as: stranger, body: open })).status, 201);
  await refuse('POST /api/groups/proposals', { as: stranger, body: open }, 409, 'conflict');
});

for (const address of ['GET /api/groups', JOIN, LEAD, USE_INVITE, 'POST /api/groups/proposals']) {
  test(`${address}: 401 without a token, 403 forbidden for a patient`, async () => {
    const body = address.startsWith('POST') ? { body: {} } : {};
    await refuse(address, body, 401, 'unauthorized');
    await refuse(address, { as: patient, ...body }, 403, 'forbidden');
  });
}

for (const [address, fields] of [
  [JOIN, ['group_guid']],
  [LEAD, ['group_guid']],
  [DECIDE, ['membership_guid', 'decision']],
  [INVITE, ['group_guid']],
  [USE_INVITE, ['token']],
] as const) {
  test(`${address}: 400 validation_error names ${fields.join(' and ')}, and what it does not know`, async () => {
    const { body } = await refuse(address, { as: here.leader, body: { surplus: 1 } }, 400, 'validation_error');
    const expected = [...fields.map((field) => `'${field}' is required`), "'surplus' is not a known field"];
    assert.deepEqual([...body.messages].sort(), expected.sort());
  });
}
