// The time that one request may take (docs/adr/0058): known to whatever works for it, so that the work ends with it.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServiceError } from '../errors.ts';

/** Why a request is worked on no longer. */
export type TimeIsOver = ServiceError;

export interface RequestTime {
  /** Undefined while the request is worked on; then what ended it. */
  readonly over: TimeIsOver | undefined;
  /** Calls `stop` when the time is over; the answer undoes that, and is to be called when there is nothing to stop any more. */
  onOver(stop: (why: TimeIsOver) => void): () => void;
}

/** The side that watches the time. */
export interface OwnRequestTime extends RequestTime {
  /** Ends what works for the request. */
  end(why: TimeIsOver): void;
  /** The request has been answered: what it has woken may go on. */
  finish(): void;
}

const current = new AsyncLocalStorage<OwnRequestTime>();

export function createRequestTime(): OwnRequestTime {
  const stops = new Set<(why: TimeIsOver) => void>();
  let over: TimeIsOver | undefined;
  let isFinished = false;
  return {
    get over() {
      return isFinished ? undefined : over;
    },
    onOver: (stop) => {
      if (isFinished) return () => {};
      if (over !== undefined) stop(over);
      else stops.add(stop);
      return () => void stops.delete(stop);
    },
    end: (why) => {
      if (isFinished || over !== undefined) return;
      over = why;
      for (const stop of [...stops]) stop(why);
      stops.clear();
    },
    finish: () => {
      isFinished = true;
      stops.clear();
    },
  };
}

/** Runs `work`, and what it begins, in the time of a request. */
export function runInTime<T>(time: OwnRequestTime, work: () => T): T {
  return current.run(time, work);
}

/** The time of the request that is worked on; undefined in the background. */
export function requestTime(): RequestTime | undefined {
  return current.getStore();
}
