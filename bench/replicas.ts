// `npm run bench replicas [-- --quick]`: reads from two standbys (docs/operations/replicas.md). The processor time of
// the primary for each read, beside that of a node without standbys. Also reads after writes over two nodes; standbys
// that are behind, or killed under load.
import { setTimeout as delay } from 'node:timers/promises';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { batchLookups } from '#fhir/store/read/batched-lookup.ts';
import { createAccessLog } from '#lib/audit/access-log.ts';
import { systemClock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { createDatabase } from '#lib/db/pool.ts';
import { newGuid } from '#lib/guid.ts';
import { createVisits } from '#lib/replicas/visits.ts';
import { createWritePositions } from '#lib/replicas/write-positions.ts';
import { BASE_URL, CALLERS, startEngineOn, type TestEngine } from '#test/support/engine/engine.ts';
import { type ReplicatedEngines, startReplicatedEngines } from '#test/support/engine/replicated-engines.ts';
import type { Hooks } from '#test/support/hooks.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { scheduledMs } from './load/processor.ts';
import type { BenchmarkOptions } from './options.ts';
import { type Figure, medianOf, printTable, progress } from './report.ts';

const CALLER = 'planner';
const PATIENTS = 200;
const AT_ONCE = 64;
/** Behind all that a primary has written. */
const EVERYTHING = 1n << 62n;
const MUST_SHARE = 0.4;
const MUST_WAIT_MS = 100;
/** A machine that does other work runs a timer late. */
const LATE_MS = 50;

interface Site extends ReplicatedEngines {
  /** A node without standbys. */
  readonly plain: TestEngine;
  readonly database: Database;
  readonly ids: readonly string[];
}

/** Prints the table; whether every must is met. */
export async function benchReplicas({ isQuick }: BenchmarkOptions): Promise<boolean> {
  const cleanUps: (() => Promise<void>)[] = [];
  const hooks = lastFirst({ after: (cleanUp) => void cleanUps.push(cleanUp) });
  try {
    const site = await startSite(hooks);
    const rounds = isQuick ? 4 : 12;
    const figures = [
      await compareStatements(site, rounds),
      await compare('read of a resource, between other work', site, {
        rounds,
        isInformation: true,
        path: (turn) => `/Patient/${idAt(site, turn)}`,
      }),
      await compare('search by family name', site, {
        rounds,
        path: (turn) => `/Patient?family=berg${turn % PATIENTS}`,
      }),
      await compare('search, page of 20', site, {
        rounds,
        path: () => '/Patient?family=berg&_sort=birthdate&_count=20',
      }),
      ...(await readOwnWrites(site, isQuick ? 1_000 : 10_000)),
      await readBehind(site),
      await killUnderLoad(site),
    ];
    progress('');
    console.log(`\nreplicas, two standbys; processor time of the primary’s processes, ${AT_ONCE} reads at once`);
    return printTable(figures);
  } finally {
    for (const cleanUp of cleanUps) await cleanUp();
  }
}

async function startSite(hooks: Hooks): Promise<Site> {
  progress('a primary and two standbys');
  // What makes audit events of access records is the same with and without standbys, and would be measured too.
  const site = await startReplicatedEngines(hooks, { isQuiet: true });
  const database = createDatabase({ url: site.url, schema: 'engine' });
  hooks.after(() => database.close());
  const plain = await startEngineOn(hooks, database);
  const made = await Promise.all(Array.from({ length: PATIENTS }, (_, index) => create(plain, `Berg${index}`)));
  await database.query('VACUUM ANALYZE');
  await site.caughtUp();
  await site.using(2);
  return { ...site, plain, database, ids: made };
}

async function create(node: TestEngine, family: string): Promise<string> {
  const name = [{ family, given: ['Anna'] }];
  const answer = await node.call(CALLER, 'POST', '/Patient', {
    resourceType: 'Patient',
    name,
    birthDate: '1970-01-01',
  });
  if (answer.status !== 201) throw new Error(`A create answered ${answer.status}: ${answer.text}`);
  return answer.body.id;
}

function idAt({ ids }: Site, turn: number): string {
  return ids[turn % ids.length] ?? '';
}

interface Compared {
  /** Whether nothing must hold: a small statement costs a busy machine more when others have used its caches. */
  readonly isInformation?: boolean;
  readonly rounds: number;
  readonly path: (turn: number) => string;
}

/** The same reads in turn by the node without standbys and by one with them. */
async function compare(name: string, site: Site, { rounds, path, isInformation = false }: Compared): Promise<Figure> {
  const costs: Costs[] = [];
  for (let round = 0; round < rounds; round += 1) {
    progress(`${name}: round ${round + 1} of ${rounds}`);
    const plain = await costOf(site, site.plain, path);
    costs.push({ plain, ours: await costOf(site, site.one, path) });
  }
  return figureOf(`primary, ${name}`, costs, isInformation);
}

interface Costs {
  /** Microseconds for each read. */
  readonly plain: number;
  readonly ours: number;
}

function figureOf(name: string, costs: readonly Costs[], isInformation = false): Figure {
  const ratio = medianOf(costs.map(({ plain, ours }) => ours / plain));
  const shown = (of: 'plain' | 'ours') => `${medianOf(costs.map((each) => each[of])).toFixed(1)} µs`;
  const figure = { name, value: shown('ours'), bare: shown('plain'), ratio: ratio.toFixed(2) };
  return isInformation ? figure : { ...figure, must: `≤ ${MUST_SHARE}`, isMet: ratio <= MUST_SHARE };
}

/** What a group of reads costs the primary, one group after the other: its statements, and nothing in between. */
async function compareStatements({ database, ids }: Site, rounds: number): Promise<Figure> {
  const groups = 200;
  const principal = CALLERS[CALLER];
  if (principal === undefined) throw new Error('There is no caller');
  const clock = systemClock;
  const accessLog = createAccessLog({ database, clock });
  const visits = createVisits({ primary: database, clock, positions: createWritePositions(database) });
  const source = { database, accessLog, parameters: loadSearchParameters(BASE_URL) };
  const lookups = batchLookups(source);
  const record = {
    action: 'R',
    event: 'patient.read',
    principal,
    address: '127.0.0.1',
    requestId: newGuid(0),
  } as const;
  const access = { kind: 'organisations', guids: principal.organisationGuids ?? [] } as const;
  const plain = (id: string) => lookups.read({ resourceType: 'Patient', id }, () => access, record);
  const ours = (id: string) => {
    const versions = [{ resourceType: 'Patient', id, version: 1 }];
    visits.begin();
    return visits.visit({
      caller: CALLER,
      shown: EVERYTHING,
      record: { ...record, resourceType: 'Patient', versions },
    });
  };
  const timeOf = async (each: (id: string) => Promise<unknown>) => {
    const before = await primaryTime({ database });
    for (let group = 0; group < groups; group += 1) await Promise.all(ids.slice(0, AT_ONCE).map(each));
    return ((await primaryTime({ database })) - before) / groups / AT_ONCE;
  };
  await timeOf(ours);
  const costs: Costs[] = [];
  for (let round = 0; round < rounds; round += 1) costs.push({ plain: await timeOf(plain), ours: await timeOf(ours) });
  return figureOf('primary, read of a resource', costs);
}

/** Microseconds of processor time of the primary for each read. */
async function costOf(site: Site, node: TestEngine, path: (turn: number) => string): Promise<number> {
  const count = 2_000;
  const before = await primaryTime(site);
  let turn = 0;
  const caller = async () => {
    while (turn < count) {
      turn += 1;
      const answer = await node.call(CALLER, 'GET', path(turn));
      if (answer.status !== 200) throw new Error(`A read answered ${answer.status}: ${answer.text}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  return ((await primaryTime(site)) - before) / count;
}

/** Microseconds of all processes of the primary that there are, by Linux's scheduler. */
async function primaryTime({ database }: Pick<Site, 'database'>): Promise<number> {
  const { rows } = await database.query<{ pid: number }>('SELECT pid FROM pg_stat_activity');
  const times = await Promise.all(rows.map(({ pid }) => scheduledMs(pid)));
  return times.reduce((sum, time) => sum + time * 1_000, 0);
}

/** Each write on one node is read on the other at once. */
async function readOwnWrites(site: Site, pairs: number): Promise<Figure[]> {
  const nodes = [site.one, site.two];
  const served = async () => (await site.one.fromStandbys()) + (await site.two.fromStandbys());
  for (const { choiceMs } of nodes) choiceMs.length = 0;
  const before = await served();
  let turn = 0;
  let stale = 0;
  const worker = async (_: unknown, index: number) => {
    const caller = ['planner', 'stranger', 'admin'][index % 3] ?? CALLER;
    const [writer = site.one, reader = site.two] = index % 2 === 0 ? nodes : nodes.toReversed();
    const made = await writer.call(caller, 'POST', '/Patient', { resourceType: 'Patient' });
    const { id } = made.body;
    for (let version = 2; turn < pairs; version += 1) {
      turn += 1;
      if (turn % 200 === 0) progress(`reads after writes: ${turn} of ${pairs}`);
      await writer.call(caller, 'PUT', `/Patient/${id}`, { resourceType: 'Patient', id, birthDate: dayOf(version) });
      const read = await reader.call(caller, 'GET', `/Patient/${id}`);
      if (read.body.meta?.versionId !== String(version)) stale += 1;
    }
  };
  await Promise.all(Array.from({ length: 12 }, worker));
  const share = ((await served()) - before) / pairs;
  const longest = Math.max(...nodes.flatMap(({ choiceMs }) => choiceMs));
  return [
    { name: `${pairs} reads after writes, two nodes`, value: `${stale} stale`, must: '0', isMet: stale === 0 },
    { name: 'of these, from standbys', value: `${Math.round(share * 100)} %` },
    { name: 'longest choice of a server', value: `${longest.toFixed(0)} ms` },
  ];
}

function dayOf(version: number): string {
  return new Date(Date.UTC(1950, 0, version)).toISOString().slice(0, 10);
}

/** The longest choice of a server while the standbys get nothing, from the first moment on. */
async function readBehind(site: Site): Promise<Figure> {
  progress('standbys that are behind');
  const { one, two, standbys } = site;
  two.choiceMs.length = 0;
  for (const standby of standbys) await standby.pause();
  const end = performance.now() + 5_000;
  await Promise.all(
    Array.from({ length: 4 }, async (_, index) => {
      const id = idAt(site, index);
      while (performance.now() < end) {
        const birthDate = dayOf(Math.round(performance.now()));
        await one.call(CALLER, 'PUT', `/Patient/${id}`, { resourceType: 'Patient', id, birthDate });
        await two.call(CALLER, 'GET', `/Patient/${id}`);
      }
    }),
  );
  for (const standby of standbys) await standby.resume();
  await site.caughtUp();
  await site.using(2);
  const longest = Math.max(...two.choiceMs);
  return {
    name: `standbys ever further behind: longest choice of ${two.choiceMs.length}`,
    value: `${longest.toFixed(0)} ms`,
    must: `≤ ${MUST_WAIT_MS} ms and a late timer`,
    isMet: longest <= MUST_WAIT_MS + LATE_MS,
  };
}

async function killUnderLoad(site: Site): Promise<Figure> {
  progress('a standby that is killed');
  const [victim] = site.standbys;
  let failed = 0;
  let reads = 0;
  let isOver = false;
  const load = Promise.all(
    Array.from({ length: AT_ONCE }, async (_, index) => {
      const node = index % 2 === 0 ? site.one : site.two;
      while (!isOver) {
        reads += 1;
        if ((await node.call(CALLER, 'GET', `/Patient/${idAt(site, reads)}`)).status !== 200) failed += 1;
      }
    }),
  );
  await delay(1_000);
  await victim?.kill();
  await site.using(1);
  await delay(1_000);
  await victim?.restart();
  await site.using(2);
  isOver = true;
  await load;
  return {
    name: `a standby killed under load, of ${reads} reads`,
    value: `${failed} failed`,
    must: '0',
    isMet: failed === 0,
  };
}
