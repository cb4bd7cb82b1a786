// Ties the transactions of a request with an Idempotency-Key to its attempt: each one writes down that there is an effect, or fails when
// another attempt has taken the key over. So the effect and the knowledge of it commit together, whatever happens afterwards.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Database } from '../db/database.ts';
import { conflict } from '../errors.ts';
import { type Attempt, mark } from './key-store.ts';

export interface RunningAttempt extends Attempt {
  /** False once the answer is on its way; background work that a request has woken may run on in its context. */
  isRunning: boolean;
}

const running = new AsyncLocalStorage<RunningAttempt>();

/** Runs `work`, and what it begins, as part of the attempt. */
export function runAttempt(attempt: RunningAttempt, work: () => void): void {
  running.run(attempt, work);
}

/** The database for the features of a service. @throws ServiceError `conflict` in a transaction whose attempt was overtaken */
export function guardEffects(database: Database): Database {
  return {
    ...database,
    transaction(work, options) {
      const attempt = running.getStore();
      if (attempt === undefined || !attempt.isRunning || options?.readOnly) return database.transaction(work, options);
      return database.transaction(async (tx) => {
        const result = await work(tx);
        if (await mark(tx, attempt)) return result;
        throw conflict('The request took so long that another one with its Idempotency-Key has begun');
      }, options);
    },
  };
}
