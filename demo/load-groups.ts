// Loads the demo's teams as groups of identity, each with its leader and members. The leader of one finds something to
// decide: somebody who asks to be a member, and somebody who asks for an account and names the leader.
import Type from 'typebox';
import { type Api, createApi, read } from './api.ts';
import {
  APPLICANT,
  CARE_TEAMS,
  type CareTeam,
  emailOf,
  PROFESSIONALS,
  type ProfessionalKey,
} from './content/people.ts';
import { applicationOf, type OrganisationGuids } from './load-people.ts';
import { forEachOf, type Progress } from './work.ts';

const Groups = Type.Object({ data: Type.Array(Type.Object({ group_guid: Type.String(), name: Type.String() })) });
const Proposals = Type.Array(Type.Object({ proposal_guid: Type.String(), name: Type.String() }));
const Approved = Type.Object({ group_guid: Type.String() });
const Pending = Type.Array(
  Type.Object({ membership_guid: Type.String(), group_guid: Type.String(), user_email: Type.String() }),
);
const Me = Type.Object({ user_guid: Type.String() });

interface GroupOptions {
  readonly identityAs: (person: ProfessionalKey) => Api;
  readonly admin: Api;
  readonly progress: Progress;
}

/** Each is proposed by its first member, who leads it once an administrator has approved. */
export async function loadGroups(options: GroupOptions): Promise<void> {
  await forEachOf(CARE_TEAMS, async (team) => {
    const guid = (await find(options.admin, team.name)) ?? (await propose(options, team));
    const [leader, ...members] = team.members;
    const asking = [...members, ...(team.asks === undefined ? [] : [team.asks])];
    await forEachOf(asking, async (member) => {
      const { status, body } = await options
        .identityAs(member)
        .reply('POST', '/api/groups/request-membership', { group_guid: guid });
      if (status !== 409) read(body, Type.Object({ membership_guid: Type.String() }), `The membership (${status})`);
    });
    await admit(options.identityAs(leader), guid, members);
    options.progress.step('groups');
  });
}

async function find(admin: Api, name: string): Promise<string | undefined> {
  const { data } = await admin.get(`/api/groups/admin/groups?search=${encodeURIComponent(name)}`, Groups);
  return data.find((group) => group.name === name)?.group_guid;
}

/** Also goes on with a proposal that an interrupted load has left. */
async function propose({ identityAs, admin }: GroupOptions, team: CareTeam): Promise<string> {
  const { name, description } = team;
  const proposal = { name, description, group_type: 'team' };
  const { status } = await identityAs(team.members[0]).reply('POST', '/api/groups/proposals', proposal);
  const path = '/api/admin/group-proposals';
  const made = (await admin.get(path, Proposals)).find((each) => each.name === name);
  if (made === undefined) throw new Error(`The proposal of ${name} (${status}) is not listed`);
  const decision = { proposal_guid: made.proposal_guid, decision: 'approved' };
  return (await admin.post(path, decision, Approved)).group_guid;
}

async function admit(leader: Api, group: string, members: readonly ProfessionalKey[]): Promise<void> {
  const emails = members.map((key) => emailOf(PROFESSIONALS[key]));
  const pending = await leader.get('/api/groups/admin/pending', Pending);
  const own = pending.filter((each) => each.group_guid === group && emails.includes(each.user_email));
  await forEachOf(own, async ({ membership_guid }) => {
    const decision = { membership_guid, decision: 'approved' };
    await leader.post('/api/groups/admin/decide', decision, Type.Object({}));
  });
}

/** Somebody who wants to work here, and names the leader. */
export async function loadApplicant(identity: string, leader: Api, organisations: OrganisationGuids): Promise<void> {
  const { user_guid: guid } = await leader.get('/api/auth/me', Me);
  const application = { ...applicationOf(APPLICANT, organisations), chosen_leader_guid: guid };
  const { status, body } = await createApi(identity).reply('POST', '/api/public/access-request', application);
  if (status !== 409) read(body, Type.Object({ access_request_guid: Type.String() }), `The access request (${status})`);
}
