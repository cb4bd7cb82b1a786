// `kedja doctor` on the database. It checks whether services reach it, its version, encoding and rights, its
// migrations, what a pooler keeps (docs/adr/0114), notifications, and the distance of the clocks.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { DatabaseAddress, DatabaseLog } from '#lib/db/connection.ts';
import type { Database } from '#lib/db/database.ts';
import { createDatabase } from '#lib/db/pool.ts';
import { hasPendingMigrations } from '#lib/db/schema/migrate.ts';
import { connectAlone } from '#lib/db/schema/own-connection.ts';
import { explainError } from '../../runtime/process.ts';
import { MIGRATIONS, type Service } from '../services.ts';
import { blockedFindings } from './blocked.ts';
import { clockFinding, encodingFinding, serverFindings, versionFinding } from './database-judgement.ts';
import { type Finding, fail, fine, warn } from './findings.ts';
import { roomFinding } from './space.ts';

/** Within this time a notification arrives, however busy the server is. */
const ECHO_MS = 5_000;
const STATEMENT_MS = 10_000;
const POOLER_PAGE = 'See docs/operations/pooler.md';
const UNREACHABLE_ADVICE = 'Start the database, or correct KEDJA_DATABASE_URL';

export interface DatabaseSite {
  readonly address: DatabaseAddress;
  /** The services of the configuration that have a schema. */
  readonly services: readonly Service[];
  /** The connections that these services may open. */
  readonly connections: number;
}

export interface DatabaseReport {
  readonly findings: readonly Finding[];
  /** The services whose schema is that of this release, so that their rows can be read. */
  readonly current: readonly Service[];
}

/** Checks everything about the database; it changes nothing there. */
export async function checkDatabase(site: DatabaseSite): Promise<DatabaseReport> {
  const events: string[] = [];
  const log: DatabaseLog = (_level, event) => events.push(event);
  const database = createDatabase({
    ...site.address,
    schema: 'public',
    applicationName: 'kedja-doctor',
    statementTimeoutMs: STATEMENT_MS,
    log,
  });
  try {
    const server = await serverFacts(database);
    if ('code' in server) return { findings: [server], current: [] };
    const migrations = [];
    for (const service of site.services) migrations.push(await migrationState(database, service));
    const findings = [
      versionFinding(server),
      encodingFinding(server.encoding),
      ...serverFindings({ ...server, needed: site.address.pooling === 'transaction' ? 0 : site.connections }),
      ...poolerFindings(site.address, { searchPath: server.search_path, events }),
      ...(await rightsFindings(database, site.services)),
      ...migrations.map(({ finding }) => finding),
      await roomFinding(database),
      ...(await blockedFindings(database)),
      await echoFinding(database, site.address),
      await measureClock(database),
    ];
    return { findings, current: migrations.filter(({ isCurrent }) => isCurrent).map(({ service }) => service) };
  } finally {
    await database.close();
  }
}

const SERVER = `SELECT current_setting('server_version_num')::int AS version,
  current_setting('server_version') AS shown, current_setting('server_encoding') AS encoding,
  current_setting('search_path') AS search_path, pg_is_in_recovery() AS standby,
  (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS superuser,
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS connections,
  ARRAY(SELECT name FROM pg_settings
    WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name) AS unsafe`;

interface ServerFacts {
  version: number;
  shown: string;
  encoding: string;
  search_path: string;
  standby: boolean;
  superuser: boolean;
  connections: number;
  unsafe: string[];
}

async function serverFacts(database: Database): Promise<ServerFacts | Finding> {
  try {
    const { rows } = await database.query<ServerFacts>(SERVER);
    return rows[0] ?? fail('database.unreachable', 'The database sends no answer', UNREACHABLE_ADVICE);
  } catch (error) {
    const reason = explainError(error);
    const isPooler = reason.includes('unsupported startup parameter');
    return fail('database.unreachable', reason, isPooler ? POOLER_PAGE : UNREACHABLE_ADVICE);
  }
}

/** What the pooler keeps of a connection, as far as it can be seen. */
function poolerFindings(
  { pooling = 'session' }: DatabaseAddress,
  { searchPath, events }: { searchPath: string; events: readonly string[] },
): Finding[] {
  if (searchPath.replaceAll(/\s/g, '') !== 'public,public') {
    const message = 'Settings of a connection do not reach PostgreSQL: a pooler is in between';
    const advice =
      'Set KEDJA_DATABASE_POOLING=transaction and KEDJA_DATABASE_DIRECT_URL; see docs/operations/pooler.md';
    return [fail('database.pooling', message, advice)];
  }
  if (events.includes('database_pooler_without_prepared_statements')) {
    const message = 'The pooler keeps no prepared statements, so that each statement is planned anew';
    const advice =
      'Set its max_prepared_statements (PgBouncer 1.21 or later), or unset KEDJA_DATABASE_POOLING if there is none';
    return [warn('database.prepared-statements', message, advice)];
  }
  return pooling === 'session'
    ? []
    : [fine('database.pooling', 'The pooler of transactions keeps prepared statements')];
}

