// A bounded cache of promises with a time to live. Concurrent calls for one key share one lookup.
import { type Clock, elapsedOf } from '../clock.ts';

interface Entry<V> {
  readonly value: Promise<V>;
  readonly expiresAt: number;
}

export interface ExpiringCache<V> {
  get(key: string, load: () => Promise<V>): Promise<V>;
  deleteWhere(matches: (key: string) => boolean): void;
}

export interface ExpiringCacheOptions {
  /** Counts from the start of the lookup. */
  readonly ttlMs: number;
  readonly maxEntries: number;
  readonly clock: Clock;
  /** Called for each lookup: whether it was a hit. */
  readonly onAccess?: (isHit: boolean) => void;
}

/** Failed lookups are not cached. */
export function createExpiringCache<V>(options: ExpiringCacheOptions): ExpiringCache<V> {
  const { ttlMs, maxEntries, clock, onAccess } = options;
  const entries = new Map<string, Entry<V>>();

  function get(key: string, load: () => Promise<V>): Promise<V> {
    const known = entries.get(key);
    const isHit = known !== undefined && known.expiresAt > elapsedOf(clock);
    onAccess?.(isHit);
    if (isHit) return known.value;
    const entry = { value: load(), expiresAt: elapsedOf(clock) + ttlMs };
    entries.delete(key);
    if (entries.size >= maxEntries) {
      const oldest = entries.keys().next().value;
      if (oldest !== undefined) entries.delete(oldest);
    }
    entries.set(key, entry);
    entry.value.catch(() => {
      if (entries.get(key) === entry) entries.delete(key);
    });
    return entry.value;
  }

  function deleteWhere(matches: (key: string) => boolean): void {
    for (const key of entries.keys()) if (matches(key)) entries.delete(key);
  }

  return { get, deleteWhere };
}
