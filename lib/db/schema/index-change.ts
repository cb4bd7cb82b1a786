// Makes the changes of indexes that a migration left to the nodes (table `index_change`, docs/adr/0128). New ones are
// built beside the old ones, and old ones are dropped, while others read and write.
import pg from 'pg';
import type { Queryable } from '../database.ts';
import { asQueryable, changeAlone, type SchemaChangeOptions, takesChange } from './own-connection.ts';

/** `busy`: another node makes them. */
export type IndexChangeOutcome = 'current' | 'changed' | 'busy';

interface ChangeRow {
  readonly number: number;
  readonly name: string;
  /** What CREATE INDEX has behind the name; null: the index is dropped. */
  readonly definition: string | null;
}

/**
 * Only looks at a small table when nothing is to be done.
 * @throws ServiceError `unavailable` when the database cannot be reached
 * @throws Error of PostgreSQL when an index cannot be made; the changes before it stay
 */
export async function makeIndexChanges(options: SchemaChangeOptions): Promise<IndexChangeOutcome> {
  const { schema, look, log = () => {} } = options;
  if (look !== undefined && !(await hasChanges(look))) return 'current';
  return changeAlone(options, 'kedja-indexes', async (client) => {
    if (!(await hasChanges(asQueryable(client)))) return 'current';
    if (!(await takesChange(client, 'index_change'))) return 'busy';
    const next = () => nextChange(asQueryable(client));
    for (let change = await next(); change !== undefined; change = await next()) {
      const started = performance.now();
      await make(client, change);
      await client.query('DELETE FROM index_change WHERE number = $1', [change.number]);
      const made = change.definition === null ? 'dropped' : 'created';
      log('info', 'index_changed', { schema, index: change.name, made, ms: Math.round(performance.now() - started) });
    }
    return 'changed';
  });
}

/** Schemas without such migrations do not have the table. */
async function hasChanges(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ known: boolean }>(
    `SELECT to_regclass(quote_ident(current_schema()) || '.index_change') IS NOT NULL AS known`,
  );
  return rows[0]?.known === true && (await nextChange(db)) !== undefined;
}

async function nextChange(db: Queryable): Promise<ChangeRow | undefined> {
  const { rows } = await db.query<ChangeRow>(
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
