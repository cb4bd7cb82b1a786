// What tenants cost: the memory of a process that serves a hundred of them beside that of one with a single one, when
// they were just used and when they rest; the processor time of a quiet hundred; and of a request at a tenant beside
// one at the default tenant.
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { createTestDatabase } from '#test/support/database/database.ts';
import { testServer } from '#test/support/database/server.ts';
import { call } from '#test/support/http.ts';
import { scheduledMs } from '../load/processor.ts';
import type { BenchmarkOptions } from '../options.ts';
import { type Figure, medianOf, printTable, progress } from '../report.ts';
import { shareOf, withTenantDatabases } from './databases.ts';
import { type Hooks, startTenants } from './site.ts';

const MOST_MB = 60;
const QUIET_SECONDS = 60;
const REST_SECONDS = 30;
const REQUESTS = 200;
const ROUNDS = 7;

/** Prints the table; whether every must is met. */
export function benchMemory(options: BenchmarkOptions): Promise<boolean> {
  return withTenantDatabases(options, async (hooks, databases) => {
    const count = databases.length;
    const one = await measure(hooks, databases.slice(0, 1), { isOne: true });
    const all = await measure(hooks, databases, { isOne: false });
    const more = all.atRest - one.atRest;
    const limit = shareOf(MOST_MB, count);
    const figures: Figure[] = [
      { name: 'memory of a process with one tenant, just used', value: `${one.megabytes.toFixed(0)} MB` },
      { name: `more with ${count} tenants, just used`, value: `${(all.megabytes - one.megabytes).toFixed(1)} MB` },
      { name: 'memory of a process with one tenant, at rest', value: `${one.atRest.toFixed(0)} MB` },
      {
        name: `more with ${count} tenants, all open, at rest`,
        value: `${more.toFixed(1)} MB`,
        must: `<= ${limit} MB`,
        isMet: more <= limit,
      },
      { name: 'of which heap', value: `${(all.heap - one.heap).toFixed(1)} MB` },
      { name: `processor of ${count} tenants without requests`, value: `${all.quietShare.toFixed(1)} % of a core` },
      { name: 'processor of one without requests', value: `${one.quietShare.toFixed(1)} % of a core` },
      { name: 'connections then', value: String(all.connections) },
      {
        name: 'read at a tenant, processor',
        value: `${all.tenantMs.toFixed(2)} ms`,
        bare: `${all.defaultMs.toFixed(2)} ms`,
        ratio: (all.tenantMs / all.defaultMs).toFixed(2),
      },
    ];
    progress('');
    console.log(`\ntenants, each with a database of one server; beside "bare": the default tenant`);
    return printTable(figures);
  });
}

interface Measured {
  /** Ten seconds after the last request. */
  readonly megabytes: number;
  /** Two minutes after it: V8 has given back what it needs no more. Closed are tenants after five. */
  readonly atRest: number;
  readonly heap: number;
  readonly quietShare: number;
  readonly connections: number;
  readonly tenantMs: number;
  readonly defaultMs: number;
}

async function measure(
  hooks: Hooks,
  databases: readonly string[],
  { isOne }: { readonly isOne: boolean },
): Promise<Measured> {
  const { url } = await createTestDatabase(hooks);
  const { kedja, pid, tenants, engine, dispatch, signIn } = await startTenants(hooks, { url, databases });
  const own: string = await signIn('');
  const patient = { resourceType: 'Patient', id: 'one', name: [{ family: randomBytes(4).toString('hex') }] };
  await call(`${engine}/api/v1/Patient/one`, { method: 'PUT', token: own, json: patient });
  let token = '';
  for (const [index, { name }] of tenants.entries()) {
    progress(`tenant ${index + 1} of ${tenants.length}`);
    token = await signIn(`/t/${name}`);
    for (const service of [engine, dispatch]) {
      await call(`${service}/t/${name}/api/v1/Patient/one`, { method: 'PUT', token, json: patient });
      await call(`${service}/t/${name}/api/v1/Patient?name=a&_sort=birthdate`, { token });
    }
  }
  const last = tenants.at(-1)?.name ?? '';
  const tenantRead = () => call(`${engine}/t/${last}/api/v1/Patient/one`, { token });
  const defaultRead = () => call(`${engine}/api/v1/Patient/one`, { token: own });
  const [tenantMs, defaultMs] = isOne ? [0, 0] : await compare(pid, tenantRead, defaultRead);
  progress('memory');
  // Until what the requests made is collected.
  await delay(10_000);
  const megabytes = await residentMegabytes(pid);
  progress('background work');
  await delay(20_000);
  const before = await scheduledMs(pid);
  await delay(QUIET_SECONDS * 1000);
  const quietShare = ((await scheduledMs(pid)) - before) / (QUIET_SECONDS * 10);
  await delay(REST_SECONDS * 1000);
  const atRest = await residentMegabytes(pid);
  const heap = await heapMegabytes([engine]);
  const connections = await connectionsOf(databases);
  await kedja.end('SIGTERM');
  return { megabytes, atRest, heap, quietShare, connections, tenantMs, defaultMs };
}

/** Milliseconds of the process for a request of each kind, in turns. */
async function compare(pid: number, one: () => Promise<unknown>, other: () => Promise<unknown>) {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [place, work] of [one, other].entries()) {
      const before = await scheduledMs(pid);
      for (let turn = 0; turn < REQUESTS; turn += 1) await work();
      const ms = ((await scheduledMs(pid)) - before) / REQUESTS;
      // The first round warms up.
      if (round > 0) times[place as 0 | 1].push(ms);
    }
  }
  return [medianOf(times[0]), medianOf(times[1])] as const;
}

/** Of the process alone, as the kernel counts it. */
async function residentMegabytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Rss: +(\d+) kB/m.exec(text)?.[1]) / 1024;
}

async function heapMegabytes([origin]: readonly string[]): Promise<number> {
  const { text } = await call(`${origin}/metrics`);
  return Number(/^nodejs_heap_size_used_bytes\{[^}]*\} (\S+)/m.exec(text)?.[1]) / 2 ** 20;
}

async function connectionsOf(databases: readonly string[]): Promise<number> {
  const { adminUrl } = await testServer();
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  const names = databases.map((url) => new URL(url).pathname.slice(1));
  const text = 'SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = ANY($1)';
  const { rows } = await client.query<{ n: number }>(text, [names]);
  await client.end();
  return rows[0]?.n ?? Number.NaN;
}
