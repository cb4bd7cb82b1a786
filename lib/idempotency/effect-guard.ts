// Ties the writes of a request with an Idempotency-Key to its attempt. Each transaction records that the attempt had an
// effect, or fails when another attempt has taken the key over. Effect and record commit together.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Database, Transaction, TransactionOptions } from '../db/database.ts';
import { conflict } from '../errors.ts';
import { type Attempt, mark } from './key-store.ts';

export interface RunningAttempt extends Attempt {
  /** False once the response is being sent. Background work that a request has woken may go on in its context. */
  isRunning: boolean;
}

export interface EffectGuard {
  /**
   * The database for the features of a service.
   * @throws ServiceError `conflict` for a write after another attempt has taken the key
   */
  readonly database: Database;
  /** Runs `work`, and everything that it starts, as part of the attempt. */
  run(attempt: RunningAttempt, work: () => void): void;
}

/** Statements that may write. */
const WRITES = /^\s*(?:INSERT|UPDATE|DELETE|MERGE|WITH)\b/i;

/**
 * Of one service. Services of one process call each other within one asynchronous context. What another one writes is
 * no part of the attempt; its keys are in another table.
 */
export function createEffectGuard(database: Database): EffectGuard {
  const running = new AsyncLocalStorage<RunningAttempt>();
  const currentAttempt = () => {
    const attempt = running.getStore();
    return attempt?.isRunning ? attempt : undefined;
  };
  const guarded: Database = {
    ...database,
    query(statement, values) {
      const attempt = currentAttempt();
      const isRead = attempt === undefined || !WRITES.test(typeof statement === 'string' ? statement : statement.text);
      if (isRead) return database.query(statement, values);
      return runMarked(database, attempt, (tx) => tx.query(statement, values));
    },
    transaction(work, options) {
      const attempt = currentAttempt();
      if (attempt === undefined || options?.readOnly) return database.transaction(work, options);
      return runMarked(database, attempt, work, options);
    },
  };
  return { database: guarded, run: (attempt, work) => running.run(attempt, work) };
}

function runMarked<T>(
  database: Database,
  attempt: Attempt,
  work: (tx: Transaction) => Promise<T>,
  options?: TransactionOptions,
): Promise<T> {
  return database.transaction(async (tx) => {
    const result = await work(tx);
    if (await mark(tx, attempt)) return result;
    throw conflict('The request took so long that another one with its Idempotency-Key has begun');
  }, options);
}
