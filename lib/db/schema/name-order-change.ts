// Changes the sort order of name lists in a schema to another language, or to a newer ICU version (docs/adr/0063). It
// builds the collation `name_order` and its indexes beside the old ones without blocking anyone. One short transaction
// then swaps the names.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { DatabaseLog } from '../connection.ts';
import type { Queryable } from '../database.ts';
import { NAME_ORDER } from '../name-order.ts';
import { distributedSchemas } from './distributed.ts';
import { asQueryable, changeAlone, type SchemaChangeOptions, takesChange } from './own-connection.ts';

export interface NameOrderOptions extends SchemaChangeOptions {
  /** BCP 47 tag. */
  readonly language: string;
}

/**
 * `busy`: another node runs it; `unsupported`: the server has no ICU, and sorts by code points, or Citus has taken the
 * schema to a node, and the order stays as it is there.
 */
export type NameOrderOutcome = 'current' | 'changed' | 'busy' | 'unsupported';

const NEXT = `${NAME_ORDER}_next`;
/** The old collation, which statements prepared before the change still use. The next change drops it. */
const BEFORE = `${NAME_ORDER}_before`;
/** Less than deadlock_timeout, so that always this transaction yields. */
const SWAP_LOCK_TIMEOUT = '500ms';
const SWAP_TRIES = 20;
const SWAP_PAUSE_MS = 500;
const NOT_SUPPORTED = '0A000';
const LOCK_NOT_AVAILABLE = '55P03';

interface State {
  oid: string;
  is_current: boolean;
  /** Whether an aborted run left something. */
  has_rest: boolean;
  language: string | null;
}

/**
 * Only queries the catalog when nothing needs to change.
 * @throws ServiceError `unavailable` when the database cannot be reached
 * @throws Error when a table could not be locked for long enough; nothing has changed then
 */
export async function changeNameOrder(options: NameOrderOptions): Promise<NameOrderOutcome> {
  const { schema, language, look, log = () => {} } = options;
  if (look !== undefined && isDone(await readState(look, language))) return 'current';
  return changeAlone(options, 'kedja-name-order', async (client) => {
    const before = await readState(asQueryable(client), language);
    if (isDone(before)) return 'current';
    if (!(await takesChange(client, 'name_order'))) return before.is_current ? 'current' : 'busy';
    // Citus makes no collation at the node of a schema that is distributed already.
    const isDistributed = (await distributedSchemas(asQueryable(client), [schema])).length > 0;
    if (isDistributed) return leave(log, { schema, language, reason: 'the schema is distributed' });
    const state = await readState(asQueryable(client), language);
    if (state.has_rest) await dropRest(client);
    if (state.is_current) return 'current';
    const started = performance.now();
    if (!(await makeCollation(client, language)))
      return leave(log, { schema, language, reason: 'the server has no ICU' });
    const indexes = await makeIndexes(client, state);
    await swap(client, { state, indexes });
    const ms = Math.round(performance.now() - started);
    log('info', 'name_order_changed', { schema, from: state.language, to: language, indexes: indexes.length, ms });
    return 'changed';
  });
}

function leave(log: DatabaseLog, fields: Readonly<Record<string, string>>): 'unsupported' {
  log('warn', 'name_order_unsupported', fields);
  return 'unsupported';
}

function isDone({ is_current: isCurrent, has_rest: hasRest }: State): boolean {
  return isCurrent && !hasRest;
}

/** The comment on the collation is its language; PostgreSQL keeps of which version of ICU it was made. */
async function readState(db: Queryable, language: string): Promise<State> {
  const { rows } = await db.query<State>(
    `SELECT oid::text AS oid, language, language IS NOT DISTINCT FROM $2
       AND collversion IS NOT DISTINCT FROM pg_collation_actual_version(oid) AS is_current, to_regcollation($3) IS NOT NULL AS has_rest
     FROM (SELECT oid, collversion, obj_description(oid, 'pg_collation') AS language FROM pg_collation
           WHERE collname = $1 AND collnamespace = current_schema()::regnamespace) AS c`,
    [NAME_ORDER, language, NEXT],
  );
  const [state] = rows;
  if (state === undefined) throw new Error(`There is no collation ${NAME_ORDER} in the schema`);
  return state;
}

/** The collation that an aborted run left, with its indexes. */
async function dropRest(client: pg.Client): Promise<void> {
  await client.query(`SET lock_timeout = '${SWAP_LOCK_TIMEOUT}'`);
  await client.query(`DROP COLLATION ${NEXT} CASCADE`);
  await client.query('SET lock_timeout = 0');
}

/** False when the server has no ICU. */
async function makeCollation(client: pg.Client, language: string): Promise<boolean> {
  const locale = pg.escapeLiteral(language);
  try {
    await client.query(`CREATE COLLATION ${NEXT} (provider = icu, locale = ${locale})`);
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === NOT_SUPPORTED) return false;
    throw error;
  }
  await client.query(`COMMENT ON COLLATION ${NEXT} IS ${locale}`);
  return true;
}

/**
 * Rebuilds the indexes that have the collation under other names, while others read and write. Returns their original
 * names.
 */
async function makeIndexes(client: pg.Client, { oid }: State): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS definition FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE c.relnamespace = current_schema()::regnamespace AND $1::oid = ANY (i.indcollation::oid[]) ORDER BY c.relname`,
    [oid],
  );
  for (const { name, definition } of rows) {
    const made = definition
      .replace(
        /^CREATE (UNIQUE )?INDEX \S+ ON /,
        (_, unique = '') => `CREATE ${unique}INDEX CONCURRENTLY ${nextName(name)} ON `,
      )
      .replaceAll(`COLLATE ${NAME_ORDER}`, `COLLATE ${NEXT}`);
    await client.query(made);
  }
  return rows.map(({ name }) => name);
}

async function swap(client: pg.Client, change: { state: State; indexes: readonly string[] }): Promise<void> {
  for (let left = SWAP_TRIES; ; left -= 1) {
    try {
      return await swapOnce(client, change);
    } catch (error) {
      await client.query('ROLLBACK');
      if (left === 1 || !(error instanceof pg.DatabaseError) || error.code !== LOCK_NOT_AVAILABLE) throw error;
      await sleep(SWAP_PAUSE_MS);
    }
  }
}

async function swapOnce(
  client: pg.Client,
  { state, indexes }: { state: State; indexes: readonly string[] },
): Promise<void> {
  await client.query('BEGIN');
  await client.query(`SET LOCAL lock_timeout = '${SWAP_LOCK_TIMEOUT}'`);
  for (const name of indexes) {
    await client.query(`DROP INDEX ${pg.escapeIdentifier(name)}`);
    await client.query(`ALTER INDEX ${nextName(name)} RENAME TO ${pg.escapeIdentifier(name)}`);
  }
  await client.query(`DROP COLLATION IF EXISTS ${BEFORE}`);
  await client.query(`ALTER COLLATION ${NAME_ORDER} RENAME TO ${BEFORE}`);
  await client.query(`ALTER COLLATION ${NEXT} RENAME TO ${NAME_ORDER}`);
  const { rows } = await client.query<{ left: number }>(
    'SELECT count(*)::int AS left FROM pg_index WHERE $1::oid = ANY (indcollation::oid[])',
    [state.oid],
  );
  if (rows[0]?.left !== 0) throw new Error(`An index with ${NAME_ORDER} was made meanwhile`);
  await client.query('COMMIT');
}

/** Names of indexes are at most 63 bytes long. */
function nextName(name: string): string {
  return pg.escapeIdentifier(`${name.slice(0, 58)}_next`);
}
