// `npm run bench workers [-- --quick] [--only read,create] [--size 10000]`: what a second worker (KEDJA_WORKERS=2)
// adds. Two systems serve the same requests in turn: one worker, and two. Their processor time by answer is compared,
// that of PostgreSQL apart. On two cores that the database and the load generator share, rates would compare those. Two
// workers can serve twice the rate of one when an answer costs as much with two as with one. Beside it, in the same
// rounds, are one and two plain servers: an answer of theirs costs more with two, too, as caches are shared.
import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import { auditDone } from '../load/audit-done.ts';
import { requestText, type SentRequest } from '../load/load.ts';
import { askBare, ended, residentMegabytes } from '../load/processes.ts';
import { childrenOf, processorTimes } from '../load/processor.ts';
import type { BenchmarkOptions } from '../options.ts';
import { type Figure, medianOf, printTable, progress } from '../report.ts';
import type { BareWorkersJob } from './bare-workers.ts';
import { bareReads, type Case } from './cases/case.ts';
import { readCases } from './cases/reads.ts';
import { writeCases } from './cases/writes.ts';
import { patientsOf } from './data.ts';
import { CONNECTIONS } from './measure.ts';
import { type EngineSite, startEngineSite } from './site.ts';

const WORKERS = 2;
const SIZE = 10_000;
/**
 * How many times the rate of one worker two workers must reach in most works, and in each. Where two plain servers do
 * not reach it on this machine, as many times as they.
 */
const MUST = 1.7;
const MUST_OF_WRITES = 1.2;
const MICROSECONDS = 1_000_000;
/** Seconds of the database for each answer; less is not compared. */
const LEAST_OF_DATABASE = 5e-6;
const LOOKUPS = ['male', 'female', 'other', 'unknown'];

interface Work {
  readonly name: string;
  readonly must: number;
  readonly ours: Case['ours'];
  /** What the plain servers answer meanwhile; undefined for works that they have no like of. */
  readonly bare: readonly SentRequest[] | undefined;
}

/** Seconds of processor time for each answer. */
interface Cost {
  readonly services: number;
  readonly database: number;
}

interface Measured {
  readonly site: EngineSite;
  /** The processes of the services: the primary and its workers. */
  readonly pids: readonly number[];
  /** Requests sent so far, by work. */
  readonly sent: Map<string, number>;
  readonly bare: Bare;
}

/** Plain servers, as many as the system has workers. */
interface Bare {
  readonly process: ChildProcess;
  readonly port: number;
  readonly pids: readonly number[];
}

/** Prints the table; whether every must is met. */
export async function benchWorkers({ isQuick, only, sizes: [size = SIZE] = [] }: BenchmarkOptions): Promise<boolean> {
  const patients = patientsOf(size);
  const rounds = isQuick ? { count: 6, milliseconds: 1_000 } : { count: 20, milliseconds: 2_000 };
  const one = await start(patients, 1);
  try {
    const two = await start(patients, WORKERS);
    try {
      const figures: Figure[] = [];
      const named = only.split(',').filter((word) => word !== '');
      for (const work of worksOf(patients, [one, two])) {
        if (named.length > 0 && !named.some((word) => work[0].name.includes(word))) continue;
        figures.push(...(await compare([one, two], work, rounds)));
      }
      figures.push(await compareMemory(one, two));
      console.log(
        `\nworkers, ${size} resources, ${CONNECTIONS} connections; processor time of an answer: ${WORKERS} beside 1`,
      );
      return printTable(figures);
    } finally {
      await stop(two);
    }
  } finally {
    await stop(one);
  }
}

async function start(patients: number, workers: number): Promise<Measured> {
  progress(`starting ${workers} of the workers`);
  const site = await startEngineSite(patients, { KEDJA_WORKERS: String(workers) });
  const pids = [site.servicePid, ...(await childrenOf(site.servicePid))];
  return { site, pids, sent: new Map(), bare: await startBare(site.databaseUrl, workers) };
}

async function startBare(url: string, workers: number): Promise<Bare> {
  const server = fork(path.join(import.meta.dirname, 'bare-workers.ts'));
  const port = await askBare(server, { url, workers } satisfies BareWorkersJob);
  const pid = server.pid ?? 0;
  return { process: server, port, pids: [pid, ...(await childrenOf(pid))] };
}

async function stop({ site, bare }: Measured): Promise<void> {
  await ended(bare.process);
  await site.stop();
}

/** Each work as the requests to both systems, whose callers have keys of their own. */
function worksOf(patients: number, systems: readonly [Measured, Measured]): [Work, Work][] {
  const [first, second] = systems.map(({ site: { headers } }) => {
    const cases = [...readCases({ patients, headers }), ...writeCases({ patients, headers })];
    const work = (name: string, must: number, bare?: readonly SentRequest[]): Work => {
      const found = cases.find((each) => each.name === name);
      if (found === undefined) throw new Error(`There is no case "${name}"`);
      return { name, must, ours: found.ours, bare };
    };
    const [answers, reads] = [[{ target: '/answer' }], bareReads(patients)];
    return [
      { name: '$lookup', must: MUST, ours: () => lookups(headers), bare: answers },
      work('read', MUST, reads),
      work('search by identifier', MUST, reads),
      work('search by family, page of 20', MUST, reads),
      work('$validate a Patient', MUST, answers),
      work('create a Patient', MUST_OF_WRITES),
      work('update a Patient with If-Match', MUST_OF_WRITES),
      work('transaction of 20 creates, resources', MUST_OF_WRITES),
    ];
  });
  return (first ?? []).flatMap((work, place) => {
    const other = second?.[place];
    return other === undefined ? [] : [[work, other] as [Work, Work]];
  });
}

