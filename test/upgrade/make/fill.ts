// What people do before a state is dumped: the demo, and what it lacks (./more.ts). Then what they read is recorded,
// which later releases must answer, too.
import pg from 'pg';
import { systemClock } from '#lib/clock.ts';
import { call, eventually } from '#test/support/http.ts';
import { ADMIN } from '#test/support/system/whole-system.ts';
import { loadDemo } from '../../../demo/load.ts';
import { startDemoReceiver } from '../../../demo/receiver.ts';
import { createSignIns, type SignIns } from '../sign-in.ts';
import type { Read, State } from '../state.ts';
import { addMore } from './more.ts';
import { ACCOUNTS, type Wanted } from './people.ts';
import type { System } from './system.ts';

/** The discard port (RFC 863), on which nothing listens. */
const DEAD_URL = 'http://127.0.0.1:9/webhook';
const SETTLED_WITHIN_MS = 120_000;
/** What waits to be done by a node, and is done soon. */
const WAITING = [
  'audit_outbox',
  'audit_look',
  'fhir_text_queue',
  'fhir_late_index',
  'fhir_patient_change',
  'index_change',
];

export async function fill(system: System, report: (line: string) => void): Promise<Omit<State, 'commit'>> {
  await loadPeople(system, report);
  report('What the demo lacks …');
  const { reads, totp, ...more } = await addMore(system, ACCOUNTS);
  report('Waiting until what was begun is done …');
  await untilSettled(system.databaseUrl, ['identity', 'engine', 'dispatch']);
  const accounts = { ...ACCOUNTS, planner: { ...ACCOUNTS.planner, totp } };
  return {
    ...more,
    tenants: [{ name: 'north', schema: 'north' }],
    accounts,
    reads: await record(system.gateway, reads, createSignIns(system.gateway, { accounts, apiKeys: more.apiKeys })),
  };
}

async function loadPeople(system: System, report: (line: string) => void): Promise<void> {
  const { identity, dispatch, engine, dataDir, publicUrl } = system;
  const receiver = await startDemoReceiver({
    port: 0,
    dataDir,
    clock: systemClock,
    dispatch: { publicUrl: `${publicUrl}/dispatch`, localUrl: dispatch },
  });
  try {
    await loadDemo({
      ...{ identity, dispatch, engine, receiver },
      admin: ADMIN,
      deadUrl: DEAD_URL,
      clock: systemClock,
      onProgress: (done, total) => void (done === total && report('The demo is loaded.')),
    });
  } finally {
    await receiver.close();
  }
}

/** Webhooks to an address that is dead stay. */
async function untilSettled(url: string, schemas: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname = ANY ($1) AND tablename = ANY ($2)`,
    [schemas, WAITING],
  );
  let waiting: string[] = [];
  const check = async () => {
    waiting = [];
    for (const { name } of rows)
      if ((await client.query(`SELECT 1 FROM ${name} LIMIT 1`)).rows.length > 0) waiting.push(name);
    return waiting.length === 0 || undefined;
  };
  try {
    await eventually(() => `these are empty: ${waiting.join(', ')}`, check, SETTLED_WITHIN_MS, 500);
  } finally {
    await client.end();
  }
}

async function record(gateway: string, wanted: readonly Wanted[], as: SignIns): Promise<Read[]> {
  const reads: Read[] = [];
  for (const { keep, ...read } of wanted) {
    const { body } = await call(`${gateway}${read.at}`, await as(read.as));
    reads.push({ ...read, body: keep(body) });
  }
  return reads;
}