async function rightsFindings(database: Database, services: readonly Service[]): Promise<Finding[]> {
  const { rows } = await database.query<{ schema: string; usable: boolean; foreign: number }>(
    `SELECT n.nspname AS schema,
       has_schema_privilege(n.oid, 'USAGE') AND has_schema_privilege(n.oid, 'CREATE') AS usable,
       (SELECT count(*)::int FROM pg_class c WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p', 'v', 'S')
          AND NOT pg_has_role(c.relowner, 'USAGE')) AS foreign
     FROM pg_namespace n WHERE n.nspname = ANY($1::text[]) ORDER BY n.nspname`,
    [services],
  );
  const findings = rows.flatMap(({ schema, usable, foreign }) => {
    const page = 'See docs/operations/database.md';
    if (!usable) return [fail('database.rights', `The role may not use and change the schema ${schema}`, page)];
    if (foreign === 0) return [];
    const message = `${foreign} tables of the schema ${schema} belong to another role`;
    return [fail('database.rights', message, 'Make the role of KEDJA_DATABASE_URL their owner')];
  });
  const creates = await database.query<{ may: boolean }>(
    `SELECT has_database_privilege(current_database(), 'CREATE') AS may`,
  );
  if (creates.rows[0]?.may !== true) {
    const advice = 'Make it the owner of the database, or GRANT CREATE ON DATABASE';
    findings.push(fail('database.rights', 'The role may not create schemas in its database', advice));
  }
  return findings.length > 0 ? findings : [fine('database.rights', 'The role may create and change what it needs')];
}

interface MigrationState {
  readonly service: Service;
  readonly finding: Finding;
  readonly isCurrent: boolean;
}

async function migrationState(database: Database, service: Service): Promise<MigrationState> {
  const state = (finding: Finding, isCurrent = false): MigrationState => ({ service, finding, isCurrent });
  try {
    const { rows } = await database.query<{ is: boolean }>('SELECT to_regnamespace($1::text) IS NOT NULL AS is', [
      service,
    ]);
    if (rows[0]?.is !== true) {
      return state(fine('database.new-schema', `The schema ${service} is not there yet: the first start makes it`));
    }
    const pending = await hasPendingMigrations({ query: database.query, schema: service }, MIGRATIONS[service]);
    if (!pending) return state(fine('database.migrations', `The schema ${service} is that of this release`), true);
    const message = `Migrations of the schema ${service} are pending`;
    const advice = `Make a backup, then run kedja migrate or start ${service} with this release`;
    return state(warn('database.migrations-pending', message, advice));
  } catch (error) {
    return state(fail('database.migrations', explainError(error), 'See docs/operations/database.md'));
  }
}

/** Whether what the pool notifies arrives at a connection that listens. */
async function echoFinding(pool: Database, address: DatabaseAddress): Promise<Finding> {
  const channel = `kedja_doctor_${randomUUID().replaceAll('-', '')}`;
  try {
    const listening = await connectAlone({ ...address, schema: 'public' }, 'kedja-doctor');
    try {
      await listening.query(`LISTEN ${channel}`);
      const heard = once(listening, 'notification', { signal: AbortSignal.timeout(ECHO_MS) });
      await pool.query(`SELECT pg_notify($1::text, '')`, [channel]);
      const [notification] = await heard.catch(() => []);
      if (Object(notification).channel === channel) {
        return fine('database.listen', 'Notifications arrive at the connection that listens');
      }
      const message = 'What the pool notifies does not arrive at the connection that listens';
      const advice = 'See that KEDJA_DATABASE_DIRECT_URL leads to the same database, past the pooler';
      return warn('database.listen', message, advice);
    } finally {
      await listening.end();
    }
  } catch (error) {
    const name = address.directUrl === undefined ? 'KEDJA_DATABASE_URL' : 'KEDJA_DATABASE_DIRECT_URL';
    const message = `${name} cannot be used for migrations and LISTEN: ${explainError(error)}`;
    return fail('database.direct', message, POOLER_PAGE);
  }
}

async function measureClock(database: Database): Promise<Finding> {
  const sentAt = Date.now();
  const { rows } = await database.query<{ now: number }>(
    'SELECT floor(1000 * extract(epoch FROM clock_timestamp()))::float8 AS now',
  );
  const receivedAt = Date.now();
  const there = rows[0]?.now ?? Number.NaN;
  // A time between question and answer is no difference that can be measured.
  const distance = there < sentAt ? there - sentAt : Math.max(0, there - receivedAt);
  return clockFinding(Math.round(-distance));
}
