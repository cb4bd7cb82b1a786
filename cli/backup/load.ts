// Loads a backup into a database in one transaction: the schemas by their migrations, the rows by COPY. Then come
// indexes, references and triggers as the migrations made them (docs/adr/0118). Whatever fails, nothing of it stays.

import type { DatabaseAddress } from '#lib/db/connection.ts';
import type { CopyIn } from '#lib/db/copy.ts';
import type { Queryable } from '#lib/db/database.ts';
import { type LongConnection, openLongConnection } from '#lib/db/long-connection.ts';
import { MIGRATIONS_LOCK, makeSchema } from '#lib/db/schema/migrate.ts';
import { columnList, identifier, readTables, type SchemaNames } from './catalog.ts';
import { requireEmpty } from './empty.ts';
import { migrationsOf } from './known-migrations.ts';
import { readRows, TEXT_SETTINGS } from './read-rows.ts';
import type { BackupRecord, KeyContent, Manifest, Sequence, Table, TableSum } from './records.ts';
import { setMark } from './restore-mark.ts';
import { RowDigest } from './row-digest.ts';
import { putBack, takeOff } from './table-parts.ts';

export interface LoadOptions {
  readonly address: DatabaseAddress;
  /** Where each service's tables go. */
  readonly schemas: SchemaNames;
  /** What to do when tables are there already. */
  readonly adviceWhenFull: string;
  /** Is noted with the rows, until it is cleared. */
  readonly mark?: string;
  readonly signal: AbortSignal;
  readonly onRows: (rows: number) => void;
  /** Called with each step after the rows, for a person. */
  readonly onStep: (step: string) => void;
  /** Places the keys of the backup, before the transaction is committed. @throws Error when others are there */
  readonly onKeys: (keys: readonly KeyContent[]) => Promise<void>;
}

export interface Loaded {
  readonly tables: number;
  readonly rows: number;
  readonly keys: number;
}

/**
 * Restores the records of a checked backup. Its rows are compared with the backup before they are committed.
 * @throws Error in words when a schema is not empty, the backup is of a newer release, or the restored rows differ
 */
export async function load(records: AsyncIterable<BackupRecord>, options: LoadOptions): Promise<Loaded> {
  const { address, signal } = options;
  const db = await openLongConnection(address, 'kedja-restore');
  signal.addEventListener('abort', () => void db.end(), { once: true });
  try {
    signal.throwIfAborted();
    await db.query('BEGIN');
    await db.query(`SELECT pg_advisory_xact_lock(${MIGRATIONS_LOCK})`);
    await requireEmpty(db, [...options.schemas.values()], options.adviceWhenFull);
    const loading = new Loading(db, options);
    for await (const record of records) await loading.take(record);
    const loaded = await loading.finish();
    if (options.mark !== undefined) await setMark(db, options.schemas, options.mark);
    await db.query('COMMIT');
    options.onStep('Reading the statistics of the tables');
    for (const table of loading.tables) await db.query(`ANALYZE ${identifier(table.schema, table.name)}`);
    return loaded;
  } finally {
    await db.end();
  }
}

class Loading {
  readonly #db: LongConnection;
  readonly #options: LoadOptions;
  readonly #sums: TableSum[] = [];
  #tables: readonly Table[] = [];
  #parts: Awaited<ReturnType<typeof takeOff>> | undefined;
  #copy: CopyIn | undefined;
  #sequences: readonly Sequence[] = [];
  readonly #keys: KeyContent[] = [];
  #rows = 0;

  constructor(db: LongConnection, options: LoadOptions) {
    this.#db = db;
    this.#options = options;
  }

  get tables(): readonly Table[] {
    return this.#tables;
  }

  async take(record: BackupRecord): Promise<void> {
    switch (record.kind) {
      case 'tenant':
        return;
      case 'manifest':
        await this.#begin(record.manifest);
        return;
      case 'table':
        this.#copy = this.#db.copyIn(await this.#copyStatement());
        return;
      case 'rows':
        await this.#copy?.write(record.bytes);
        return;
      case 'table-end':
        await this.#copy?.end();
        this.#sums.push(record.sum);
        this.#rows += record.sum.rows;
        this.#options.onRows(this.#rows);
        return;
      case 'sequences':
        this.#sequences = record.sequences.map((each) => this.#placed(each));
        return;
      case 'key':
        this.#keys.push(record.key);
        return;
      case 'end':
        return;
      default:
        record satisfies never;
    }
  }

