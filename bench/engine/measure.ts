// Measures one case: ours and the bare limit in turn, several rounds, of which the medians count.
import { type LoadResult, requestText, type SentRequest } from '../load/load.ts';
import { residentMegabytes } from '../load/processes.ts';
import { type Figure, medianOf } from '../report.ts';
import type { Case, LatencyCase, RateCase } from './cases/case.ts';
import type { EngineSite } from './site.ts';

export const CONNECTIONS = 64;
/** Of callers whose single answers are timed: more would measure how they queue for the machine's cores. */
export const FEW_CONNECTIONS = 4;

export interface Rounds {
  readonly count: number;
  readonly milliseconds: number;
}

export interface Measured {
  readonly figures: readonly Figure[];
  readonly isGrowing: boolean;
  /** Answers per second. */
  readonly rate: number;
}

export function measure(site: EngineSite, each: Case, rounds: Rounds): Promise<Measured> {
  return each.kind === 'rate' ? measureRate(site, each, rounds) : measureLatency(site, each, rounds);
}

interface Round {
  readonly ours: LoadResult;
  readonly bare: LoadResult;
}

async function measureRate(site: EngineSite, given: RateCase, rounds: Rounds): Promise<Measured> {
  const { name, bare, beside = 'bare' } = given;
  const ours = sender(site, given, CONNECTIONS);
  const port = beside === 'bare' ? site.barePort : site.port;
  const asBare = (milliseconds: number) =>
    run(site, { port, connections: CONNECTIONS, milliseconds, requests: bare, name });
  await ours(rounds.milliseconds / 4);
  await asBare(rounds.milliseconds / 4);
  const found: Round[] = [];
  for (let round = 0; round < rounds.count; round += 1) {
    found.push({ ours: await ours(rounds.milliseconds), bare: await asBare(rounds.milliseconds) });
  }
  return figuresOf(given, found);
}

function figuresOf({ name, must, p99, each = 1, isGrowing = false }: RateCase, found: readonly Round[]): Measured {
  const ratio = medianOf(found.map(({ ours, bare }) => ours.perSecond / bare.perSecond));
  const rateOf = (of: keyof Round) => medianOf(found.map((round) => round[of].perSecond)) * each;
  const text = (of: keyof Round) => `${Math.round(rateOf(of))}/s`;
  const rates = { name, value: text('ours'), bare: text('bare'), ratio: ratio.toFixed(2) };
  const figures: Figure[] = [must === undefined ? rates : { ...rates, must: `≥ ${must}`, isMet: ratio >= must }];
  if (p99 !== undefined) figures.push(slowest(name, p99, found));
  return { figures, rate: rateOf('ours'), isGrowing };
}

function slowest(name: string, must: number, found: readonly Round[]): Figure {
  const times = medianOf(found.map(({ ours, bare }) => ours.p99 / bare.p99));
  const slow = (of: keyof Round) => `${medianOf(found.map((round) => round[of].p99)).toFixed(1)} ms`;
  const shown = { name: `${name}, p99`, value: slow('ours'), bare: slow('bare'), ratio: times.toFixed(2) };
  return { ...shown, must: `< ${must}`, isMet: times < must };
}

async function measureLatency(site: EngineSite, given: LatencyCase, rounds: Rounds): Promise<Measured> {
  const { name, mustMedian, mustP99 } = given;
  const ours = sender(site, given, FEW_CONNECTIONS);
  await ours(rounds.milliseconds / 4);
  const found: LoadResult[] = [];
  for (let round = 0; round < rounds.count; round += 1) found.push(await ours(rounds.milliseconds));
  const median = medianOf(found.map((result) => result.median));
  const p99 = medianOf(found.map((result) => result.p99));
  const value = `p50 ${median.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
  const must = `< ${mustMedian} and < ${mustP99} ms`;
  const isMet = median < mustMedian && p99 < mustP99;
  const figure: Figure = given.isGrowing ? { name, value } : { name, value, must, isMet };
  return {
    figures: [figure],
    isGrowing: given.isGrowing ?? false,
    rate: medianOf(found.map(({ perSecond }) => perSecond)),
  };
}

/** Sends the case's requests, and goes on in the next round where the last one ended. */
function sender(site: EngineSite, { name, ours }: Case, connections: number) {
  let sent = 0;
  return async (milliseconds: number): Promise<LoadResult> => {
    const result = await run(site, { port: site.port, connections, milliseconds, requests: ours(sent), name });
    sent += result.answers;
    return result;
  };
}

interface Run {
  readonly name: string;
  readonly port: number;
  readonly connections: number;
  readonly milliseconds: number;
  readonly requests: readonly SentRequest[];
}

async function run({ load }: EngineSite, { name, requests, ...job }: Run): Promise<LoadResult> {
  const result = await load.run({ ...job, requests: requests.map((request) => requestText(request)) });
  const wrong = Object.keys(result.statuses).filter((status) => status !== '200' && status !== '201');
  if (wrong.length > 0) throw new Error(`${name} answered ${JSON.stringify(result.statuses)}`);
  return result;
}

const MEMORY_MB = 400;

export async function memoryOf({ servicePid }: EngineSite): Promise<Figure> {
  const megabytes = await residentMegabytes(servicePid);
  return {
    name: 'memory of the process after it',
    value: `${Math.round(megabytes)} MB`,
    must: `< ${MEMORY_MB} MB`,
    isMet: megabytes < MEMORY_MB,
  };
}
