// The state machines of a match and of its progress (decision D3), as tables. The match follows a provider's decision,
// the progress its reports about the work. Callers notify the others.
import { decideTransition, type Transition } from './lifecycle-table.ts';

export const MATCH_STATUSES = ['pending', 'pushed', 'accepted', 'rejected', 'withdrawn', 'expired'] as const;
export type MatchStatus = (typeof MATCH_STATUSES)[number];

export const PROGRESS_STATUSES = ['acknowledged', 'in_progress', 'completed', 'rejected'] as const;
export type ProgressStatus = (typeof PROGRESS_STATUSES)[number];
/** `none` before the first report. */
export type Progress = ProgressStatus | 'none';

/** `taken`: another provider was chosen (D5); `completed`: the ServiceRequest completed before this one was pushed. */
export type WithdrawnReason = 'revoked' | 'taken' | 'completed';

export interface MatchState {
  readonly status: MatchStatus;
  readonly progress: Progress;
}

export const MATCH_EVENTS = ['push', 'accept', 'reject', 'withdraw', 'expire'] as const;
export type MatchEvent = (typeof MATCH_EVENTS)[number];

/** `repeat`: nothing changes and nobody is notified; the caller answers 200 again. */
export type MatchEffect =
  | 'dispatch'
  | 'withdraw_others_if_first'
  | 'report_rejected'
  | 'tell_provider'
  | 'complete_if_done'
  | 'repeat';

type MatchRow = Transition<MatchStatus, MatchEvent, never, MatchEffect>;

const MATCH_TRANSITIONS: readonly MatchRow[] = [
  { from: ['pending'], event: 'push', to: 'pushed', effects: ['dispatch'] },
  { from: ['pushed'], event: 'accept', to: 'accepted', effects: ['withdraw_others_if_first'] },
  { from: ['accepted'], event: 'accept', effects: ['repeat'] },
  { from: ['pushed'], event: 'reject', to: 'rejected', effects: ['report_rejected', 'complete_if_done'] },
  { from: ['rejected'], event: 'reject', effects: ['repeat'] },
  { from: ['pending'], event: 'withdraw', to: 'withdrawn', effects: [] },
  { from: ['pushed'], event: 'withdraw', to: 'withdrawn', effects: ['tell_provider'] },
  { from: ['pushed'], event: 'expire', to: 'expired', effects: ['tell_provider', 'complete_if_done'] },
];

/** What a report changes in the match besides its progress. */
export type ProgressEffect = 'accept' | 'reject_if_not_accepted' | 'complete_if_done' | 'repeat';

type ProgressRow = Transition<Progress, ProgressStatus, never, ProgressEffect>;

/**
 * The event is the status that the provider reports. Skipping forward is allowed; going back or leaving a final value
 * is not.
 */
const PROGRESS_TRANSITIONS: readonly ProgressRow[] = [
  { from: ['none'], event: 'acknowledged', to: 'acknowledged', effects: [] },
  { from: ['none', 'acknowledged'], event: 'in_progress', to: 'in_progress', effects: ['accept'] },
  {
    from: ['none', 'acknowledged', 'in_progress'],
    event: 'completed',
    to: 'completed',
    effects: ['accept', 'complete_if_done'],
  },
  {
    from: ['none', 'acknowledged', 'in_progress'],
    event: 'rejected',
    to: 'rejected',
    effects: ['reject_if_not_accepted', 'complete_if_done'],
  },
  { from: ['acknowledged'], event: 'acknowledged', effects: ['repeat'] },
  { from: ['in_progress'], event: 'in_progress', effects: ['repeat'] },
  { from: ['completed'], event: 'completed', effects: ['repeat'] },
  { from: ['rejected'], event: 'rejected', effects: ['repeat'] },
];

export interface Moved<S, F> {
  readonly to: S;
  readonly effects: readonly F[];
}

/** The match's next state, or undefined when the event is refused in this state. */
export function moveMatch(status: MatchStatus, event: MatchEvent): Moved<MatchStatus, MatchEffect> | undefined {
  const outcome = decideTransition(MATCH_TRANSITIONS, status, event, () => true);
  return outcome.kind === 'moved' ? outcome : undefined;
}

/** The progress after a report, or undefined when the report goes back or comes after the end. */
export function moveProgress(progress: Progress, report: ProgressStatus): Moved<Progress, ProgressEffect> | undefined {
  const outcome = decideTransition(PROGRESS_TRANSITIONS, progress, report, () => true);
  return outcome.kind === 'moved' ? outcome : undefined;
}

/**
 * The match at this moment (milliseconds since 1970). A push past its deadline is expired, even while the database does
 * not say so yet.
 */
export function matchAt<M extends { readonly status: MatchStatus; readonly respondBy: Date | undefined }>(
  match: M,
  now: number,
): M | (M & { readonly status: 'expired' }) {
  const isOverdue = match.status === 'pushed' && match.respondBy !== undefined && match.respondBy.getTime() <= now;
  return isOverdue ? { ...match, status: 'expired' } : match;
}
