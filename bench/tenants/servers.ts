// Four tenants on two database servers beside the same four on one. A service's processes can be more; the cores of a
// database server cannot. So the capacity of an installation is that of its busiest server: operations for each second
// of processor time that this server needs for them. The cores of each server are the same in both cases.
import { rm } from 'node:fs/promises';
import { startEmbeddedPostgres } from '#lib/db/embedded/embedded.ts';
import { createDatabase } from '#lib/db/pool.ts';
import { temporaryDataDir } from '#test/support/database/server.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { call } from '#test/support/http.ts';
import { processorTimes, scheduledMs } from '../load/processor.ts';
import type { BenchmarkOptions } from '../options.ts';
import { medianOf, printTable, progress } from '../report.ts';
import { type Hooks, startTenants, type TenantSite } from './site.ts';

const TENANTS = ['a', 'b', 'c', 'd'];
const MUST = 1.6;
const ROUNDS = 7;
/** Of each tenant in a round. Each turn is eight reads, a search and a write. */
const TURNS = 20;
const READS = 8;
const OPERATIONS = TENANTS.length * TURNS * (READS + 2);

interface Server {
  readonly url: (database: string) => string;
  /** Milliseconds of all its processes so far. */
  processorMs(): Promise<number>;
}

/** Prints the table; whether the must is met. */
export async function benchServers({ isQuick }: BenchmarkOptions): Promise<boolean> {
  const rounds = isQuick ? 3 : ROUNDS;
  const one = await measure(1, rounds);
  const two = await measure(2, rounds);
  const ratio = one.busiestMs / two.busiestMs;
  progress('');
  console.log('\nfour tenants on two database servers; beside "bare": the same on one. An operation is one request');
  return printTable([
    {
      name: 'busiest database server, processor of an operation',
      value: `${two.busiestMs.toFixed(3)} ms`,
      bare: `${one.busiestMs.toFixed(3)} ms`,
      ratio: (two.busiestMs / one.busiestMs).toFixed(2),
    },
    {
      name: 'operations for a second of that server',
      value: (1000 / two.busiestMs).toFixed(0),
      bare: (1000 / one.busiestMs).toFixed(0),
      ratio: ratio.toFixed(2),
      must: `>= ${MUST}`,
      isMet: ratio >= MUST,
    },
    {
      name: 'all database servers, processor of an operation',
      value: `${two.allMs.toFixed(3)} ms`,
      bare: `${one.allMs.toFixed(3)} ms`,
      ratio: (two.allMs / one.allMs).toFixed(2),
    },
    {
      name: 'share of the busiest server',
      value: `${((100 * two.busiestMs) / two.allMs).toFixed(0)} %`,
      bare: '100 %',
    },
    {
      name: 'process of the services, processor of an operation',
      value: `${two.processMs.toFixed(3)} ms`,
      bare: `${one.processMs.toFixed(3)} ms`,
      ratio: (two.processMs / one.processMs).toFixed(2),
    },
  ]);
}

interface Measured {
  /** Milliseconds for each operation. */
  readonly busiestMs: number;
  readonly allMs: number;
  readonly processMs: number;
}

/** The installation's own database, with the accounts and the default tenant, is on the first server. */
async function measure(count: number, rounds: number): Promise<Measured> {
  const cleanUps: (() => Promise<void>)[] = [];
  const hooks = lastFirst({ after: (cleanUp) => void cleanUps.push(cleanUp) });
  try {
    const servers: Server[] = [];
    for (let at = 0; at < count; at += 1) servers.push(await startServer(hooks));
    const databases = TENANTS.map((name, at) => (servers[at % count] as Server).url(name));
    const site = await startTenants(hooks, { url: (servers[0] as Server).url('kedja'), databases });
    const paths = site.tenants.map(({ name }) => `/t/${name}`);
    const tokens: string[] = [];
    for (const at of paths) tokens.push(await site.signIn(at));
    const work = () => operate(site, paths, tokens);
    // The first rounds open connections and warm up.
    for (let round = 0; round < 2; round += 1) await work();
    const costs: Measured[] = [];
    for (let round = 0; round < rounds; round += 1) {
      progress(`${count} server(s), round ${round + 1} of ${rounds}`);
      costs.push(await costOf(work, servers, site.pid));
    }
    const of = (key: keyof Measured) => medianOf(costs.map((each) => each[key]));
    return { busiestMs: of('busiestMs'), allMs: of('allMs'), processMs: of('processMs') };
  } finally {
    for (const cleanUp of cleanUps) await cleanUp();
  }
}

async function startServer(hooks: Hooks): Promise<Server> {
  const dataDir = await temporaryDataDir();
  const databases = ['kedja', ...TENANTS];
  const server = await startEmbeddedPostgres({ dataDir, log: () => undefined, durable: false, databases });
  const database = createDatabase({ url: server.adminUrl, schema: 'public', maxConnections: 1 });
  hooks.after(async () => {
    await database.close();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  });
  return { url: server.url, processorMs: async () => (await processorTimes(database, [])).database * 1000 };
}

async function costOf(work: () => Promise<void>, servers: readonly Server[], pid: number): Promise<Measured> {
  const times = () => Promise.all([scheduledMs(pid), ...servers.map((server) => server.processorMs())]);
  const before = await times();
  await work();
  const after = await times();
  const [processMs = 0, ...each] = after.map((ms, at) => (ms - (before[at] ?? 0)) / OPERATIONS);
  return { busiestMs: Math.max(...each), allMs: each.reduce((sum, ms) => sum + ms, 0), processMs };
}

/** The same at each tenant, all tenants at once. */
async function operate(site: TenantSite, paths: readonly string[], tokens: readonly string[]): Promise<void> {
  await Promise.all(
    paths.map(async (path, at) => {
      const token = tokens[at] ?? '';
      const types = `${site.engine}${path}/api/v1/Patient`;
      for (let turn = 0; turn < TURNS; turn += 1) {
        const json = { resourceType: 'Patient', id: `p${turn}`, name: [{ family: `Berg${turn} ${Math.random()}` }] };
        expect(await call(`${types}/p${turn}`, { method: 'PUT', token, json }));
        for (let read = 0; read < READS; read += 1) expect(await call(`${types}/p${turn}`, { token }));
        expect(await call(`${types}?family=berg${turn}&_count=20`, { token }));
      }
    }),
  );
}

/** What is refused costs little, and would count as fast. */
function expect({ status, body }: Awaited<ReturnType<typeof call>>): void {
  if (status !== 200 && status !== 201) throw new Error(`An operation was answered ${status}: ${JSON.stringify(body)}`);
}
