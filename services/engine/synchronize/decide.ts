// Decides what to do with one resource, from the state of each side and the state on which both last agreed. A change
// or deletion is applied only when the other side has not changed since. Pure.

/** The state of a side: the hash of the content, a deletion, or nothing. */
export type Side = { readonly hash: Buffer } | 'deleted' | 'nothing';

/** The hash of each side when they agreed. They differ when the server rewrites what it stores. */
export interface Pair {
  readonly here: Buffer;
  readonly there: Buffer;
}

/** The state on which both last agreed: the same content, or a deletion; undefined when they never agreed. */
export type Agreed = Pair | 'deleted' | undefined;

export type ConflictKind =
  | 'both_changed'
  | 'different'
  | 'deleted_here'
  | 'deleted_there'
  | 'refused_here'
  | 'refused_there'
  | 'failed_there'
  | 'unreadable';

export type Decision =
  /** Both sides are the same. */
  | { readonly kind: 'same' }
  /** Neither side has changed it since they agreed, although the server stores it in another form. */
  | { readonly kind: 'settled' }
  /** The receiving side creates it, or replaces the agreed version by it. */
  | { readonly kind: 'create' | 'update' }
  /** Only the receiving side has changed it. */
  | { readonly kind: 'newer' }
  | { readonly kind: 'conflict'; readonly conflict: ConflictKind };

export interface Compared {
  /** The state of the sending side. */
  readonly from: Buffer;
  readonly to: Side;
  readonly agreed: Agreed;
  readonly direction: 'pull' | 'push';
}

export function decide({ from, to, agreed, direction }: Compared): Decision {
  if (to === 'deleted' || to === 'nothing') return decideAbsent({ from, to, agreed, direction });
  if (to.hash.equals(from)) return { kind: 'same' };
  if (agreed === undefined) return { kind: 'conflict', conflict: 'different' };
  if (agreed === 'deleted') return { kind: 'conflict', conflict: 'both_changed' };
  const isChanged = !from.equals(agreed[SENDER[direction]]);
  if (to.hash.equals(agreed[RECEIVER[direction]])) return { kind: isChanged ? 'update' : 'settled' };
  return isChanged ? { kind: 'conflict', conflict: 'both_changed' } : { kind: 'newer' };
}

const SENDER = { pull: 'there', push: 'here' } as const;
const RECEIVER = { pull: 'here', push: 'there' } as const;

function decideAbsent({ from, to, agreed, direction }: Compared): Decision {
  // Both had deleted it, and one side has created it again.
  if (agreed === 'deleted') return { kind: 'create' };
  // A search does not return deletions. The earlier agreement shows that it was deleted there.
  if (to === 'nothing' && (agreed === undefined || direction === 'pull')) return { kind: 'create' };
  if (agreed?.[SENDER[direction]].equals(from)) return { kind: 'newer' };
  return { kind: 'conflict', conflict: direction === 'pull' ? 'deleted_here' : 'deleted_there' };
}

export type DeletionDecision = Extract<Decision, { kind: 'same' } | { kind: 'conflict' }> | { readonly kind: 'delete' };

/**
 * Decides on a resource that the sending side has deleted. It is deleted on the receiving side if that still has the
 * agreed version.
 */
export function decideDeletion({
  to,
  agreed,
  direction,
}: {
  readonly to: Side;
  readonly agreed: Pair;
  readonly direction: 'pull' | 'push';
}): DeletionDecision {
  if (to === 'deleted' || to === 'nothing') return { kind: 'same' };
  if (to.hash.equals(agreed[RECEIVER[direction]])) return { kind: 'delete' };
  return { kind: 'conflict', conflict: direction === 'pull' ? 'deleted_there' : 'deleted_here' };
}

const WORDS: Readonly<Record<ConflictKind, string>> = {
  both_changed: 'Both sides have changed it since they had the same',
  different: 'Both sides have it, with different content, and never had the same',
  deleted_here: 'It was deleted here',
  deleted_there: 'It was deleted there',
  refused_here: 'It was refused here',
  refused_there: 'It was refused there',
  failed_there: 'The server did not carry it out',
  unreadable: 'The server sent what is no resource of the type',
};

export function messageOf(kind: ConflictKind): string {
  return WORDS[kind];
}
