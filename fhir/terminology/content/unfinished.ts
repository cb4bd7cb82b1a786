// Work that is too long for one turn of the event loop. A caller that can wait finishes it in steps and repeats its
// call; for any other caller it is too costly.

import { chunksOf } from '#lib/chunks.ts';
import { TerminologyError } from '../terminology-error.ts';

/** Milliseconds of the first synchronous run, and of each later step between other requests. */
const FIRST_RUN_MS = 30;
const STEP_MS = 10;
/** Milliseconds of all steps together, and the most unfinished works of one request. */
const LIMIT_MS = 10_000;
const MAX_PIECES = 64;

/** A clock in milliseconds, such as `performance.now()`. */
export type Now = () => number;

export class UnfinishedWork extends TerminologyError {
  /** Does the remaining work in steps. @throws TerminologyError `too-costly` when it takes too long */
  readonly finish: () => Promise<void>;

  constructor(message: string, finish: () => Promise<void>) {
    super('too-costly', message, 'too-costly');
    this.finish = finish;
  }
}

/** Work that can be suspended at each `yield`. */
export type Steps<T> = Generator<void, T, void>;

/** Items of a list that take some tenths of a millisecond. */
const STRIDE = 500;

/**
 * The items in strides, for a loop that can be suspended between two of them:
 * `for (const stride of strides(items)) { for (…of stride) …; yield; }`.
 */
export function strides<T>(items: Iterable<T>): Generator<readonly T[], void, void> {
  return chunksOf(items, STRIDE);
}

export interface Work<T> {
  /** The name of the work in the message of `too-costly`. */
  readonly name: string;
  /** The work; it can be suspended at each `yield`. */
  readonly steps: Generator<void, T>;
  readonly done: (result: T) => void;
}

/** Runs the work; returns the result if it is ready in time. @throws UnfinishedWork */
export function startWork<T>({ name, steps, done }: Work<T>, now: Now): T {
  const message = `${name} takes too long`;
  const begun = advance(steps, now, FIRST_RUN_MS);
  if (begun !== undefined) {
    done(begun.result);
    return begun.result;
  }
  let ending: Promise<void> | undefined;
  const finish = async (): Promise<void> => {
    for (let worked = 0; worked < LIMIT_MS; ) {
      await new Promise(setImmediate);
      const started = now();
      const ended = advance(steps, now, STEP_MS);
      if (ended !== undefined) return done(ended.result);
      worked += now() - started;
    }
    throw new TerminologyError('too-costly', message);
  };
  throw new UnfinishedWork(message, () => {
    ending ??= finish();
    return ending;
  });
}

/**
 * Work that cannot be suspended, such as sorting, and may take tens of milliseconds: it has a turn of the event loop of
 * its own. The caller repeats its call, and must then find the result.
 * @throws UnfinishedWork
 */
export function inOwnTurn(name: string, work: () => void): never {
  let ending: Promise<void> | undefined;
  throw new UnfinishedWork(`${name} takes too long`, () => {
    ending ??= new Promise(setImmediate).then(work);
    return ending;
  });
}

export interface Items<T, R> {
  /** The name of the work in the message of `too-costly`. */
  readonly name: string;
  readonly items: readonly T[];
  readonly make: (item: T, index: number) => R;
  /** What has been made of the first items. The caller gives the same list when its call is repeated. */
  readonly made: R[];
}

/** Makes something of each item in steps. @throws UnfinishedWork, and what `make` throws */
export function makeEach<T, R>({ name, items, make, made }: Items<T, R>, now: Now): readonly R[] {
  let isRepeated = false;
  function* steps(): Steps<readonly R[]> {
    for (const item of items.slice(made.length)) {
      try {
        made.push(make(item, made.length));
      } catch (error) {
        // The call is repeated: then the caller gets the error where it expects it.
        if (isRepeated && !(error instanceof UnfinishedWork)) return made;
        throw error;
      }
      yield;
    }
    return made;
  }
  try {
    return startWork({ name, steps: steps(), done: () => {} }, now);
  } finally {
    isRepeated = true;
  }
}

function advance<T>(steps: Generator<void, T>, now: Now, forMs: number): { readonly result: T } | undefined {
  const end = now() + forMs;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return { result: step.value };
    if (now() >= end) return undefined;
  }
}

/**
 * Runs a function, finishes the work that it could not finish, and runs it again.
 * @param begun the work that an earlier run could not finish
 * @throws any other error of `run`
 */
export async function finished<T>(run: () => T, begun?: UnfinishedWork): Promise<T> {
  if (begun !== undefined) await finishEach(begun);
  for (let left = MAX_PIECES; left > 0; left -= 1) {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof UnfinishedWork)) throw error;
      await finishEach(error);
    }
  }
  return run();
}

/** Unfinished work may need other unfinished work, after which it runs again. */
async function finishEach(work: UnfinishedWork): Promise<void> {
  try {
    await work.finish();
  } catch (error) {
    if (!(error instanceof UnfinishedWork)) throw error;
    await finishEach(error);
  }
}