  async finish(): Promise<Loaded> {
    const { onStep, onKeys } = this.#options;
    for (const { schema, name, last_value, is_called } of this.#sequences) {
      await this.#db.query('SELECT setval($1::regclass, $2::bigint, $3::boolean)', [
        identifier(schema, name),
        last_value,
        is_called,
      ]);
    }
    onStep('Making the indexes');
    if (this.#parts !== undefined) await putBack(this.#db, this.#parts);
    onStep('Comparing the rows with the backup');
    await this.#db.query(TEXT_SETTINGS);
    for (const [index, table] of this.tables.entries()) await compare(this.#db, table, this.#sums[index]);
    if (this.#keys.length > 0) await onKeys(this.#keys);
    return { tables: this.tables.length, rows: this.#rows, keys: this.#keys.length };
  }

  async #begin(manifest: Manifest): Promise<void> {
    const schemas = await migrationsOf(manifest);
    const names = schemas.map(({ name }) => this.#schemaOf(name));
    for (const { name, migrations } of schemas) await makeSchema(this.#db, this.#schemaOf(name), migrations);
    const tables = manifest.tables.map((table) => this.#placed(table));
    for (const { schema, name, partition } of tables) {
      if (partition === undefined) continue;
      const parent = identifier(schema, partition.of);
      await this.#db.query(`CREATE TABLE ${identifier(schema, name)} PARTITION OF ${parent} ${partition.bounds}`);
    }
    requireSameTables(tables, await readTables(this.#db, names));
    this.#tables = tables;
    this.#parts = await takeOff(this.#db, names);
    // Rows that migrations made are in the backup, too. An emptied table also takes rows without a second pass.
    const all = tables.map(({ schema, name }) => identifier(schema, name));
    await this.#db.query(`TRUNCATE ${all.join(', ')}`);
  }

  #schemaOf(service: string): string {
    const schema = this.#options.schemas.get(service);
    if (schema === undefined) throw new Error(`The backup has the schema "${service}", which no tenant has`);
    return schema;
  }

  /** With the schema of this database, for that of the backup. */
  #placed<T extends { readonly schema: string }>(named: T): T {
    return { ...named, schema: this.#schemaOf(named.schema) };
  }

  async #copyStatement(): Promise<string> {
    const table = this.tables[this.#sums.length];
    if (table === undefined) throw new Error('The backup has more tables than it names');
    // Computed columns call functions of the schema.
    await setSearchPath(this.#db, table.schema);
    return `COPY ${identifier(table.schema, table.name)} (${columnList(table.columns)}) FROM STDIN WITH (FREEZE)`;
  }
}

async function setSearchPath(db: Queryable, schema: string): Promise<void> {
  await db.query("SELECT set_config('search_path', quote_ident($1) || ', public', true)", [schema]);
}

/** @throws Error that names what differs */
function requireSameTables(inBackup: readonly Table[], made: readonly Table[]): void {
  const describe = ({ schema, name, columns }: Table) => `${schema}.${name} (${[...columns].sort().join(', ')})`;
  const [a, b] = [new Set(inBackup.map(describe)), new Set(made.map(describe))];
  const differing = [...a.symmetricDifference(b)];
  if (differing.length === 0) return;
  const some = differing.slice(0, 5).join('; ');
  throw new Error(`The backup has other tables than the migrations of its release make; they differ in ${some}`);
}

/** @throws Error that names the table */
async function compare(db: LongConnection, table: Table, expected: TableSum | undefined): Promise<void> {
  const digest = new RowDigest();
  for await (const bytes of readRows(db, table)) digest.add(bytes);
  const found = digest.sum();
  if (found.rows === expected?.rows && found.digest === expected.digest) return;
  const counts = `${found.rows} rows here, ${expected?.rows ?? 0} in the backup`;
  throw new Error(`${table.schema}.${table.name} is not as in the backup (${counts}): nothing was restored`);
}
