// The kinds of what waits for a decision.
export const KINDS = ['access_request', 'membership', 'leader_request', 'group_proposal'] as const;
export type QueueKind = (typeof KINDS)[number];
