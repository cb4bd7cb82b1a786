// Work that is too long for one turn of the event loop: whoever can wait has it finished in steps, and asks again; to everybody else it is too
// costly.
import { TerminologyFault } from '../fault.ts';

/** Milliseconds for which work goes on at once, and for which it is taken up again between other requests. */
const AT_ONCE_MS = 100;
const STEP_MS = 10;
/** Milliseconds of all steps together, and pieces of such work for one request. */
const LIMIT_MS = 10_000;
const MAX_PIECES = 8;

/** Milliseconds from any moment on, as `performance.now()` tells them. */
export type Now = () => number;

export class UnfinishedWork extends TerminologyFault {
  /** Does the rest in steps. @throws TerminologyFault `too-costly` when it takes too long */
  readonly finish: () => Promise<void>;

  constructor(message: string, finish: () => Promise<void>) {
    super('too-costly', message, 'too-costly');
    this.finish = finish;
  }
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
    throw new TerminologyFault('too-costly', message, 'too-costly');
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
      await error.finish();
    }
  }
  return run();
}
