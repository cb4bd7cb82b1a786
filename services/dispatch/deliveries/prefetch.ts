// A prefetched list of due deliveries by provider (decision D8). One fair query serves several claims, as it costs more
// than a claim. The entries are hints: a claim takes only what is still due.
import type { LaneCapacity } from './lanes.ts';

/** The first due deliveries of one provider, in order. */
export interface DueOfProvider {
  readonly providerGuid: string;
  readonly deliveryGuids: readonly string[];
  /** When each became due, in milliseconds since 1970. */
  readonly dueAt: readonly number[];
  /** Whether there may be more than were found. */
  readonly hasMore: boolean;
}

export interface Candidate {
  readonly deliveryGuid: string;
  readonly providerGuid: string;
  readonly dueAt: number;
}

export interface Prefetch {
  /** Whether the list was invalidated since the last `fill`. */
  isForgotten(): boolean;
  forget(): void;
  /** Reads the list again. An invalidation during the read counts, as it may be newer than the result. */
  fill(find: () => Promise<readonly DueOfProvider[]>): Promise<void>;
  /**
   * Takes as many as there is capacity for: first the first of each provider, then the second of each, the longest due
   * first. No provider gets more than its limit, and the failing ones no more than their common limit.
   */
  take(available: LaneCapacity): Candidate[];
  /** Whether a provider with capacity left has used up its entries while more may be due. */
  isShort(available: LaneCapacity): boolean;
}

interface Queue {
  readonly due: DueOfProvider;
  next: number;
}

export function createPrefetch(): Prefetch {
  let queues = new Map<string, Queue>();
  let isForgotten = true;

  const quotaOf = (available: LaneCapacity, provider: string) =>
    Math.min(available.quotas.get(provider) ?? available.perProvider, available.capacity);

  /** The candidates that a provider's limit allows, with their rounds. */
  function turnsOf({ due, next }: Queue, available: LaneCapacity): { turn: number; candidate: Candidate }[] {
    const { providerGuid, deliveryGuids, dueAt } = due;
    return deliveryGuids.slice(next, next + quotaOf(available, providerGuid)).map((deliveryGuid, turn) => ({
      turn,
      candidate: { deliveryGuid, providerGuid, dueAt: dueAt[next + turn] ?? 0 },
    }));
  }

  return {
    isForgotten: () => isForgotten,
    forget() {
      isForgotten = true;
    },
    async fill(find) {
      isForgotten = false;
      try {
        queues = new Map((await find()).map((due) => [due.providerGuid, { due, next: 0 }]));
      } catch (error) {
        isForgotten = true;
        throw error;
      }
    },
    take(available) {
      const slow = new Set(available.slowLane.providers);
      let capacityOfSlow = available.slowLane.capacity;
      const taken: Candidate[] = [];
      const fitting = [...queues.values()].flatMap((queue) => turnsOf(queue, available));
      fitting.sort((a, b) => a.turn - b.turn || a.candidate.dueAt - b.candidate.dueAt);
      for (const { candidate } of fitting) {
        if (taken.length >= available.capacity) break;
        if (slow.has(candidate.providerGuid)) {
          if (capacityOfSlow <= 0) continue;
          capacityOfSlow -= 1;
        }
        taken.push(candidate);
        const queue = queues.get(candidate.providerGuid);
        if (queue !== undefined) queue.next += 1;
      }
      return taken;
    },
    isShort: (available) =>
      queues
        .values()
        .some(
          ({ due, next }) =>
            due.hasMore && next >= due.deliveryGuids.length && quotaOf(available, due.providerGuid) > 0,
        ),
  };
}
