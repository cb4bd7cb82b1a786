// The status of a request as providers see it in the feed, the callback and the answers (decisions D3, D10, D11).
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

/**
 * What the requester did wins over a mere acknowledgement; an acceptance is more than one, and work that has begun more
 * than an acceptance.
 */
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

/** Whether the provider still has to do with the patient: only then does it see the bundle. */
export function isOpen(status: RequestStatus): boolean {
  return status !== 'withdrawn' && status !== 'expired' && status !== 'rejected';
}
