// The lifetime of a request (docs/adr/0058), passed by AsyncLocalStorage, so that work for the request is cancelled
// when it ends.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServiceError } from '../errors.ts';

/** Why a request is worked on no longer. */
export type RequestEnd = ServiceError;

export interface RequestTime {
  /** Undefined while the request is worked on; then what ended it. */
  readonly over: RequestEnd | undefined;
  /**
   * Calls `stop` when the time is over; the answer undoes that, and is to be called when there is nothing to stop any
   * more.
   */
  onOver(stop: (why: RequestEnd) => void): () => void;
}

/** The side that watches the time. */
export interface RequestTimeControl extends RequestTime {
  /** Ends what works for the request. */
  end(why: RequestEnd): void;
  /** The request has been answered: what it has woken may go on. */
  finish(): void;
}

const current = new AsyncLocalStorage<RequestTimeControl>();

const NOTHING_TO_STOP = (): void => {};

/** One is made for every request, and most of them have nothing to be stopped: a list is made when the first comes. */
class RequestClock implements RequestTimeControl {
  #over: RequestEnd | undefined;
  #isFinished = false;
  #stops: Set<(why: RequestEnd) => void> | undefined;

  get over(): RequestEnd | undefined {
    return this.#isFinished ? undefined : this.#over;
  }

  onOver(stop: (why: RequestEnd) => void): () => void {
    if (this.#isFinished) return NOTHING_TO_STOP;
    if (this.#over !== undefined) {
      stop(this.#over);
      return NOTHING_TO_STOP;
    }
    this.#stops ??= new Set();
    const stops = this.#stops;
    stops.add(stop);
    return () => void stops.delete(stop);
  }

  end(why: RequestEnd): void {
    if (this.#isFinished || this.#over !== undefined) return;
    this.#over = why;
    for (const stop of [...(this.#stops ?? [])]) stop(why);
    this.#stops = undefined;
  }

  finish(): void {
    this.#isFinished = true;
    this.#stops = undefined;
  }
}

export function createRequestTime(): RequestTimeControl {
  return new RequestClock();
}

/** Runs `work`, and what it begins, in the time of a request. */
export function runWithRequestTime<T>(time: RequestTimeControl, work: () => T): T {
  return current.run(time, work);
}

/** The time of the request that is worked on; undefined in the background. */
export function requestTime(): RequestTime | undefined {
  return current.getStore();
}