function lookups(headers: Readonly<Record<string, string>>): SentRequest[] {
  return LOOKUPS.map((code) => ({
    target: `/api/v1/CodeSystem/$lookup?system=http://hl7.org/fhir/administrative-gender&code=${code}`,
    headers,
  }));
}

async function compare(
  [one, two]: readonly [Measured, Measured],
  [first, second]: readonly [Work, Work],
  rounds: { readonly count: number; readonly milliseconds: number },
): Promise<Figure[]> {
  const { name, must } = first;
  const measureAll = async () => ({
    one: await costOf(one, first, rounds.milliseconds),
    two: await costOf(two, second, rounds.milliseconds),
    bareOne: await bareCostOf(one, first, rounds.milliseconds),
    bareTwo: await bareCostOf(two, second, rounds.milliseconds),
  });
  await measureAll();
  const found: Awaited<ReturnType<typeof measureAll>>[] = [];
  for (let round = 0; round < rounds.count; round += 1) {
    progress(`${name}: ${round + 1} of ${rounds.count}`);
    found.push(await measureAll());
  }
  const ratio = medianOf(found.map((costs) => (WORKERS * costs.one.services) / costs.two.services));
  const bareRatio = medianOf(found.map(({ bareOne, bareTwo }) => (WORKERS * bareOne) / bareTwo));
  const least = Number.isNaN(bareRatio) ? must : Math.min(must, bareRatio);
  const text = (side: 'one' | 'two', part: keyof Cost) =>
    `${Math.round(medianOf(found.map((costs) => costs[side][part])) * MICROSECONDS)} µs`;
  const ofDatabase = medianOf(found.map(({ one: { database: alone }, two: { database } }) => database / alone));
  const figures: Figure[] = [
    {
      name,
      value: text('two', 'services'),
      bare: text('one', 'services'),
      ratio: ratio.toFixed(2),
      must: Number.isNaN(bareRatio) ? `≥ ${must}` : `≥ ${must}; plain servers: ${bareRatio.toFixed(2)}`,
      isMet: ratio >= least,
    },
  ];
  if (medianOf(found.map(({ one: { database } }) => database)) >= LEAST_OF_DATABASE) {
    figures.push({
      name: `${name}, PostgreSQL`,
      value: text('two', 'database'),
      bare: text('one', 'database'),
      ratio: ofDatabase.toFixed(2),
    });
  }
  return figures;
}

async function costOf({ site, pids, sent }: Measured, { name, ours }: Work, milliseconds: number): Promise<Cost> {
  const from = sent.get(name) ?? 0;
  const requests = ours(from).map((request) => requestText(request));
  await auditDone(site.database);
  const before = await processorTimes(site.database, pids);
  const result = await site.load.run({ port: site.port, connections: CONNECTIONS, milliseconds, requests });
  const after = await processorTimes(site.database, pids);
  const wrong = Object.keys(result.statuses).filter((status) => status !== '200' && status !== '201');
  if (wrong.length > 0) throw new Error(`${name} answered ${JSON.stringify(result.statuses)}`);
  sent.set(name, from + result.answers);
  return {
    services: (after.services - before.services) / result.answers,
    database: (after.database - before.database) / result.answers,
  };
}

/** Seconds of processor time of the plain servers for each of their answers; NaN without a like of the work. */
async function bareCostOf({ site, bare }: Measured, { name, bare: sent }: Work, milliseconds: number): Promise<number> {
  if (sent === undefined) return Number.NaN;
  const requests = sent.map((request) => requestText(request));
  const before = await processorTimes(site.database, bare.pids);
  const result = await site.load.run({ port: bare.port, connections: CONNECTIONS, milliseconds, requests });
  const after = await processorTimes(site.database, bare.pids);
  const wrong = Object.keys(result.statuses).filter((status) => status !== '200');
  if (wrong.length > 0) throw new Error(`${name} of plain servers answered ${JSON.stringify(result.statuses)}`);
  return (after.services - before.services) / result.answers;
}

async function compareMemory(one: Measured, two: Measured): Promise<Figure> {
  const [ofOne, ofTwo] = await Promise.all(
    [one, two].map(async ({ pids }) => {
      const each = await Promise.all(pids.map((pid) => residentMegabytes(pid)));
      return each.filter((megabytes) => !Number.isNaN(megabytes)).reduce((sum, megabytes) => sum + megabytes, 0);
    }),
  );
  const times = (ofTwo ?? Number.NaN) / (ofOne ?? Number.NaN);
  return {
    name: 'memory',
    value: `${Math.round(ofTwo ?? 0)} MB`,
    bare: `${Math.round(ofOne ?? 0)} MB`,
    ratio: times.toFixed(2),
  };
}
