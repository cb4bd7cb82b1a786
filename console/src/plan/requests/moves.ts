// What may be done with a request now, and if not, why: the rules of dispatch (docs/reference/dispatch.md, "The other
// moves") for who looks at it. The service decides again.

export const MOVES = ['finalize', 'match', 'push', 'hold', 'resume', 'revoke', 'archive'] as const;
export type Move = (typeof MOVES)[number];

/** Keys of texts, `planner.request.why.…`. */
export type Why =
  | 'archived'
  | 'notDraft'
  | 'notActive'
  | 'notHeld'
  | 'ended'
  | 'accepted'
  | 'open'
  | 'unsent'
  | 'noPending';

interface MatchState {
  readonly status: string;
  readonly progress?: string | undefined;
}

/** Whether the provider works on it, or may still: until then questions are answered. */
export function isInWork({ status, progress }: MatchState): boolean {
  const isOpen = status === 'pushed' || status === 'accepted';
  return isOpen && progress !== 'completed' && progress !== 'rejected';
}

export interface Situation {
  readonly status: string;
  readonly isArchived: boolean;
  readonly matches: readonly MatchState[];
}

/** Undefined when it may be done. */
export function whyNot(move: Move, { status, isArchived, matches }: Situation): Why | undefined {
  if (isArchived) return 'archived';
  switch (move) {
    case 'finalize':
      return status === 'draft' ? undefined : 'notDraft';
    case 'match':
    case 'hold':
      return status === 'active' ? undefined : 'notActive';
    case 'push':
      if (status !== 'active') return 'notActive';
      return matches.some((match) => match.status === 'pending') ? undefined : 'noPending';
    case 'resume':
      return status === 'on-hold' ? undefined : 'notHeld';
    case 'revoke':
      if (status === 'revoked' || status === 'completed') return 'ended';
      return matches.some((match) => match.status === 'accepted') ? 'accepted' : undefined;
    case 'archive':
      return whyNotArchive(status, matches);
  }
}

function whyNotArchive(status: string, matches: readonly MatchState[]): Why | undefined {
  if (['draft', 'revoked', 'completed'].includes(status)) return undefined;
  if (status !== 'active') return 'notActive';
  if (matches.some(isOpen)) return 'open';
  return matches.some(({ status: each }) => each === 'pending') ? 'unsent' : undefined;
}

function isOpen({ status, progress }: MatchState): boolean {
  return status === 'pushed' || (status === 'accepted' && progress !== 'completed' && progress !== 'rejected');
}

/** The steps of a request, in order; `ended` where it stopped before the last. */
export const STEPS = ['draft', 'active', 'matched', 'pushed', 'answered', 'completed'] as const;

/** How many steps are done. */
export function stepOf({ status, matches }: Situation): number {
  const has = (...states: readonly string[]) => matches.some((match) => states.includes(match.status));
  if (status === 'completed') return STEPS.length;
  if (has('accepted', 'rejected')) return 5;
  if (has('pushed', 'expired')) return 4;
  if (matches.length > 0) return 3;
  return status === 'draft' ? 1 : 2;
}
