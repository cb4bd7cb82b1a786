// How many connections tenants open on a database server that has all of them: while they are closed, in the first use
// of each, and while they are quiet. A new connection costs the server a process.
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { MINUTE_MS } from '#lib/clock.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { testServer } from '#test/support/database/server.ts';
import { call } from '#test/support/http.ts';
import type { BenchmarkOptions } from '../options.ts';
import { printTable, progress } from '../report.ts';
import { shareOf, withTenantDatabases } from './databases.ts';
import { startTenants, type TenantSite } from './site.ts';

/** New connections a second of a hundred tenants without requests. */
const MOST = 2;
/** Until all have been opened for the first time, for each tenant. */
const FIRST_MS = 500;
/** Until all are quiet. */
const QUIET_MS = 15_000;

/** Prints the table; whether every must is met. */
export function benchConnections(options: BenchmarkOptions): Promise<boolean> {
  return withTenantDatabases(options, async (hooks, databases) => {
    const count = databases.length;
    const observer = new pg.Client({ connectionString: (await testServer()).adminUrl });
    await observer.connect();
    hooks.after(() => observer.end());
    const made = () => connectionsMade(observer, databases);
    const { url } = await createTestDatabase(hooks);
    const site = await startTenants(hooks, { url, databases });
    progress('first opening');
    await delay(QUIET_MS + count * FIRST_MS);
    progress('closed');
    const closed = await perSecond(made);
    const before = await made();
    const refused = await useEach(site);
    const used = (await made()) - before;
    await delay(QUIET_MS);
    progress('quiet');
    const quiet = await perSecond(made);
    const most = shareOf(MOST, count);
    const must = { must: `<= ${most} /s` };
    progress('');
    console.log(`\nconnections that ${count} tenants open, each with a database of one server`);
    return printTable([
      { name: 'while all are closed', value: `${closed.toFixed(2)} /s`, ...must, isMet: closed <= most },
      { name: 'while all are quiet', value: `${quiet.toFixed(2)} /s`, ...must, isMet: quiet <= most },
      { name: 'in the first use of each, for a tenant', value: (used / count).toFixed(1) },
      { name: 'requests that were refused then', value: String(refused), must: '0', isMet: refused === 0 },
    ]);
  });
}

/** Signs in at each tenant, and searches at both services. Returns how many requests were refused. */
async function useEach({ tenants, engine, dispatch, signIn }: TenantSite): Promise<number> {
  let refused = 0;
  for (const [index, { name }] of tenants.entries()) {
    progress(`tenant ${index + 1} of ${tenants.length}`);
    const token = await signIn(`/t/${name}`);
    for (const service of [engine, dispatch]) {
      const { status } = await call(`${service}/t/${name}/api/v1/Patient?name=a`, { token });
      if (status !== 200) refused += 1;
    }
  }
  return refused;
}

async function perSecond(made: () => Promise<number>): Promise<number> {
  const before = await made();
  // A quiet tenant has a round of its work in each minute.
  await delay(MINUTE_MS);
  return ((await made()) - before) / (MINUTE_MS / 1000);
}

/** The sessions that these databases have had. */
async function connectionsMade(observer: pg.Client, databases: readonly string[]): Promise<number> {
  const names = databases.map((url) => new URL(url).pathname.slice(1));
  const text = 'SELECT sum(sessions)::int AS n FROM pg_stat_database WHERE datname = ANY($1)';
  const { rows } = await observer.query<{ n: number }>(text, [names]);
  return rows[0]?.n ?? Number.NaN;
}
