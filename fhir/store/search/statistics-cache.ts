// Cache of row counts for planning searches. It counts index rows that fulfil a condition, up to a bound, and searches
// that have more matches than are counted. It decides the plan of a search and whether a total is left out, never the
// matches.
import { type Clock, systemClock } from '#lib/clock.ts';

const MAX_ENTRIES = 5000;
const TTL_MS = 60_000;

interface Entry {
  readonly size: number;
  readonly until: number;
}

export interface Statistics {
  readonly isEmpty: boolean;
  /** The size under this key as it was at most a minute ago. */
  get(key: string): number | undefined;
  /** The size under this key, found out when it is not known. */
  getOrCompute(key: string, find: () => Promise<number>): Promise<number>;
  set(key: string, size: number): void;
}

export class StatisticsCache implements Statistics {
  readonly #entries = new Map<string, Entry>();
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /**
   * The part of a store. Statements of two stores are the same where they have the same values, but their tables are
   * not: those of another tenant, or of another service. All parts together have one limit.
   */
  of(store: string): Statistics {
    const keyOf = (key: string) => `${store} ${key}`;
    return {
      isEmpty: this.isEmpty,
      get: (key) => this.get(keyOf(key)),
      getOrCompute: (key, find) => this.getOrCompute(keyOf(key), find),
      set: (key, size) => this.set(keyOf(key), size),
    };
  }

  get(key: string): number | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && this.#clock.now() < entry.until ? entry.size : undefined;
  }

  async getOrCompute(key: string, find: () => Promise<number>): Promise<number> {
    const known = this.get(key);
    if (known !== undefined) return known;
    const size = await find();
    this.set(key, size);
    return size;
  }

  set(key: string, size: number): void {
    this.#entries.delete(key);
    // The oldest leaves.
    for (const oldest of this.#entries.size >= MAX_ENTRIES ? this.#entries.keys() : []) {
      this.#entries.delete(oldest);
      break;
    }
    this.#entries.set(key, { size, until: this.#clock.now() + TTL_MS });
  }
}
