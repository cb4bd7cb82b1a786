// The copy of a tenant's schemas by logical replication: what it needs, its start, its progress and its end.
import { setTimeout as delay } from 'node:timers/promises';
import { distributedSchemas } from '#lib/db/schema/distributed.ts';
import { asideOf } from '#lib/tenants/moved-place.ts';
import { identifier, literal, quoted, readTables } from '../backup/catalog.ts';
import { type Move, markerOf } from './ends.ts';

const PROGRESS_MS = 5_000;
const POLL_MS = 100;
/** Says of a schema that an unfinished move made it. */
const UNFINISHED = 'kedja tenant move: not finished';

/** @throws Error that names everything that is missing */
export async function requireMovable({ source, target, schemas }: Move): Promise<void> {
  const issues: string[] = [];
  const distributed = await distributedSchemas(source, schemas);
  if (distributed.length > 0)
    issues.push(
      `Citus has taken ${distributed.join(' and ')} to a node, which is not copied from here: see docs/operations/citus.md`,
    );
  const { rows: at } = await source.query<{ level: string; may: boolean; aside: boolean }>(
    `SELECT current_setting('wal_level') AS level,
       (SELECT rolreplication OR rolsuper FROM pg_roles WHERE rolname = current_user) AS may,
       EXISTS (SELECT FROM pg_namespace WHERE nspname = ANY($1)) AS aside`,
    [schemas.map(asideOf)],
  );
  if (at[0]?.level !== 'logical') issues.push("the server it is at needs wal_level = 'logical' (and a restart)");
  if (at[0]?.may !== true) issues.push('its role there needs REPLICATION: ALTER ROLE … REPLICATION');
  if (at[0]?.aside === true) issues.push(`there is ${schemas.map(asideOf).join(' or ')} of an earlier move: drop it`);
  const { rows: there } = await target.query<{ may: boolean; taken: boolean }>(
    `SELECT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) OR EXISTS (SELECT FROM pg_roles r
         WHERE r.rolname = 'pg_create_subscription' AND pg_has_role(r.oid, 'USAGE')) AS may,
       EXISTS (SELECT FROM pg_namespace WHERE nspname = ANY($1)) AS taken`,
    [schemas],
  );
  if (there[0]?.may !== true)
    issues.push('its role at the new server needs GRANT pg_create_subscription (PostgreSQL 16)');
  if (there[0]?.taken === true) issues.push(`the new database has ${schemas.join(' or ')} already`);
  if (issues.length > 0) throw new Error(`The tenant cannot be moved: ${issues.join('; ')}`);
}

/** The copy begins. The schemas are made at the new server already. */
export async function startCopy(move: Move): Promise<void> {
  const { source, target, schemas, label, sourceUrl } = move;
  for (const schema of schemas) await target.query(`COMMENT ON SCHEMA ${quoted(schema)} IS '${UNFINISHED}'`);
  for (const db of [source, target]) await db.query(`CREATE TABLE ${markerOf(move)} (n integer PRIMARY KEY)`);
  await makePartitions(move);
  const tables = (await copiedTables(move)).map(({ schema, name }) => identifier(schema, name));
  // What migrations have made comes with the copy. Some triggers refuse to remove anything.
  for (const table of tables) await target.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  await target.query(`TRUNCATE ${tables.join(', ')}`);
  for (const table of tables) await target.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
  for (const table of await tablesWithoutKey(move)) await source.query(`ALTER TABLE ${table} REPLICA IDENTITY FULL`);
  await source.query(`CREATE PUBLICATION ${label} FOR TABLE ${tables.join(', ')}`);
  await source.query(`SELECT pg_create_logical_replication_slot($1, 'pgoutput')`, [label]);
  await target.query(
    `CREATE SUBSCRIPTION ${label} CONNECTION ${literal(sourceUrl)} PUBLICATION ${label}
     WITH (create_slot = false, slot_name = ${literal(label)})`,
  );
}

/** Migrations are the release's own; clocks of transactions (xid8) mean nothing on another server. */
async function copiedTables({ source, schemas }: Move): Promise<readonly { schema: string; name: string }[]> {
  const { rows } = await source.query<{ name: string }>(
    `SELECT DISTINCT n.nspname || '.' || c.relname AS name FROM pg_attribute a
     JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = ANY($1) AND c.relkind = 'r' AND a.atttypid = 'xid8'::regtype AND NOT a.attisdropped`,
    [schemas],
  );
  const clocks = new Set(rows.map(({ name }) => name));
  const tables = await readTables(source, schemas);
  return tables.filter(({ schema, name }) => name !== 'schema_migration' && !clocks.has(`${schema}.${name}`));
}

