// The most worker threads of many pools together: each tenant has pools of its own, and a thread may take hundreds of
// megabytes (docs/adr/0156). Pools that find no place wait in turn.

/** A pool as the limit sees it. */
export interface ThreadMember {
  /** Starts a thread at the place that is given to it. False where it has no work for one any more. */
  usePlace(): boolean;
  /** Ends a thread that has nothing to do; whether there was one. */
  yieldIdle(): boolean;
}

export interface ThreadLimit {
  /**
   * Asks for a place for a thread. True: it is taken. False: the member is called when its turn has come; asking again
   * meanwhile keeps its turn.
   */
  take(member: ThreadMember): boolean;
  /** A thread of a member has ended. */
  release(): void;
  /** Whether others than the member wait for a place. */
  isWanted(member: ThreadMember): boolean;
  /** A pool was closed, after its threads were released. */
  forget(member: ThreadMember): void;
}

export function createThreadLimit(size: number): ThreadLimit {
  const members = new Set<ThreadMember>();
  const waiting = new Set<ThreadMember>();
  let used = 0;
  let isGiving = false;

  /** Gives free places to those who wait, the longest first. */
  function give(): void {
    // A member that starts a thread may ask for another one at once: it is served in its turn.
    if (isGiving) return;
    isGiving = true;
    try {
      while (used < size) {
        const [next] = waiting;
        if (next === undefined) return;
        waiting.delete(next);
        used += 1;
        if (!next.usePlace()) used -= 1;
      }
    } finally {
      isGiving = false;
    }
  }

  return {
    take(member) {
      members.add(member);
      if (used < size && waiting.size === 0) {
        used += 1;
        return true;
      }
      waiting.add(member);
      // An idle thread of another is worth less than work that waits. Its end gives the place to whom it is due.
      for (const other of members) if (other !== member && other.yieldIdle()) break;
      return false;
    },
    release() {
      used -= 1;
      give();
    },
    isWanted: (member) => waiting.size > (waiting.has(member) ? 1 : 0),
    forget(member) {
      members.delete(member);
      waiting.delete(member);
    },
  };
}
