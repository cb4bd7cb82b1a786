// Runs one transaction on one connection: begin, work, commit. It retries from the start after a serialization failure
// or a deadlock.
import { setTimeout as delay } from 'node:timers/promises';
import type { ClientBase, PoolClient } from 'pg';
import { ServiceError } from '../errors.ts';
import { runCopy } from './copy.ts';
import type { PreparedStatement, QueryResult, Transaction, TransactionOptions } from './database.ts';
import { endWithRequest } from './end-with-request.ts';
import { isRetryable, isUnavailable, unavailable } from './failure.ts';
import type { PooledTransactions } from './pooled-transactions.ts';
import { runStatement } from './statement.ts';

const ATTEMPTS = 6;
const BACKOFF_MS = 10;

export interface TransactionHost {
  /** How transactions and statements reach the server behind a pooler of transactions. */
  readonly pooled?: PooledTransactions | undefined;
  /** @throws ServiceError `unavailable` */
  connect(options: TransactionOptions): Promise<PoolClient>;
  /** Called when an after-commit callback throws. */
  onEffectError(error: unknown): void;
}

/**
 * Runs `work` in a transaction, at most six times in all while it ends in a serialization failure or a deadlock.
 * @throws ServiceError `unavailable` when the connection is lost or the last attempt lost its race too; else what
 * `work` threw.
 */
export function runTransaction<T>(
  host: TransactionHost,
  work: (transaction: Transaction) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  return retryLostRaces(() => runOnce(host, work, options));
}

/**
 * Runs one transaction, at most six times in all, while it ends in a serialization failure or a deadlock.
 * @throws ServiceError `unavailable` when the last attempt lost its race too; else what `transact` threw.
 */
export async function retryLostRaces<T>(transact: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transact();
    } catch (error) {
      if (!isRetryable(error)) throw error;
      if (attempt === ATTEMPTS) throw unavailable(error);
    }
    await delay(Math.random() * BACKOFF_MS * 2 ** attempt);
  }
}

async function runOnce<T>(
  host: TransactionHost,
  work: (transaction: Transaction) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  const client = await host.connect(options);
  const goOn = endWithRequest(client);
  const effects: (() => void)[] = [];
  const sent: Promise<unknown>[] = [];
  let isOpen = true;
  const transaction: Transaction = {
    query: (statement, values) =>
      isOpen
        ? runStatement(client, host.pooled?.adapt(statement) ?? statement, values)
        : Promise.reject(new Error('The transaction has ended')),
    send: (statement, values) => {
      const running = transaction.query(statement, values);
      // Its error is thrown at the end. Until then it is no unhandled one.
      running.catch(() => undefined);
      sent.push(running);
    },
    copy: (target, lines) =>
      isOpen ? runCopy(client, target, lines) : Promise.reject(new Error('The transaction has ended')),
    afterCommit: (effect) => effects.push(effect),
  };
  let result: T;
  try {
    const beginning = runStatement(client, beginStatement(options, host.pooled)).catch((error: unknown) => {
      isOpen = false;
      throw error;
    });
    if (!options.sendsAtOnce) await beginning;
    const [worked] = await Promise.allSettled([work(transaction), beginning]);
    // The error of BEGIN takes precedence over the error of `work` that follows from it.
    await beginning;
    if (worked.status === 'rejected') throw worked.reason;
    result = worked.value;
    isOpen = false;
    const committing = commit(client);
    // After the error of a statement COMMIT only says that there was one.
    const [committed] = await Promise.allSettled([committing, ...sent]);
    await Promise.all(sent);
    if (committed.status === 'rejected') throw committed.reason;
  } catch (error) {
    isOpen = false;
    const isOfUse = await rollBack(client, error);
    goOn();
    client.release(!isOfUse);
    throw error;
  }
  goOn();
  client.release();
  for (const effect of effects) runEffect(effect, host);
  return result;
}

/** BEGIN, and behind a pooler of transactions the settings. */
export function beginStatement(
  { isolation, readOnly }: TransactionOptions,
  pooled: PooledTransactions | undefined,
): string {
  const level = isolation === undefined ? '' : ` ISOLATION LEVEL ${isolation.toUpperCase()}`;
  const settings = pooled === undefined ? '' : `; ${pooled.settings}`;
  return `BEGIN${level}${readOnly ? ' READ ONLY' : ''}${settings}`;
}

/**
 * Runs one statement as a transaction of its own behind a pooler of transactions. All its messages are sent at once, so
 * it takes one round trip. The client must be in pipeline mode.
 * @throws as {@link runTransaction}
 */
export async function runPooledStatement<R extends object>(
  client: ClientBase,
  pooled: PooledTransactions,
  { statement, values }: { readonly statement: string | PreparedStatement; readonly values?: readonly unknown[] },
): Promise<QueryResult<R>> {
  const beginning = runStatement(client, beginStatement({}, pooled));
  const running = runStatement<R>(client, pooled.adapt(statement), values);
  const [began, ran, ended] = await Promise.allSettled([beginning, running, commit(client)]);
  if (began.status === 'rejected') throw began.reason;
  if (ran.status === 'rejected') throw ran.reason;
  if (ended.status === 'rejected') throw ended.reason;
  return ran.value;
}

/**
 * PostgreSQL responds to the COMMIT of a failed transaction with ROLLBACK and no error. Then the transaction must fail.
 */
async function commit(client: ClientBase): Promise<void> {
  const { command } = await runStatement(client, 'COMMIT');
  if (command !== 'COMMIT') throw new Error('The transaction was rolled back, as a failed statement in it was ignored');
}

/** Returns whether the connection may be used again; dropping it rolls back as well. */
async function rollBack(client: PoolClient, error: unknown): Promise<boolean> {
  if (error instanceof ServiceError && isUnavailable(error.cause)) return false;
  if (client.getTransactionStatus() === 'I') return true;
  try {
    await client.query('ROLLBACK');
    return true;
  } catch {
    return false;
  }
}

function runEffect(effect: () => void, host: TransactionHost): void {
  try {
    effect();
  } catch (error) {
    host.onEffectError(error);
  }
}