/** Partitions are made as time passes: the new server gets those that the old one has. */
async function makePartitions({ source, target, schemas }: Move): Promise<void> {
  const known = new Set((await readTables(target, schemas)).map(({ schema, name }) => `${schema}.${name}`));
  for (const { schema, name, partition } of await readTables(source, schemas)) {
    if (partition === undefined || known.has(`${schema}.${name}`)) continue;
    await target.query(
      `CREATE TABLE ${identifier(schema, name)} PARTITION OF ${identifier(schema, partition.of)} ${partition.bounds}`,
    );
  }
}

/** Their changes are sent with the whole row before. */
async function tablesWithoutKey({ source, schemas }: Move): Promise<readonly string[]> {
  const { rows } = await source.query<{ schema: string; name: string }>(
    `SELECT n.nspname::text AS schema, c.relname::text AS name
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = ANY($1) AND c.relkind = 'r' AND c.relpersistence = 'p'
       AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)`,
    [schemas],
  );
  return rows.map(({ schema, name }) => identifier(schema, name));
}

/** Waits until every table is copied and follows its changes. @throws Error when the copy fails, or `signal` ends it */
export async function untilCopied(
  { target, label, schemas }: Move,
  signal: AbortSignal,
  onProgress: (left: number) => void,
): Promise<void> {
  let reportedAt = performance.now();
  for (;;) {
    signal.throwIfAborted();
    const { rows } = await target.query<{ left: number; errors: number }>(
      `SELECT (SELECT count(*)::int FROM pg_subscription_rel WHERE srsubid = s.oid AND srsubstate <> 'r') AS left,
         coalesce((SELECT (apply_error_count + sync_error_count)::int FROM pg_stat_subscription_stats t
           WHERE t.subid = s.oid), 0) AS errors
       FROM pg_subscription s WHERE s.subname = $1 AND s.subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      [label],
    );
    const { left = 1, errors = 0 } = rows[0] ?? {};
    if (errors > 0) throw new Error('The new server cannot apply what it gets: its log says why');
    if (left === 0) break;
    if (performance.now() - reportedAt > PROGRESS_MS) {
      reportedAt = performance.now();
      onProgress(left);
    }
    await delay(POLL_MS);
  }
  for (const { schema, name } of await readTables(target, schemas))
    await target.query(`ANALYZE ${identifier(schema, name)}`);
}

/** Ends the copy, finished or not, and removes what a move leaves: also what a killed one has left. */
export async function stopCopy(move: Move): Promise<void> {
  const { source, target, label, schemas } = move;
  const { rows } = await target.query<{ there: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_subscription WHERE subname = $1
       AND subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())) AS there`,
    [label],
  );
  if (rows[0]?.there === true) {
    await target.query(`ALTER SUBSCRIPTION ${label} DISABLE`);
    await target.query(`ALTER SUBSCRIPTION ${label} SET (slot_name = NONE)`);
    await target.query(`DROP SUBSCRIPTION ${label}`);
  }
  await dropSlots(move);
  await source.query(`DROP PUBLICATION IF EXISTS ${label}`);
  for (const schema of [...schemas, ...schemas.map(asideOf)])
    await source.query(`DROP TABLE IF EXISTS ${markerOf({ schemas: [schema] })}`).catch(() => undefined);
  for (const schema of schemas) {
    const { rows: here } = await source.query<{ inCharge: boolean }>(
      'SELECT to_regnamespace($1::text) IS NOT NULL AS "inCharge"',
      [schema],
    );
    // Once the source has set its tables aside, those of the target are the tenant's.
    if (here[0]?.inCharge !== true) continue;
    const found = await target.query<{ comment: string | null }>(
      `SELECT obj_description(oid, 'pg_namespace') AS comment FROM pg_namespace WHERE nspname = $1`,
      [schema],
    );
    if (found.rows[0]?.comment === UNFINISHED) await target.query(`DROP SCHEMA ${quoted(schema)} CASCADE`);
  }
}

/** The slot, and those by which tables were copied. A slot that is in use is free a moment later. */
async function dropSlots({ source, label }: Move): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await source.query(
        `SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots
         WHERE slot_name = $1 AND database = current_database()`,
        [label],
      );
      return;
    } catch (error) {
      if (attempt === 50) throw error;
      await delay(POLL_MS);
    }
  }
}

/** The new server's schemas are the tenant's from now on. */
export async function finish({ target, schemas }: Move): Promise<void> {
  for (const schema of schemas) await target.query(`COMMENT ON SCHEMA ${quoted(schema)} IS NULL`);
}
