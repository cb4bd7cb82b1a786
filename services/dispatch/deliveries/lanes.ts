// Which providers the worker may start attempts for (decision D8): a few at a time for each, one at a time while its attempts fail,
// and never more than half of all for the failing ones together, so that no dead provider delays another.

export interface LaneLimits {
  /** Attempts at once in this process. */
  readonly total: number;
  /** Attempts at once for one provider. */
  readonly perProvider: number;
}

export interface Lanes {
  /** How many more attempts may start in all. */
  capacity(): number;
  /** How many more for the providers that are busy or failing; the others may have `perProvider`. */
  quotas(): ReadonlyMap<string, number>;
  /** The failing providers, and how many more attempts may start for all of them together. */
  slowLane(): { readonly providers: readonly string[]; readonly room: number };
  begin(providerGuid: string): void;
  end(providerGuid: string, outcome: 'succeeded' | 'failed' | 'unknown'): void;
}

/** Providers remembered as failing; more would be a sign of something else than dead receivers. */
const MAX_FAILING = 10_000;

export function createLanes({ total, perProvider }: LaneLimits): Lanes {
  const busy = new Map<string, number>();
  const failing = new Set<string>();
  let count = 0;

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
    return { providers: [...failing], room: Math.max(1, Math.floor(total / 2)) - running };
  }

  return {
    capacity: () => total - count,
    quotas,
    slowLane,
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
    },
  };
}
