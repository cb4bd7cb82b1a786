// Applies numbered SQL migrations to one schema, under an advisory lock (nodes may start at once). Each runs in a
// transaction and is recorded with its checksum in `schema_migration`. Decisions: docs/adr/0001-embedded-postgresql.md,
// docs/operations/database.md.
import pg from 'pg';
import type { ConnectPatience } from '../connect-patience.ts';
import { type DatabaseAddress, type DatabaseLog, endClient, schemaIdentifier } from '../connection.ts';
import type { Queryable } from '../database.ts';
import { isUnavailable, unavailable } from '../failure.ts';
import { type Migration, type MigrationSource, readMigrations } from './migration-files.ts';
import { asQueryable, connectAlone } from './own-connection.ts';
import { statementsOf } from './sql-statements.ts';

export interface MigrateOptions extends DatabaseAddress {
  readonly schema: string;
  readonly sources: readonly MigrationSource[];
  readonly log?: DatabaseLog;
  /** Of a node that starts. */
  readonly patience?: ConnectPatience;
}

type MigrationName = Omit<Migration, 'sql'>;

interface AppliedMigration {
  source: string;
  version: number;
  file: string;
  checksum: string;
}

const OLDEST_SERVER = 150_000;
/** The advisory lock of migrations, as SQL: one per database and not per schema, since services share extensions. */
export const MIGRATIONS_LOCK = "hashtextextended('kedja schema_migration', 0)";
/** A change of tables must not wait long behind a reader, because all other statements would queue behind it. */
const LOCK_TIMEOUT = '60s';

/**
 * Brings the schema up to date and returns the files that it applied, in order.
 * @throws Error when an applied file was changed, or the database is newer than the code. Also when a file has a number
 * before an applied one. Also when a statement fails; that file is then rolled back.
 * @throws ServiceError `unavailable` when the database cannot be reached.
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const migrations = await readMigrations(options.sources);
  const connect = () => connectAlone(options, 'kedja-migrate');
  const client = await (options.patience?.connect(connect) ?? connect());
  try {
    await requireServer(client);
    const applied = await readApplied(asQueryable(client), options.schema);
    if (pendingMigrations(migrations, applied, options.schema).length === 0) return [];
    return await applyAll(client, migrations, options);
  } catch (error) {
    throw isUnavailable(error) ? unavailable(error) : error;
  } finally {
    await endClient(client);
  }
}

/** A schema, over any connections. */
type SchemaReader = Queryable & { readonly schema: string };

/**
 * Whether a migration of the code is still to be applied (then the service is not ready). Reads file names and one
 * small table.
 */
export async function hasPendingMigrations(
  database: SchemaReader,
  sources: readonly MigrationSource[],
): Promise<boolean> {
  return createMigrationCheck(sources)(database);
}

/** The same for many schemas: the files are read once. */
export function createMigrationCheck(
  sources: readonly MigrationSource[],
): (database: SchemaReader) => Promise<boolean> {
  let known: Promise<readonly MigrationName[]> | undefined;
  return async (database) => {
    known ??= namesOf(sources).catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    const migrations = await known;
    const applied = await readApplied(database, database.schema);
    return pendingMigrations(migrations, applied, database.schema).length > 0;
  };
}

async function namesOf(sources: readonly MigrationSource[]): Promise<readonly MigrationName[]> {
  return (await readMigrations(sources)).map(({ sql: _text, ...name }) => name);
}

async function requireServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: number; shown: string; encoding: string }>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS shown,
            current_setting('server_encoding') AS encoding`,
  );
  const server = rows[0];
  if (server === undefined) throw new Error('The database does not report its version');
  if (server.version < OLDEST_SERVER)
    throw new Error(`PostgreSQL 15 or later is needed; the server is ${server.shown}`);
  if (server.encoding !== 'UTF8') throw new Error(`The database must be encoded in UTF8; it is in ${server.encoding}`);
}

async function readApplied(database: Queryable, schema: string): Promise<AppliedMigration[]> {
  const table = `${schemaIdentifier(schema)}.schema_migration`;
  // From the catalog itself: to_regclass may take its answer from before this transaction waited for the lock.
  const { rows } = await database.query<{ exists: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = 'schema_migration') AS exists`,
    [schema],
  );
  if (!rows[0]?.exists) return [];
  const applied = await database.query<AppliedMigration>(`SELECT source, version, file, checksum FROM ${table}`);
  return applied.rows;
}

