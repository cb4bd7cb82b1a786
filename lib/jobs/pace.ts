// The pace of the background work of one tenant. While the tenant is in use its loops run at their own intervals, and
// LISTEN wakes them. While it is quiet they all run together from time to time: a hundred quiet tenants would otherwise
// ask the database thousands of questions a second, and hold a connection each (docs/adr/0138).
import { AsyncLocalStorage } from 'node:async_hooks';

/** A loop that goes at a pace. */
export interface PacedLoop {
  /** Runs its step now; resolves when it has ended. */
  run(): Promise<void>;
  /** Whether requests need what it has read: a follower. */
  readonly isFollower: boolean;
}

export interface Pace {
  /** Whether the loops wait for the next round. */
  isQuiet(): boolean;
  /** By how much the pauses between steps are longer than each loop's own; followers keep their own. */
  stretch(): number;
  add(loop: PacedLoop): void;
  remove(loop: PacedLoop): void;
  /** Runs each loop once, a few at a time; resolves when all have ended. */
  round(): Promise<void>;
  /** Every loop goes at its own interval from now on. Resolves when the followers have read what was missed. */
  wake(): Promise<void>;
  /** From the next end of each step on, the loops wait for rounds. */
  rest(): void;
}

/** So many steps of a tenant run at once: each may take a connection. */
const TOGETHER = 2;

const current = new AsyncLocalStorage<Pace>();

/** The loops that `work` creates go at the pace. */
export function runAtPace<T>(pace: Pace, work: () => T): T {
  return current.run(pace, work);
}

export function currentPace(): Pace | undefined {
  return current.getStore();
}

const steps = new AsyncLocalStorage<true>();

/** Runs the step of a loop for which nobody waits. */
export function runUnhurried<T>(step: () => T): T {
  return steps.run(true, step);
}

/** Whether the current work is such a step, or that of a quiet tenant: it opens few connections. */
export function isUnhurried(pace: Pace | undefined): boolean {
  return steps.getStore() === true || pace?.isQuiet() === true;
}

type Run = <T>(work: () => T) => T;

/** As it was when nothing had begun. */
const outsideOfAll: Run = AsyncLocalStorage.snapshot();
const outsideAtPace = new WeakMap<Pace, Run>();

/**
 * What runs work that belongs to no request, at the current pace. Everything of a pace shares it: a tenant had some
 * seventy snapshots, of half a kilobyte each.
 */
export function outsideOfRequests(): Run {
  const pace = currentPace();
  if (pace === undefined) return outsideOfAll;
  const known = outsideAtPace.get(pace);
  if (known !== undefined) return known;
  const made: Run = outsideOfAll(() => runAtPace(pace, () => AsyncLocalStorage.snapshot()));
  outsideAtPace.set(pace, made);
  return made;
}

export interface PaceOptions {
  /** At least 1; 1 when left out. */
  readonly stretch?: () => number;
}

export function createPace({ stretch = () => 1 }: PaceOptions = {}): Pace {
  const loops = new Set<PacedLoop>();
  let isQuiet = false;
  let waking: Promise<void> = Promise.resolve();

  async function runAll(given: readonly PacedLoop[]): Promise<void> {
    const waiting = [...given];
    const next = async () => {
      for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) await each.run();
    };
    await Promise.all(Array.from({ length: TOGETHER }, next));
  }

  return {
    isQuiet: () => isQuiet,
    stretch,
    add: (loop) => void loops.add(loop),
    remove: (loop) => void loops.delete(loop),
    round: () => runAll([...loops]),
    wake() {
      if (isQuiet) {
        isQuiet = false;
        const all = [...loops];
        waking = runAll(all.filter((loop) => loop.isFollower));
        void runAll(all.filter((loop) => !loop.isFollower));
      }
      return waking;
    },
    rest() {
      isQuiet = true;
    },
  };
}
