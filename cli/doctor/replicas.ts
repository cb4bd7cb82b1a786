// `kedja doctor` on the standbys of KEDJA_DATABASE_READ_URL (docs/operations/replicas.md).
import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseAddress } from '#lib/db/connection.ts';
import type { Database } from '#lib/db/database.ts';
import { createDatabase } from '#lib/db/pool.ts';
import { type PrimaryState, readPrimaryState, readStandbyState, unusableReason } from '#lib/replicas/server-state.ts';
import { explainError } from '../../runtime/process.ts';
import { type Finding, fail, fine, warn } from './findings.ts';

const STATEMENT_MS = 5_000;
const POLL_MS = 20;
const PAGE = 'See docs/operations/replicas.md';

export interface ReplicaSite {
  readonly primary: DatabaseAddress;
  readonly urls: readonly string[];
  readonly maxLagMs: number;
}

/** A finding for each standby, and more for what slows it down. It changes nothing there. */
export async function checkReplicas({ primary, urls, maxLagMs }: ReplicaSite): Promise<Finding[]> {
  return withDatabase(primary, async (database) => {
    const findings: Finding[] = [];
    for (const url of urls) {
      const state = await readPrimaryState(database);
      findings.push(...(await checkStandby({ ...primary, url }, { state, maxLagMs })));
    }
    return findings;
  });
}

async function checkStandby(
  address: DatabaseAddress,
  { state, maxLagMs }: { readonly state: PrimaryState; readonly maxLagMs: number },
): Promise<Finding[]> {
  const { host: name } = new URL(address.url);
  try {
    return await withDatabase(address, async (database) => {
      const reason = unusableReason(await readStandbyState(database), state);
      if (reason !== undefined) return [fail('replicas.unfit', `${name} is not read from: ${reason}`, PAGE)];
      return [await lagFinding(name, database, { state, maxLagMs }), ...(await feedbackFindings(name, database))];
    });
  } catch (error) {
    const reason = explainError(error).replace(/^the database cannot be used: /, '');
    const advice = 'Start the standby, or correct KEDJA_DATABASE_READ_URL';
    return [warn('replicas.unreachable', `${name} is not read from: ${reason}`, advice)];
  }
}

/** Whether it gets in time what the primary had a moment ago. */
async function lagFinding(
  name: string,
  database: Database,
  { state, maxLagMs }: { readonly state: PrimaryState; readonly maxLagMs: number },
): Promise<Finding> {
  const began = performance.now();
  let missing = 0n;
  do {
    missing = state.position - ((await readStandbyState(database)).position ?? 0n);
    if (missing <= 0n) return fine('replicas.standby', `${name} follows the primary`);
    await delay(POLL_MS);
  } while (performance.now() - began < maxLagMs);
  const message = `${name} is behind by ${missing} bytes of log after ${maxLagMs} ms, and not read from meanwhile`;
  return warn('replicas.lag', message, `Look at its load, its network and its long queries. ${PAGE}`);
}

async function feedbackFindings(name: string, database: Database): Promise<Finding[]> {
  const { rows } = await database.query<{ on: boolean }>(`SELECT current_setting('hot_standby_feedback') = 'on' AS on`);
  if (rows[0]?.on === true) return [];
  const message = `${name} has hot_standby_feedback off, so that vacuum on the primary ends its long searches`;
  return [warn('replicas.feedback', message, 'Set hot_standby_feedback = on there')];
}

async function withDatabase<T>(address: DatabaseAddress, work: (database: Database) => Promise<T>): Promise<T> {
  const database = createDatabase({
    ...address,
    schema: 'public',
    applicationName: 'kedja-doctor',
    statementTimeoutMs: STATEMENT_MS,
    maxConnections: 1,
  });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
