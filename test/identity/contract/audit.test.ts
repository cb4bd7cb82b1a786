// Every decision, sign-in, and access to personal data leaves one audit event with its agent and its outcome (decision
// G9).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ADMIN } from '#test/support/identity/identity.ts';
import { type ContractCall, startContract } from '#test/support/identity/identity-contract.ts';
import {
  accessRequestBody,
  makePatient,
  makeProfessional,
  nextEmail,
  PASSWORD,
  registration,
} from '#test/support/identity/identity-people.ts';
import { createIdentityRecords } from '#test/support/identity/identity-records.ts';

const { identity, su, ask, makeGroup, makeAsker, makeMember } = await startContract({ after });
const records = createIdentityRecords(identity.database);
const group = await makeGroup();
const professional = await makeProfessional(identity);
const patient = await makePatient(identity);
const guidOf = async (as: ContractCall['as']): Promise<string> =>
  (await ask('GET /api/auth/me', { as })).body.user_guid;

interface Act {
  readonly address: string;
  readonly call: ContractCall;
}

const byGroupGuid = { group_guid: group.groupGuid };
const accessDecision = (decision: string) => async () => ({
  address: 'POST /api/admin/access-requests',
  call: { as: su, body: { access_request_guid: await records.accessRequest(), decision } },
});
const proposalDecision = (decision: string) => async () => ({
  address: 'POST /api/admin/group-proposals',
  call: { as: su, body: { proposal_guid: await records.proposal(), decision } },
});
const leaderDecision = (decision: string) => async () => ({
  address: 'POST /api/admin/leader-requests',
  call: { as: su, body: { leader_request_guid: await records.leaderRequest(group.groupGuid), decision } },
});
const membershipDecision = (decision: string) => async () => ({
  address: 'POST /api/groups/admin/decide',
  call: { as: group.leader, body: { membership_guid: (await makeAsker(group.groupGuid)).membershipGuid, decision } },
});
const reading =
  (address: string, as: ContractCall['as'] = su) =>
  async () => ({ address, call: { as } });

