// How far a synchronization is.

interface Moving {
  readonly direction: 'pull' | 'push' | 'both';
  readonly progress: {
    readonly types_done: number;
    readonly types_total: number;
    readonly seen: number;
    readonly total: number | null;
  };
}

/** In percent, by types and within the type that is running: 99 at most, as only its state says that it is done. */
export function shareOf({ progress }: Moving): number {
  const { types_done: done, types_total: types, seen, total } = progress;
  const within = total === null || total === 0 ? 0 : Math.min(1, seen / total);
  return types === 0 ? 0 : Math.min(99, Math.floor(((Math.min(done, types) + within) / types) * 100));
}
