// Reads the schemas of the services as one backup. It is one transaction, so that everything is of one moment, while
// Kedja serves.
import type { DatabaseAddress } from '#lib/db/connection.ts';
import type { Queryable } from '#lib/db/database.ts';
import { type LongConnection, openLongConnection } from '#lib/db/long-connection.ts';
import { MIGRATIONS_LOCK } from '#lib/db/schema/migrate.ts';
import { identifier, readMigrationsOf, readSchemas, readSequences, readTables, type SchemaNames } from './catalog.ts';
import { readRows, TEXT_SETTINGS } from './read-rows.ts';
import type { BackupRecord, KeyContent, Manifest, Table, TenantFacts } from './records.ts';
import { RowDigest } from './row-digest.ts';

export interface DumpOptions {
  readonly address: DatabaseAddress;
  readonly schemas: SchemaNames;
  /** Whose schemas these are; undefined for those of the installation. */
  readonly tenant?: TenantFacts | undefined;
  readonly keys: readonly KeyContent[];
  readonly signal: AbortSignal;
  /** Called as rows are read; `share` is an estimate, undefined without statistics. */
  readonly onRows: (rows: number, share: number | undefined) => void;
}

/**
 * The records of a backup. Its connection ends with the generator. A node that starts meanwhile with new migrations
 * waits until the backup is done.
 * @throws Error when Kedja has never run on this database; ServiceError `unavailable`
 */
export async function* dump(options: DumpOptions): AsyncGenerator<BackupRecord> {
  const { address, schemas: wanted, tenant, keys, signal, onRows } = options;
  const serviceOf = servicesOf(wanted);
  const db = await openLongConnection(address, 'kedja-backup');
  // Also a statement that waits for a lock ends then.
  signal.addEventListener('abort', () => void db.end(), { once: true });
  try {
    signal.throwIfAborted();
    await db.query(`SELECT pg_advisory_lock_shared(${MIGRATIONS_LOCK})`);
    const schemas = await readSchemas(db, wanted);
    if (schemas.length === 0) throw new Error('There is nothing to back up: no service was ever started here');
    const tables = await readTables(db, schemas);
    await db.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    // The locks come before the snapshot: no table is changed or emptied between them.
    await db.query(
      `LOCK TABLE ${tables.map(({ schema, name }) => identifier(schema, name)).join(', ')} IN ACCESS SHARE MODE`,
    );
    await db.query(TEXT_SETTINGS);
    if (tenant !== undefined) yield { kind: 'tenant', tenant };
    yield { kind: 'manifest', manifest: await readManifest(db, { schemas, tables, serviceOf }) };
    let rows = 0;
    const expected = await estimateRows(db, schemas);
    for (const table of tables) {
      const before = rows;
      yield { kind: 'table', table: { schema: serviceOf(table.schema), name: table.name } };
      rows += yield* dumpRows(db, table, (count) =>
        onRows(before + count, expected === undefined ? undefined : Math.min(1, (before + count) / expected)),
      );
    }
    const sequences = (await readSequences(db, schemas)).map((each) => ({ ...each, schema: serviceOf(each.schema) }));
    yield { kind: 'sequences', sequences };
    for (const key of keys) yield { kind: 'key', key };
    yield { kind: 'end', totals: { tables: tables.length, rows, keys: keys.length } };
  } finally {
    await db.end();
  }
}

function servicesOf(schemas: SchemaNames): (schema: string) => string {
  const services = new Map([...schemas].map(([service, schema]) => [schema, service]));
  return (schema) => services.get(schema) ?? schema;
}

interface Found {
  readonly schemas: readonly string[];
  readonly tables: readonly Table[];
  readonly serviceOf: (schema: string) => string;
}

async function readManifest(db: Queryable, { schemas, tables, serviceOf }: Found): Promise<Manifest> {
  const { rows } = await db.query<{ version: string }>("SELECT current_setting('server_version') AS version");
  const withMigrations: Manifest['schemas'] = [];
  for (const name of schemas)
    withMigrations.push({ name: serviceOf(name), migrations: await readMigrationsOf(db, name) });
  return {
    server_version: rows[0]?.version ?? '',
    schemas: withMigrations,
    tables: tables.map((table) => ({ ...table, schema: serviceOf(table.schema) })),
  };
}

/** Returns the number of rows. */
async function* dumpRows(
  db: LongConnection,
  table: Table,
  onRows: (rows: number) => void,
): AsyncGenerator<BackupRecord, number> {
  const digest = new RowDigest();
  for await (const bytes of readRows(db, table)) {
    digest.add(bytes);
    onRows(digest.rows);
    yield { kind: 'rows', bytes };
  }
  yield { kind: 'table-end', sum: digest.sum() };
  return digest.rows;
}

/** By the statistics of the last vacuum or analyze; undefined where there are none. */
async function estimateRows(db: Queryable, schemas: readonly string[]): Promise<number | undefined> {
  const { rows } = await db.query<{ rows: number }>(
    `SELECT coalesce(sum(greatest(c.reltuples, 0)), 0)::float8 AS rows
     FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = ANY($1::text[]) AND c.relkind = 'r' AND c.relpersistence = 'p'`,
    [schemas],
  );
  const expected = rows[0]?.rows ?? 0;
  return expected === 0 ? undefined : expected;
}
