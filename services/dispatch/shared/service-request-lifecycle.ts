// The state machine of a ServiceRequest (decision D3), as a table of what the requester may do. match-lifecycle.ts has
// what providers may do. Choices where D3 leaves room:
// - A match that was never pushed does not keep a request from completing. It is withdrawn with the reason `completed`.
// - A request on hold does not complete. Reports of providers are stored, and it completes when it is resumed.
// - An archived request takes no further change. Archiving it again succeeds like the first time.
// - A provider that gives up its work leaves the match accepted. The request can be archived, but not revoked.
import { conflict, type ServiceError } from '#lib/errors.ts';
import { decideTransition, type Transition } from './lifecycle-table.ts';
import type { MatchState } from './match-lifecycle.ts';

export const SERVICE_REQUEST_STATUSES = ['draft', 'active', 'on-hold', 'revoked', 'completed'] as const;
export type ServiceRequestStatus = (typeof SERVICE_REQUEST_STATUSES)[number];

/** The status, or `archived` for a request of any status that has an archiving date: it takes no further change. */
export type Standing = ServiceRequestStatus | 'archived';

export const SERVICE_REQUEST_EVENTS = [
  'edit-snapshot',
  'edit-forms',
  'finalize',
  'match',
  'push',
  'hold',
  'resume',
  'revoke',
  'complete',
  'archive',
] as const;
export type ServiceRequestEvent = (typeof SERVICE_REQUEST_EVENTS)[number];

export type ServiceRequestGuard = 'no_match_accepted' | 'nothing_open' | 'work_done';
export type ServiceRequestEffect = 'freeze' | 'withdraw_open_matches' | 'set_archived_at' | 'complete_if_done';

type Row = Transition<Standing, ServiceRequestEvent, ServiceRequestGuard, ServiceRequestEffect>;

const SERVICE_REQUEST_TRANSITIONS: readonly Row[] = [
  { from: ['draft'], event: 'edit-snapshot', effects: [] },
  { from: ['draft'], event: 'edit-forms', effects: [] },
  { from: ['draft'], event: 'finalize', to: 'active', effects: ['freeze'] },
  { from: ['active'], event: 'match', effects: [] },
  { from: ['active'], event: 'push', effects: [] },
  { from: ['active'], event: 'hold', to: 'on-hold', effects: [] },
  { from: ['on-hold'], event: 'resume', to: 'active', effects: ['complete_if_done'] },
  {
    from: ['draft', 'active', 'on-hold'],
    event: 'revoke',
    guard: 'no_match_accepted',
    to: 'revoked',
    effects: ['withdraw_open_matches'],
  },
  { from: ['active'], event: 'complete', guard: 'work_done', to: 'completed', effects: ['withdraw_open_matches'] },
  { from: ['draft', 'revoked', 'completed'], event: 'archive', effects: ['set_archived_at'] },
  { from: ['active'], event: 'archive', guard: 'nothing_open', effects: ['set_archived_at'] },
  { from: ['archived'], event: 'archive', effects: [] },
];

/** The input of the state machine. */
export interface ServiceRequestSituation {
  readonly status: ServiceRequestStatus;
  readonly isArchived: boolean;
  readonly matches: readonly MatchState[];
}

export interface ServiceRequestMove {
  /** `archived` only when the request was archived before. */
  readonly to: Standing;
  readonly effects: readonly ServiceRequestEffect[];
}

const REFUSALS: Readonly<Record<ServiceRequestGuard, string>> = {
  no_match_accepted: 'a provider has accepted it',
  nothing_open: 'a match is pending, pushed or in work',
  work_done: 'no accepted match is completed, or one is still open',
};

const VERBS: Readonly<Record<ServiceRequestEvent, string>> = {
  'edit-snapshot': 'has its snapshot changed',
  'edit-forms': 'has its forms changed',
  finalize: 'is finalized',
  match: 'is matched',
  push: 'is pushed',
  hold: 'is put on hold',
  resume: 'is resumed',
  revoke: 'is revoked',
  complete: 'is completed',
  archive: 'is archived',
};

function standingOf(situation: ServiceRequestSituation): Standing {
  return situation.isArchived ? 'archived' : situation.status;
}

/** The move that the event makes. @throws ServiceError `conflict` that names the state, or the reason of the guard */
export function moveServiceRequest(situation: ServiceRequestSituation, event: ServiceRequestEvent): ServiceRequestMove {
  const standing = standingOf(situation);
  const outcome = decideTransition(SERVICE_REQUEST_TRANSITIONS, standing, event, (guard) => holds(guard, situation));
  if (outcome.kind === 'moved') return outcome;
  throw outcome.kind === 'guarded' ? guarded(event, standing, outcome.guard) : refused(event, standing);
}

/** Whether the work is done (D3): an accepted match is completed, and no push is unanswered and no work unfinished. */
export function isWorkDone(matches: readonly MatchState[]): boolean {
  const isDone = (match: MatchState) => match.status === 'accepted' && match.progress === 'completed';
  return matches.some(isDone) && !matches.some((match) => match.status === 'pushed' || isInWork(match));
}

/** Whether a provider has accepted it and neither finished nor given up. */
function isInWork(match: MatchState): boolean {
  return match.status === 'accepted' && match.progress !== 'completed' && match.progress !== 'rejected';
}

function holds(guard: ServiceRequestGuard, { matches }: ServiceRequestSituation): boolean {
  switch (guard) {
    case 'no_match_accepted':
      return !matches.some((match) => match.status === 'accepted');
    case 'nothing_open':
      return !matches.some((match) => match.status === 'pending' || match.status === 'pushed' || isInWork(match));
    case 'work_done':
      return isWorkDone(matches);
    default:
      return guard satisfies never;
  }
}

function refused(event: ServiceRequestEvent, standing: Standing): ServiceError {
  const allowed = SERVICE_REQUEST_TRANSITIONS.filter((row) => row.event === event).flatMap((row) => row.from);
  const states = [...new Set(allowed)].filter((state) => state !== 'archived').join(', ');
  return conflict(`The ServiceRequest is ${standing}; it ${VERBS[event]} only from: ${states}`);
}

function guarded(event: ServiceRequestEvent, standing: Standing, guard: ServiceRequestGuard): ServiceError {
  return conflict(`The ServiceRequest is ${standing}, but cannot be moved (${event}): ${REFUSALS[guard]}`);
}
