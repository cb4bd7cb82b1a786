// Concurrency limits of the delivery worker for each provider (decision D8), so that no dead provider delays others. A
// provider has few attempts at once, and only one while its attempts fail. All failing providers share at most half of
// the total.

export interface LaneLimits {
  /** Attempts at once in this process. */
  readonly total: number;
  /** Attempts at once for one provider. */
  readonly perProvider: number;
}

export interface LaneCapacity {
  /** How many more attempts may start in all. */
  readonly capacity: number;
  /** The limit of one provider. */
  readonly perProvider: number;
  /** Lower limits of single providers, which are busy or failing. */
  readonly quotas: ReadonlyMap<string, number>;
  /** Providers whose attempts fail, and how many more attempts may start for all of them together. */
  readonly slowLane: { readonly providers: readonly string[]; readonly capacity: number };
}

export interface Lanes {
  /** How much may be claimed now. */
  capacity(): LaneCapacity;
  begin(providerGuid: string): void;
  /** Stores which limits a claim reached: more may be due than it found. */
  claimed(available: LaneCapacity, providerGuids: readonly string[]): void;
  /** Ends an attempt. Whether more may be due, as the last claim reached a limit. */
  end(providerGuid: string, outcome: 'succeeded' | 'failed' | 'unknown'): boolean;
}

/** The capacity that is left after these have been claimed. */
export function capacityAfter(available: LaneCapacity, providerGuids: readonly string[]): LaneCapacity {
  const quotas = new Map(available.quotas);
  for (const provider of providerGuids) quotas.set(provider, (quotas.get(provider) ?? available.perProvider) - 1);
  const slow = new Set(available.slowLane.providers);
  const ofSlow = providerGuids.filter((provider) => slow.has(provider)).length;
  return {
    ...available,
    capacity: available.capacity - providerGuids.length,
    quotas,
    slowLane: { ...available.slowLane, capacity: available.slowLane.capacity - ofSlow },
  };
}

/** The most providers that are remembered as failing, to bound the memory. */
const MAX_FAILING = 10_000;

export function createLanes({ total, perProvider }: LaneLimits): Lanes {
  const busy = new Map<string, number>();
  const failing = new Set<string>();
  let count = 0;
  let isBounded = false;
  let bounded: ReadonlySet<string> = new Set();

  function quotas(): ReadonlyMap<string, number> {
    const quotas = new Map<string, number>();
    for (const provider of failing) quotas.set(provider, 1);
    for (const [provider, running] of busy) {
      const limit = failing.has(provider) ? 1 : perProvider;
      quotas.set(provider, Math.max(0, limit - running));
    }
    return quotas;
  }

  function slowLane() {
    let running = 0;
    for (const provider of failing) running += busy.get(provider) ?? 0;
    return { providers: [...failing], capacity: Math.max(1, Math.floor(total / 2)) - running };
  }

  return {
    capacity: () => ({ capacity: total - count, perProvider, quotas: quotas(), slowLane: slowLane() }),
    claimed(available, providerGuids) {
      const counts = new Map(available.quotas.keys().map((provider) => [provider, 0]));
      for (const provider of providerGuids) counts.set(provider, (counts.get(provider) ?? 0) + 1);
      const ofSlow = available.slowLane.providers.reduce((sum, provider) => sum + (counts.get(provider) ?? 0), 0);
      isBounded = providerGuids.length >= available.capacity || ofSlow >= available.slowLane.capacity;
      bounded = new Set(
        counts
          .keys()
          .filter((provider) => (counts.get(provider) ?? 0) >= (available.quotas.get(provider) ?? perProvider)),
      );
    },
    begin(providerGuid) {
      count += 1;
      busy.set(providerGuid, (busy.get(providerGuid) ?? 0) + 1);
    },
    end(providerGuid, outcome) {
      count -= 1;
      const left = (busy.get(providerGuid) ?? 1) - 1;
      if (left > 0) busy.set(providerGuid, left);
      else busy.delete(providerGuid);
      if (outcome === 'succeeded') failing.delete(providerGuid);
      if (outcome === 'failed' && failing.size < MAX_FAILING) failing.add(providerGuid);
      return isBounded || bounded.has(providerGuid);
    },
  };
}