/** The action, its event and its outcome. */
const ACTS: readonly (readonly [event: string, outcome: 'success' | 'error', act: () => Promise<Act>])[] = [
  ['user.sign-in', 'success', async () => ({ address: 'POST /api/auth/login', call: { body: ADMIN } })],
  [
    'user.sign-in',
    'error',
    async () => ({ address: 'POST /api/auth/login', call: { body: { ...ADMIN, email: nextEmail() } } }),
  ],
  [
    'user.sign-out',
    'success',
    async () => ({ address: 'POST /api/auth/logout', call: { as: { headers: await identity.asAdmin() } } }),
  ],
  [
    'user.change-password',
    'success',
    async () => ({
      address: 'POST /api/auth/change-password',
      call: {
        as: await makeProfessional(identity),
        body: { current_password: PASSWORD, new_password: 'a newer phrase' },
      },
    }),
  ],
  [
    'user.change-password',
    'error',
    async () => ({
      address: 'POST /api/auth/change-password',
      call: { as: professional, body: { current_password: 'wrong', new_password: 'a newer phrase' } },
    }),
  ],
  [
    'patient.register',
    'success',
    async () => ({
      address: 'POST /api/patient/register',
      call: { body: registration(patient.organisation_guid) },
    }),
  ],
  ['registry-status.read', 'success', reading('GET /api/patient/registry-status', patient)],
  [
    'patient.registries',
    'success',
    async () => ({
      address: `PUT /api/admin/patients/${patient.answer.patient_guid}/registries`,
      call: { as: su, body: { registries: ['NDR'] } },
    }),
  ],
  [
    'access-request.submit',
    'success',
    async () => ({ address: 'POST /api/public/access-request', call: { body: await accessRequestBody(identity) } }),
  ],
  ['access-request.endorsed', 'success', accessDecision('endorsed')],
  ['access-request.approved', 'success', accessDecision('approved')],
  ['access-request.rejected', 'success', accessDecision('rejected')],
  ['access-requests.list', 'success', reading('GET /api/admin/access-requests')],
  [
    'membership.request',
    'success',
    async () => ({
      address: 'POST /api/groups/request-membership',
      call: { as: await makeProfessional(identity), body: byGroupGuid },
    }),
  ],
  [
    'membership.request',
    'success',
    async () => ({
      address: 'POST /api/groups/join-by-invite',
      call: { as: professional, body: { token: await records.invite() } },
    }),
  ],
  ['membership.approved', 'success', membershipDecision('approved')],
  ['membership.rejected', 'success', membershipDecision('rejected')],
  ['memberships.list-pending', 'success', reading('GET /api/groups/admin/pending', group.leader)],
  [
    'group.invite',
    'success',
    async () => ({ address: 'POST /api/groups/admin/invite', call: { as: group.leader, body: byGroupGuid } }),
  ],
  [
    'leader-request.submit',
    'success',
    async () => ({ address: 'POST /api/groups/request-admin', call: { as: professional, body: byGroupGuid } }),
  ],
  ['leader-request.approved', 'success', leaderDecision('approved')],
  ['leader-request.rejected', 'success', leaderDecision('rejected')],
  ['leader-requests.list', 'success', reading('GET /api/admin/leader-requests')],
  [
    'group-proposal.submit',
    'success',
    async () => ({
      address: 'POST /api/groups/proposals',
      call: { as: professional, body: { name: nextEmail(), group_type: 'team' } },
    }),
  ],
  ['group-proposal.approved', 'success', proposalDecision('approved')],
  ['group-proposal.rejected', 'success', proposalDecision('rejected')],
  ['group-proposals.list', 'success', reading('GET /api/admin/group-proposals')],
  [
    'group.assign-admin',
    'success',
    async () => {
      const { userGuid } = await makeMember(group.groupGuid);
      return {
        address: 'POST /api/admin/assign-group-admin',
        call: { as: su, body: { user_guid: userGuid, ...byGroupGuid } },
      };
    },
  ],
  [
    'group.delete',
    'success',
    async () => ({ address: `DELETE /api/admin/groups/${await records.group()}`, call: { as: su } }),
  ],
  [
    'user.delete',
    'success',
    async () => ({ address: `DELETE /api/admin/users/${await records.professional()}`, call: { as: su } }),
  ],
  [
    'user.promote-su',
    'success',
    async () => ({
      address: 'POST /api/admin/promote-su',
      call: { as: su, body: { user_guid: await records.professional(), password: ADMIN.password } },
    }),
  ],
  [
    'user.promote-su',
    'error',
    async () => ({
      address: 'POST /api/admin/promote-su',
      call: { as: su, body: { user_guid: await records.professional(), password: 'wrong' } },
    }),
  ],
  ['users.list', 'success', reading('GET /api/admin/users')],
  ['users.export', 'success', reading('GET /api/admin/export-users')],
  [
    'organisation.create',
    'success',
    async () => ({ address: 'POST /api/admin/organisations', call: { as: su, body: { name: nextEmail() } } }),
  ],
  [
    'service-registry.replace',
    'success',
    async () => ({ address: 'PUT /api/admin/oath-overview', call: { as: su, body: [] } }),
  ],
];

interface Recorded {
  readonly guid: string;
  readonly resource: string;
}

async function recorded(): Promise<Recorded[]> {
  const text = 'SELECT event_guid AS guid, resource FROM audit_event ORDER BY event_guid';
  return (await identity.database.query<Recorded>(text)).rows;
}

for (const [event, outcome, prepare] of ACTS) {
  test(`${event}, ${outcome}: one event, with its actor, its address and its outcome`, async () => {
    const { address, call } = await prepare();
    const actor = call.as === undefined ? undefined : await guidOf(call.as);
    const before = new Set((await recorded()).map(({ guid }) => guid));
    const answer = await ask(address, call);
    assert.equal(answer.status < 300 ? 'success' : 'error', outcome, answer.text);
    const news = (await recorded()).filter(({ guid }) => !before.has(guid)).map(({ resource }) => JSON.parse(resource));
    const [found, ...more] = news.filter(({ code }) => code.coding[0].code === event);
    assert.ok(found !== undefined && more.length === 0, `one ${event} among ${JSON.stringify(news)}`);
    assert.equal(found.resourceType, 'AuditEvent');
    assert.equal(found.outcome.code.code, outcome);
    assert.match(found.recorded, /Z$/);
    const text = JSON.stringify(found);
    if (actor !== undefined) assert.equal(found.agent[0].who.identifier.value, actor);
    assert.ok(text.includes('127.0.0.1'), 'from where');
    for (const secret of [ADMIN.password, PASSWORD, patient.personnummer, 'a newer phrase']) {
      assert.ok(!text.includes(secret), 'no secret');
    }
  });
}
