// What is to become of one resource, from what either side has and what both had when they last agreed. Pure; a change is carried over only
// where the other side has not changed since, and nothing is ever deleted.

/** What a side has: the hash of the content, the mark of a deletion, or nothing. */
export type Side = { readonly hash: Buffer } | 'deleted' | 'nothing';

export type ConflictKind =
  | 'both_changed'
  | 'different'
  | 'deleted_here'
  | 'deleted_there'
  | 'refused_here'
  | 'refused_there'
  | 'unreadable';

export type Decision =
  /** Both have the same. */
  | { readonly kind: 'same' }
  /** The receiving side gets it as new, or in place of what both had. */
  | { readonly kind: 'create' | 'update' }
  /** The receiving side alone has changed it. */
  | { readonly kind: 'newer' }
  | { readonly kind: 'conflict'; readonly conflict: ConflictKind };

export interface Compared {
  /** What the sending side has. */
  readonly from: Buffer;
  readonly to: Side;
  /** What both had; undefined when they never agreed. */
  readonly agreed: Buffer | undefined;
  readonly direction: 'pull' | 'push';
}

export function decide({ from, to, agreed, direction }: Compared): Decision {
  const deleted = direction === 'pull' ? 'deleted_here' : 'deleted_there';
  if (to === 'deleted') return { kind: 'conflict', conflict: deleted };
  if (to === 'nothing') {
    // A search does not tell what was deleted there; that both once had it does.
    const isGone = agreed !== undefined && direction === 'push';
    return isGone ? { kind: 'conflict', conflict: deleted } : { kind: 'create' };
  }
  if (to.hash.equals(from)) return { kind: 'same' };
  if (agreed === undefined) return { kind: 'conflict', conflict: 'different' };
  if (to.hash.equals(agreed)) return { kind: 'update' };
  return from.equals(agreed) ? { kind: 'newer' } : { kind: 'conflict', conflict: 'both_changed' };
}

const WORDS: Readonly<Record<ConflictKind, string>> = {
  both_changed: 'Both sides have changed it since they had the same',
  different: 'Both sides have it, with different content, and never had the same',
  deleted_here: 'It was deleted here',
  deleted_there: 'It was deleted there',
  refused_here: 'It was refused here',
  refused_there: 'It was refused there',
  unreadable: 'The server sent what is no resource of the type',
};

export function wordsOf(kind: ConflictKind): string {
  return WORDS[kind];
}
