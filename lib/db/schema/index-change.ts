// Makes the changes of indexes that a migration left to the nodes (table `index_change`, docs/adr/0128): new ones are
// built beside the old ones, and old ones are dropped, while others read and write.
import pg from 'pg';
import type { DatabaseAddress, DatabaseLog } from '../connection.ts';
import { connectAlone } from './own-connection.ts';

export interface IndexChangeOptions extends DatabaseAddress {
  readonly schema: string;
  /** Aborts it. The next call does the unfinished part again. */
  readonly signal?: AbortSignal;
  readonly log?: DatabaseLog;
}

/** `busy`: another node makes them. */
export type IndexChangeOutcome = 'current' | 'changed' | 'busy';

interface ChangeRow {
  readonly number: number;
  readonly name: string;
  /** What CREATE INDEX has behind the name; null: the index is dropped. */
  readonly definition: string | null;
}

/**
 * One lock per schema. It is only tried: CREATE INDEX CONCURRENTLY would wait for a statement that waits for it.
 */
const LOCK = `hashtextextended('kedja index_change ' || current_schema(), 0)`;

/**
 * Only looks at a small table when nothing is to be done.
 * @throws ServiceError `unavailable` when the database cannot be reached
 * @throws Error of PostgreSQL when an index cannot be made; the changes before it stay
 */
export async function makeIndexChanges(options: IndexChangeOptions): Promise<IndexChangeOutcome> {
  const { schema, signal, log = () => {} } = options;
  const client = await connectAlone(options, 'kedja-indexes');
  const end = () => void client.end().catch(() => {});
  signal?.addEventListener('abort', end);
  try {
    if (!(await hasChanges(client))) return 'current';
    const { rows } = await client.query<{ locked: boolean }>(`SELECT pg_try_advisory_lock(${LOCK}) AS locked`);
    if (rows[0]?.locked !== true) return 'busy';
    for (let change = await nextChange(client); change !== undefined; change = await nextChange(client)) {
      const started = performance.now();
      await make(client, change);
      await client.query('DELETE FROM index_change WHERE number = $1', [change.number]);
      const made = change.definition === null ? 'dropped' : 'created';
      log('info', 'index_changed', { schema, index: change.name, made, ms: Math.round(performance.now() - started) });
    }
    return 'changed';
  } catch (error) {
    if (signal?.aborted === true) return 'busy';
    throw error;
  } finally {
    signal?.removeEventListener('abort', end);
    await client.end().catch(() => {});
  }
}

/** Schemas without such migrations do not have the table. */
async function hasChanges(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ known: boolean }>(
    `SELECT to_regclass(quote_ident(current_schema()) || '.index_change') IS NOT NULL AS known`,
  );
  return rows[0]?.known === true && (await nextChange(client)) !== undefined;
}

async function nextChange(client: pg.Client): Promise<ChangeRow | undefined> {
  const { rows } = await client.query<ChangeRow>(
    'SELECT number, name, definition FROM index_change ORDER BY number LIMIT 1',
  );
  return rows[0];
}

async function make(client: pg.Client, { name, definition }: ChangeRow): Promise<void> {
  const index = pg.escapeIdentifier(name);
  if (definition === null) {
    await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`);
    return;
  }
  const { rows } = await client.query<{ valid: boolean }>(
    'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)',
    [index],
  );
  if (rows[0]?.valid === true) return;
  // What an aborted run left behind is kept up to date by every write, and serves nobody.
  await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`);
  await client.query(`CREATE INDEX CONCURRENTLY ${index} ${definition}`);
}