/** The migrations still to apply. @throws Error that names every reason why the database does not fit these files. */
function pendingMigrations<M extends MigrationName>(
  migrations: readonly M[],
  applied: readonly AppliedMigration[],
  schema: string,
): M[] {
  const key = ({ source, version }: { source: string; version: number }) => `${source} ${version}`;
  const known = new Map(migrations.map((migration) => [key(migration), migration]));
  const done = new Map(applied.map((row) => [key(row), row]));
  const newest = new Map<string, AppliedMigration>();
  const issues: string[] = [];
  for (const row of applied) {
    if (row.version > (newest.get(row.source)?.version ?? -1)) newest.set(row.source, row);
    const file = known.get(key(row));
    const name = `${row.source}/${row.file}`;
    if (file === undefined) issues.push(`${name} is applied but unknown here: the database is newer than this code`);
    else if (file.checksum !== row.checksum)
      issues.push(`${name} was changed after it had been applied; add a new file instead`);
  }
  const pending = migrations.filter((migration) => !done.has(key(migration)));
  for (const { source, version, file } of pending) {
    const last = newest.get(source);
    if (last !== undefined && version < last.version) {
      issues.push(`${source}/${file} is numbered before ${last.file}, which is applied; give it the next number`);
    }
  }
  if (issues.length > 0) throw new Error(`Schema "${schema}" does not fit its migrations: ${issues.join('; ')}`);
  return pending;
}

async function applyAll(
  client: pg.Client,
  migrations: readonly Migration[],
  { schema, log = () => {} }: MigrateOptions,
): Promise<string[]> {
  const done: string[] = [];
  for (;;) {
    const started = performance.now();
    const migration = await applyNext(client, migrations, { schema, log });
    if (migration === undefined) return done;
    const file = `${migration.source}/${migration.file}`;
    log('info', 'migration_applied', { schema, file, ms: Math.round(performance.now() - started) });
    done.push(file);
  }
}

/**
 * Applies the first pending migration in a transaction, and returns it. The lock is the transaction's: a pooler, or a
 * process that is killed, cannot leave it behind.
 */
async function applyNext(
  client: pg.Client,
  migrations: readonly Migration[],
  { schema, log }: { readonly schema: string; readonly log: DatabaseLog },
): Promise<Migration | undefined> {
  await client.query('BEGIN');
  try {
    const { rows } = await client.query<{ locked: boolean }>(
      `SELECT pg_try_advisory_xact_lock(${MIGRATIONS_LOCK}) AS locked`,
    );
    if (!rows[0]?.locked) {
      log('info', 'migrations_waiting', { schema });
      await client.query(`SELECT pg_advisory_xact_lock(${MIGRATIONS_LOCK})`);
    }
    const applied = await readApplied(asQueryable(client), schema);
    if (applied.length === 0) await createTable(asQueryable(client), schema);
    const [next] = pendingMigrations(migrations, applied, schema);
    if (next !== undefined) await apply(asQueryable(client), next);
    await client.query('COMMIT');
    return next;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/**
 * Makes a schema by these migrations within the caller's transaction, which holds {@link MIGRATIONS_LOCK}. The schema
 * has no tables yet. Leaves the search path at the schema. @throws Error that names the file that failed
 */
export async function makeSchema(db: Queryable, schema: string, migrations: readonly Migration[]): Promise<void> {
  await createTable(db, schema);
  await db.query(`SET LOCAL search_path = ${schemaIdentifier(schema)}, public`);
  for (const migration of migrations) {
    await apply(db, migration);
    // Elsewhere each schema has a connection of its own. Temporary functions of one must not be in the way of the next.
    await db.query('DISCARD TEMP');
  }
}

async function createTable(db: Queryable, schema: string): Promise<void> {
  const { rows } = await db.query<{ exists: boolean }>('SELECT to_regnamespace($1) IS NOT NULL AS exists', [schema]);
  if (!rows[0]?.exists) await db.query(`CREATE SCHEMA ${schemaIdentifier(schema)}`);
  await db.query(
    `CREATE TABLE IF NOT EXISTS ${schemaIdentifier(schema)}.schema_migration (
       source text NOT NULL, version integer NOT NULL, file text NOT NULL, checksum text NOT NULL,
       applied_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (source, version))`,
  );
}

async function apply(db: Queryable, { source, version, file, sql: text, checksum }: Migration): Promise<void> {
  const sql = await withSearchPath(db, text);
  let start = 0;
  try {
    await db.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    for (const statement of statementsOf(sql)) {
      start = statement.start;
      await db.query(statement.text);
    }
    start = sql.length;
    await db.query('INSERT INTO schema_migration (source, version, file, checksum) VALUES ($1, $2, $3, $4)', [
      source,
      version,
      file,
      checksum,
    ]);
  } catch (error) {
    if (isUnavailable(error) || !(error instanceof pg.DatabaseError)) throw error;
    throw new Error(`Migration ${source}/${file} failed${atLine(sql, start, error)}: ${error.message}`, {
      cause: error,
    });
  }
}

/** Citus refuses to alter a function to a setting that it does not see in the statement (docs/operations/citus.md). */
async function withSearchPath(db: Queryable, sql: string): Promise<string> {
  const statement = /(ALTER FUNCTION [^;]* SET search_path) FROM CURRENT;/g;
  if (!statement.test(sql)) return sql;
  const { rows } = await db.query<{ path: string }>("SELECT current_setting('search_path') AS path");
  return sql.replaceAll(statement, (_all, before: string) => `${before} TO ${rows[0]?.path};`);
}

/** @param start where the statement that failed begins; the error counts from there */
function atLine(sql: string, start: number, { position }: pg.DatabaseError): string {
  if (position === undefined) return '';
  return ` at line ${sql.slice(0, start + Number(position)).split('\n').length}`;
}
