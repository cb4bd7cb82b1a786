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
  | 'taken'
  | 'done'
  | 'open'
  | 'unsent'
  | 'noPending';

interface MatchState {
  readonly status: string;
  readonly progress?: string | undefined;
  readonly delivery?: { readonly state: string; readonly last_error?: string | null } | null | undefined;
  /** Of the link that works. */
  readonly link_mail?: { readonly state: string } | undefined;
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
      if (!matches.some((match) => match.status === 'pending')) return 'noPending';
      // Dispatch refuses it where the first to accept gets the request (`already_taken`). Where several may have it,
      // it is sent to more only on purpose.
      if (!matches.some(isTaken)) return undefined;
      return matches.some((match) => isTaken(match) && match.progress === 'completed') ? 'done' : 'taken';
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

/** Whether a provider has the request, and has not given it back. */
function isTaken({ status, progress }: MatchState): boolean {
  return status === 'accepted' && progress !== 'rejected';
}

function isOpen({ status, progress }: MatchState): boolean {
  return status === 'pushed' || (status === 'accepted' && progress !== 'completed' && progress !== 'rejected');
}

/** What is to be done next; `wait`, `work` and `read` are for others to do, or only to be read. */
export type Next =
  | 'finalize'
  | 'match'
  | 'matchAgain'
  | 'push'
  | 'resend'
  | 'relink'
  | 'answer'
  | 'wait'
  | 'work'
  | 'read'
  | 'resume'
  | 'renew';

/** @param unanswered the number of questions that can be answered */
export function nextOf({ status, isArchived, matches }: Situation, unanswered: number): Next {
  if (isArchived || status === 'revoked') return 'renew';
  if (status === 'draft') return 'finalize';
  if (status === 'on-hold') return 'resume';
  if (status === 'completed') return 'read';
  if (matches.length === 0) return 'match';
  if (unanswered > 0) return 'answer';
  const is = (state: string) => matches.some((match) => match.status === state);
  if (matches.some((match) => match.status === 'accepted' && isInWork(match))) return 'work';
  if (matches.some((match) => match.status === 'accepted' && match.progress === 'completed')) return 'read';
  if (matches.some((match) => match.status === 'pushed' && match.delivery?.state === 'dead')) return 'resend';
  if (matches.some(isLinkNeeded)) return 'relink';
  if (is('pushed')) return 'wait';
  return is('pending') ? 'push' : 'matchAgain';
}

/** Whether nothing is under way to who was asked, and nobody sends it again: the planner hands over a link. */
function isLinkNeeded({ status, delivery, link_mail: mail }: MatchState): boolean {
  const isDiscarded = delivery?.state === 'cancelled' && delivery.last_error === 'discarded';
  return status === 'pushed' && (mail === undefined ? isDiscarded : mail.state === 'dead');
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

/** The part of the page that a step is about: the name of an element. */
export function partOf(step: (typeof STEPS)[number], { status, isArchived }: Situation): string {
  const parts = { draft: 'what', matched: 'recipients', pushed: 'recipients', answered: 'questions' } as const;
  if (step === 'completed') return 'results';
  if (step === 'active') return status === 'draft' && !isArchived ? 'next' : 'forms';
  return parts[step];
}
