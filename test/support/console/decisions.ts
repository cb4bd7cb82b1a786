// What waits for a decision in the browser test of leaders and administrators: two memberships, a group, a leader, and
// three requests for access.
import { admitProfessional, PASSWORD } from '#test/end-to-end/accounts.ts';
import { call } from '#test/end-to-end/call.ts';
import type { ConsoleScene } from './scene.ts';

/** Makes the requests; returns the group that the planner leads. */
export async function fillDecisions(scene: ConsoleScene): Promise<{ readonly group: string }> {
  const { addresses, accounts } = scene;
  const { identity } = addresses;
  const as = { token: accounts.admin };
  const proposal = { name: 'Sårvård <i>', group_type: 'team' };
  const proposed = await call(`${identity}/api/groups/proposals`, {
    token: accounts.planner,
    json: proposal,
    expect: 201,
  });
  const { body: group } = await call(`${identity}/api/admin/group-proposals`, {
    ...as,
    json: { proposal_guid: proposed.body.proposal_guid, decision: 'approved' },
  });
  for (const [email, first, last] of [
    ['eva.holm@example.org', 'Eva', 'Holm'],
    ['nils.ek@example.org', 'Nils', 'O’Ek <b>'],
  ] as const) {
    const applicant = {
      email,
      name: [first, last],
      role: 'nurse',
      organisation: accounts.organisationGuid,
      phases: [],
    };
    const token = await admitProfessional(addresses, accounts.admin, { ...applicant, name: [first, last] });
    const json = { group_guid: group.group_guid };
    await call(`${identity}/api/groups/request-membership`, { token, json, expect: 201 });
  }
  const planner = {
    token: accounts.stranger,
    json: { name: 'Nattpatrullen', group_type: 'team', description: 'Nätter' },
  };
  await call(`${identity}/api/groups/proposals`, { ...planner, expect: 201 });
  await call(`${identity}/api/groups/request-admin`, {
    token: accounts.stranger,
    json: { group_guid: group.group_guid },
    expect: 201,
  });
  const leaders = (await call(`${identity}/api/public/group-leaders`)).body;
  for (const last of ['Alm', 'Borg', 'Cederlund']) await ask(scene, last, leaders[0].user_guid);
  return { group: group.group_guid };
}

async function ask(scene: ConsoleScene, last: string, leader: string): Promise<void> {
  const json = {
    email: `${last}@example.org`,
    password: PASSWORD,
    first_name: 'Ada',
    last_name: last,
    professional_role: 'doctor',
    organisation_guid: scene.accounts.organisationGuid,
    requested_phases: ['planning', 'analysis'],
    chosen_leader_guid: leader,
  };
  await call(`${scene.addresses.identity}/api/public/access-request`, { json, expect: 201 });
}
