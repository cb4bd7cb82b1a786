// The status of a request as providers see it, in feed, callback and responses (decisions D3, D10, D11).
import type { MatchStatus, Progress } from '../shared/match-lifecycle.ts';

export const REQUEST_STATUSES = [
  'pushed',
  'acknowledged',
  'accepted',
  'in_progress',
  'completed',
  'rejected',
  'withdrawn',
  'expired',
] as const;
export type RequestStatus = (typeof REQUEST_STATUSES)[number];

/** The status of the match outranks a mere acknowledgement; work that has begun outranks an acceptance. */
export function requestStatus(status: Exclude<MatchStatus, 'pending'>, progress: Progress): RequestStatus {
  switch (status) {
    case 'withdrawn':
    case 'expired':
    case 'rejected':
      return status;
    case 'pushed':
      return progress === 'none' ? 'pushed' : progress;
    case 'accepted':
      return progress === 'none' || progress === 'acknowledged' ? 'accepted' : progress;
    default:
      return status satisfies never;
  }
}

/** Whether the request is open for the provider: only then it sees the bundle. */
export function isOpen(status: RequestStatus): boolean {
  return status !== 'withdrawn' && status !== 'expired' && status !== 'rejected';
}
