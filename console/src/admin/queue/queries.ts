// What waits for a decision, and the decision itself.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { identity, read } from '../../api/clients.ts';
import type { IdentityShapes } from '../../api/shapes.ts';
import { whileAttended } from '../../shell/attention.ts';

/** What others decide or ask for is seen after so long, while the page is in use. */
const POLL_MS = 10_000;

export const KINDS = ['access_request', 'membership', 'leader_request', 'group_proposal'] as const;
export type Kind = (typeof KINDS)[number];

export interface QueueFilter {
  readonly kind?: Kind;
  readonly search?: string;
  readonly min_days?: number;
  readonly order?: 'oldest' | 'newest';
  readonly page?: number;
}

export const PER_PAGE = 50;

export function useQueue(filter: QueueFilter) {
  const query = { ...filter, per_page: PER_PAGE };
  return useQuery({
    queryKey: ['decision-queue', query],
    queryFn: () => read(identity.GET('/api/groups/admin/decision-queue', { params: { query } })),
    placeholderData: keepPreviousData,
    refetchInterval: () => whileAttended(POLL_MS),
  });
}

export type Entry = IdentityShapes['OpenDecision'];
export type Decision = 'approved' | 'rejected';

/** Sent again under the same key, it decides nothing twice. @throws Problem, UnreachableError */
export async function decide(entry: Entry, decision: Decision, reason: string | undefined, key: string): Promise<void> {
  const headers = { 'idempotency-key': key };
  const made = { decision, ...(reason === undefined ? {} : { reason }) };
  const { guid } = entry;
  if (entry.kind === 'membership')
    await read(identity.POST('/api/groups/admin/decide', { headers, body: { ...made, membership_guid: guid } }));
  else if (entry.kind === 'access_request')
    await read(identity.POST('/api/admin/access-requests', { headers, body: { ...made, access_request_guid: guid } }));
  else if (entry.kind === 'leader_request')
    await read(identity.POST('/api/admin/leader-requests', { headers, body: { ...made, leader_request_guid: guid } }));
  else await read(identity.POST('/api/admin/group-proposals', { headers, body: { ...made, proposal_guid: guid } }));
}
