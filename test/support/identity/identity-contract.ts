// Black-box calls to identity, which check the status and the exact shape of each response.
import { contractCalls } from '../contract-calls.ts';
import type { Hooks } from '../hooks.ts';
import { type Identity, startIdentity } from './identity.ts';
import { makeProfessional, nextEmail } from './identity-people.ts';

type Headers = Readonly<Record<string, string>>;

export interface ContractCall {
  readonly as?: { readonly headers: Headers } | undefined;
  readonly headers?: Headers;
  readonly body?: unknown;
  /** Sent as it is, with the content type of `headers`. */
  readonly raw?: string;
}

export interface ContractResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The parsed body; tests reach into it freely. */
  // biome-ignore lint/suspicious/noExplicitAny: the assertions check what comes over the wire
  readonly body: any;
}

/** One node, an SU admin, and the calls. */
export async function startContract(hooks: Hooks, changes: Parameters<typeof startIdentity>[1] = {}) {
  const identity = await startIdentity(hooks, changes);
  const su = { headers: await identity.asAdmin() };
  const ask = (address: string, call: ContractCall = {}) => askNode(identity, address, call);

  const { expect, refuse } = contractCalls<ContractCall, ContractResponse>(ask);

  /** A group, approved, and the professional who proposed it and administers it. */
  async function makeGroup(groupType = 'team') {
    const leader = await makeProfessional(identity);
    const proposal = await ask('POST /api/groups/proposals', {
      as: leader,
      body: { name: `Group of ${nextEmail()}`, group_type: groupType },
    });
    const { proposal_guid } = proposal.body;
    const decided = await ask('POST /api/admin/group-proposals', {
      as: su,
      body: { proposal_guid, decision: 'approved' },
    });
    return { groupGuid: String(decided.body.group_guid), name: String(proposal.body.name), leader };
  }

  /** A professional who has asked to join the group. */
  async function makeAsker(groupGuid: string) {
    const asker = await makeProfessional(identity);
    const asked = await ask('POST /api/groups/request-membership', { as: asker, body: { group_guid: groupGuid } });
    return { ...asker, membershipGuid: String(asked.body.membership_guid) };
  }

  /** A professional who is an approved member of the group. */
  async function makeMember(groupGuid: string) {
    const asker = await makeAsker(groupGuid);
    const body = { membership_guid: asker.membershipGuid, decision: 'approved' };
    await ask('POST /api/groups/admin/decide', { as: su, body });
    return asker;
  }

  return { identity, su, ask, expect, refuse, makeGroup, makeAsker, makeMember };
}

async function askNode(identity: Identity, address: string, call: ContractCall): Promise<ContractResponse> {
  const [method = '', url = ''] = address.split(' ');
  const payload = call.raw ?? call.body;
  const answer = await identity.app.inject({
    method: method as 'GET',
    url,
    headers: { ...call.as?.headers, ...call.headers },
    ...(payload === undefined ? {} : { payload: payload as object }),
  });
  const isJson = String(answer.headers['content-type']).includes('json');
  return {
    status: answer.statusCode,
    headers: answer.headers,
    text: answer.body,
    body: isJson && answer.body !== '' ? answer.json() : undefined,
  };
}
