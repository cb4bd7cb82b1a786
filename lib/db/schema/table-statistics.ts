// Renews the planner's statistics of the tables of a schema that have grown much since PostgreSQL last read them
// (docs/adr/0164). Autovacuum does it a minute later, or much later where it is busy. Until then the planner takes a
// table for nearly empty, and a search may read all of it for each of its rows.
import pg from 'pg';
import { type Clock, elapsedOf, HOUR_MS, MINUTE_MS } from '../../clock.ts';
import type { DatabaseLog } from '../connection.ts';
import type { Database, Queryable } from '../database.ts';
import { isGone, isTimedOut } from '../failure.ts';

/** Plans of smaller tables matter little, and queues are often this small. */
const LEAST_ROWS = 500;
/** Statistics are renewed when this share of the rows was written since. Autovacuum waits for a tenth or less. */
const CHANGED_SHARE = 0.25;
/** A table of so many bytes without any statistics has lost them, as in an upgrade of PostgreSQL. */
const NOT_EMPTY_BYTES = 128 * 1024;

/** How often the tables of the schema are listed: the catalog of many tenants is long. */
const LIST_EVERY_MS = 5 * MINUTE_MS;
/** Autovacuum has the table. ANALYZE would wait for it, and PostgreSQL would end it for that. */
const SKIPPED_MS = MINUTE_MS;
/** The table cannot be read within the time limit of statements. */
const TIMED_OUT_MS = HOUR_MS;

interface Table {
  readonly oid: string;
  readonly name: string;
}

/** Those that may be analysed: their statistics belong to their owner. */
const TABLES = `SELECT c.oid::text AS oid FROM pg_class c
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND pg_has_role(c.relowner, 'USAGE')`;

/** The functions behind pg_stat_user_tables, which would also count the scans of each index. */
const OUTDATED = {
  name: 'tables-with-old-statistics',
  text: `SELECT c.oid::text AS oid, c.relname::text AS name FROM unnest($1::oid[]) t (oid) JOIN pg_class c ON c.oid = t.oid
    WHERE c.relnamespace = current_schema()::regnamespace AND (
      (pg_stat_get_live_tuples(c.oid) >= ${LEAST_ROWS} AND pg_stat_get_mod_since_analyze(c.oid) >= ${LEAST_ROWS}
        AND pg_stat_get_mod_since_analyze(c.oid) >= ${CHANGED_SHARE} * pg_stat_get_live_tuples(c.oid))
      OR (pg_stat_get_last_analyze_time(c.oid) IS NULL AND pg_stat_get_last_autoanalyze_time(c.oid) IS NULL
        AND pg_relation_size(c.oid) > ${NOT_EMPTY_BYTES}
        AND NOT EXISTS (SELECT FROM pg_stats s WHERE s.schemaname = current_schema() AND s.tablename = c.relname)))`,
};

const ANALYSES = 'SELECT pg_stat_get_analyze_count($1::oid) + pg_stat_get_autoanalyze_count($1::oid) AS count';

const TAKE = `SELECT pg_try_advisory_xact_lock(hashtextextended('kedja statistics ' || current_schema(), 0)) AS taken`;

export interface TableStatistics {
  /**
   * Renews what is outdated, one table after the other, until the signal is aborted. Returns the names of the tables.
   * Of several nodes one does it at a time; the others return at once. @throws as `Database.query` does
   */
  renew(signal?: AbortSignal): Promise<readonly string[]>;
}

export function createTableStatistics({
  database,
  clock,
  log = () => {},
}: {
  readonly database: Database;
  readonly clock: Clock;
  readonly log?: DatabaseLog;
}): TableStatistics {
  const { schema } = database;
  const postponed = new Map<string, number>();
  let [tables, listedUntil]: [string[], number] = [[], 0];

  async function findOutdated(): Promise<Table[]> {
    const now = elapsedOf(clock);
    if (tables.length === 0 || now >= listedUntil) {
      tables = (await database.query<{ oid: string }>(TABLES)).rows.map(({ oid }) => oid);
      listedUntil = now + LIST_EVERY_MS;
    }
    for (const [oid, until] of postponed) if (now >= until) postponed.delete(oid);
    return (await outdatedOf(database, tables)).filter(({ oid }) => !postponed.has(oid));
  }

  async function renewOne({ oid, name }: Table): Promise<boolean> {
    const postpone = (ms: number) => postponed.set(oid, elapsedOf(clock) + ms);
    try {
      const outcome = await analyze(database, oid);
      if (outcome === 'skipped') postpone(SKIPPED_MS);
      return outcome === 'analysed';
    } catch (error) {
      // A month of audit events may have been removed.
      if (isGone(error)) return false;
      if (!isTimedOut(error)) throw error;
      postpone(TIMED_OUT_MS);
      log('warn', 'database_statistics_timed_out', { schema, table: name });
      return false;
    }
  }

  return {
    async renew(signal) {
      const started = performance.now();
      const renewed: string[] = [];
      for (const table of await findOutdated()) {
        if (signal?.aborted === true) break;
        if (await renewOne(table)) renewed.push(table.name);
      }
      const ms = Math.round(performance.now() - started);
      if (renewed.length > 0) log('info', 'database_statistics_renewed', { schema, tables: renewed, ms });
      return renewed;
    },
  };
}

async function outdatedOf(db: Queryable, oids: readonly string[]): Promise<Table[]> {
  return (await db.query<Table & object>(OUTDATED, [oids])).rows;
}

/** A transaction for each table, so that its lock ends with its ANALYZE. */
async function analyze(database: Database, oid: string): Promise<'analysed' | 'skipped' | 'current'> {
  const before = await countAnalyses(database, oid);
  const isTried = await database.transaction(async (tx) => {
    const { rows } = await tx.query<{ taken: boolean }>(TAKE);
    if (rows[0]?.taken !== true) return false;
    // Another node may have done it meanwhile.
    const [table] = await outdatedOf(tx, [oid]);
    if (table === undefined) return false;
    await tx.query(`ANALYZE (SKIP_LOCKED) ${pg.escapeIdentifier(table.name)}`);
    return true;
  });
  if (!isTried) return 'current';
  return (await countAnalyses(database, oid)) === before ? 'skipped' : 'analysed';
}

async function countAnalyses(db: Queryable, oid: string): Promise<number> {
  return Number((await db.query<{ count: unknown }>(ANALYSES, [oid])).rows[0]?.count);
}
