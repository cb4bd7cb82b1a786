// What the worker has seen of the queue (decision D8): the next due deliveries of each provider, looked up for several
// claims at once, since finding them fairly costs more than claiming them. They are hints: a claim takes only what is
// still due, and whoever forgets them looks again.
import type { LaneCapacity } from './lanes.ts';

/** The first due deliveries of one provider, the first one first. */
export interface DueOfProvider {
  readonly providerGuid: string;
  readonly deliveryGuids: readonly string[];
  /** When each was due, in milliseconds. */
  readonly dueAt: readonly number[];
  /** Whether there may be more than were looked up. */
  readonly hasMore: boolean;
}

export interface Candidate {
  readonly deliveryGuid: string;
  readonly providerGuid: string;
  readonly dueAt: number;
}

export interface Prefetch {
  /** Whether nothing has been looked up since it was last to be forgotten. */
  isForgotten(): boolean;
  forget(): void;
  /** Looks up anew. What is told to be forgotten meanwhile is forgotten, as it may be newer than what is found. */
  fill(find: () => Promise<readonly DueOfProvider[]>): Promise<void>;
  /**
   * Takes what there is room for: each provider's first before any provider's second, the longest due first, no
   * provider more than its quota, and the failing ones no more than the room of their lane.
   */
  take(room: LaneCapacity): Candidate[];
  /** Whether a provider for which there is room may have more due than was looked up, and none of what was is left. */
  isShort(room: LaneCapacity): boolean;
}

interface Queue {
  readonly due: DueOfProvider;
  next: number;
}

export function createPrefetch(): Prefetch {
  let queues = new Map<string, Queue>();
  let isForgotten = true;

  const quotaOf = (room: LaneCapacity, provider: string) =>
    Math.min(room.quotas.get(provider) ?? room.perProvider, room.capacity);

  /** The candidates that a provider's quota allows, with their turns. */
  function turnsOf({ due, next }: Queue, room: LaneCapacity): { turn: number; candidate: Candidate }[] {
    const { providerGuid, deliveryGuids, dueAt } = due;
    return deliveryGuids.slice(next, next + quotaOf(room, providerGuid)).map((deliveryGuid, turn) => ({
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
    take(room) {
      const slow = new Set(room.slowLane.providers);
      let roomOfSlow = room.slowLane.room;
      const taken: Candidate[] = [];
      const fitting = [...queues.values()].flatMap((queue) => turnsOf(queue, room));
      fitting.sort((a, b) => a.turn - b.turn || a.candidate.dueAt - b.candidate.dueAt);
      for (const { candidate } of fitting) {
        if (taken.length >= room.capacity) break;
        if (slow.has(candidate.providerGuid)) {
          if (roomOfSlow <= 0) continue;
          roomOfSlow -= 1;
        }
        taken.push(candidate);
        const queue = queues.get(candidate.providerGuid);
        if (queue !== undefined) queue.next += 1;
      }
      return taken;
    },
    isShort: (room) =>
      queues
        .values()
        .some(
          ({ due, next }) => due.hasMore && next >= due.deliveryGuids.length && quotaOf(room, due.providerGuid) > 0,
        ),
  };
}
