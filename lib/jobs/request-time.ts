// The lifetime of a request (docs/adr/0058), passed by AsyncLocalStorage, so that work for the request is cancelled
// when it ends.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServiceError } from '../errors.ts';

/** The reason why a request was aborted. */
export type RequestEnd = ServiceError;

export interface RequestTime {
  /** Undefined while the request runs; then the error that aborted it. */
  readonly over: RequestEnd | undefined;
  /**
   * Calls `stop` when the request is aborted. Call the returned function when there is nothing left to stop.
   */
  onOver(stop: (why: RequestEnd) => void): () => void;
}

/** The side that ends the time of a request. */
export interface RequestTimeControl extends RequestTime {
  /** Aborts all work for the request. */
  end(why: RequestEnd): void;
  /** The request has its response. Background work that it woke goes on. */
  finish(): void;
}

const current = new AsyncLocalStorage<RequestTimeControl>();

const NOTHING_TO_STOP = (): void => {};

/** Every request has one, and most have nothing to stop. So the list of listeners is created with the first one. */
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

/** Runs `work`, and everything that it starts, within the time of a request. */
export function runWithRequestTime<T>(time: RequestTimeControl, work: () => T): T {
  return current.run(time, work);
}

/** The time of the current request; undefined in the background. */
export function requestTime(): RequestTime | undefined {
  return current.getStore();
}
