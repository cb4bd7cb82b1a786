// What searches have learnt about the sizes of what they look for: rows that fulfil a condition, up to a bound, and
// searches that have more matches than are counted. It decides how a search is carried out and whether a total is left
// out, never what is found.
import { type Clock, systemClock } from '#lib/clock.ts';

const MAX_KEPT = 5000;
const KEPT_MS = 60_000;

interface Fact {
  readonly size: number;
  readonly until: number;
}

export class StatisticsCache {
  readonly #facts = new Map<string, Fact>();
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  get isEmpty(): boolean {
    return this.#facts.size === 0;
  }

  /** The size under this key as it was at most a minute ago. */
  recall(key: string): number | undefined {
    const fact = this.#facts.get(key);
    return fact !== undefined && this.#clock.now() < fact.until ? fact.size : undefined;
  }

  /** The size under this key, found out when it is not known. */
  async learn(key: string, find: () => Promise<number>): Promise<number> {
    const known = this.recall(key);
    if (known !== undefined) return known;
    const size = await find();
    this.keep(key, size);
    return size;
  }

  keep(key: string, size: number): void {
    this.#facts.delete(key);
    // The oldest leaves.
    for (const oldest of this.#facts.size >= MAX_KEPT ? this.#facts.keys() : []) {
      this.#facts.delete(oldest);
      break;
    }
    this.#facts.set(key, { size, until: this.#clock.now() + KEPT_MS });
  }
}
