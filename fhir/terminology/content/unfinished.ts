// Work that is too long for one turn of the event loop: whoever can wait has it finished in steps, and asks again; to
// everybody else it is too costly.
import { TerminologyError } from '../terminology-error.ts';

/** Milliseconds for which work goes on at once, and for which it is taken up again between other requests. */
const AT_ONCE_MS = 30;
const STEP_MS = 10;
/** Milliseconds of all steps together, and pieces of such work for one request. */
const LIMIT_MS = 10_000;
const MAX_PIECES = 64;

/** Milliseconds from any moment on, as `performance.now()` tells them. */
export type Now = () => number;

export class UnfinishedWork extends TerminologyError {
  /** Does the rest in steps. @throws TerminologyError `too-costly` when it takes too long */
  readonly finish: () => Promise<void>;

  constructor(message: string, finish: () => Promise<void>) {
    super('too-costly', message, 'too-costly');
    this.finish = finish;
  }
}

/** Work that can be left off at each `yield`. */
export type Steps<T> = Generator<void, T, void>;

/** So many items of a list are gone through in some tenths of a millisecond. */
const STRIDE = 500;

/**
 * The items, for a loop that can be left off between two strides:
 * `for (const stride of strides(items)) { for (…of stride) …; yield; }`.
 */
export function* strides<T>(items: Iterable<T>): Generator<readonly T[], void, void> {
  let stride: T[] = [];
  for (const item of items) {
    stride.push(item);
    if (stride.length < STRIDE) continue;
    yield stride;
    stride = [];
  }
  if (stride.length > 0) yield stride;
}

export interface Work<T> {
  /** How the work is called where it is too costly. */
  readonly name: string;
  /** Each `yield` is a place where it can be left off. */
  readonly steps: Generator<void, T>;
  readonly done: (result: T) => void;
}

/** The result, when it is there at once. @throws UnfinishedWork */
export function workAtOnce<T>({ name, steps, done }: Work<T>, now: Now): T {
  const message = `${name} takes too long`;
  const begun = advance(steps, now, AT_ONCE_MS);
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
    throw new TerminologyError('too-costly', message, 'too-costly');
  };
  throw new UnfinishedWork(message, () => {
    ending ??= finish();
    return ending;
  });
}

function advance<T>(steps: Generator<void, T>, now: Now, forMs: number): { readonly result: T } | undefined {
  const end = now() + forMs;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return { result: step.value };
    if (now() >= end) return undefined;
  }
}

/** Asks again as soon as what was unfinished is finished. @throws whatever `run` throws otherwise */
export async function finished<T>(run: () => T): Promise<T> {
  for (let left = MAX_PIECES; left > 0; left -= 1) {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof UnfinishedWork)) throw error;
      await finishAll(error);
    }
  }
  return run();
}

/** What is unfinished may come upon what is unfinished, too: it is asked for again. */
async function finishAll(work: UnfinishedWork): Promise<void> {
  try {
    await work.finish();
  } catch (error) {
    if (!(error instanceof UnfinishedWork)) throw error;
    await finishAll(error);
  }
}
