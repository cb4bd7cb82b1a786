// Measures one case: ours and the bare limit alternate in many short rounds, and the medians count. A shared machine
// may be a third slower a minute later, so only rounds of the same seconds can be compared.
import { auditDone } from '../load/audit-done.ts';
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
  /** Of each of the two. */
  readonly milliseconds: number;
}

export interface Measured {
  readonly figures: readonly Figure[];
  readonly isGrowing: boolean;
  /** Answers per second, or resources. */
  readonly rate: number;
  /**
   * Its rate as a share of the bare limit's in the same rounds. For the time of single answers, it is the share of the
   * bare median. It is 1 where nothing is beside it.
   */
  readonly share: number;
}

const WARM_UP_MS = 1_000;

/** In all 4 s of each, or 45. */
export function roundsOf(isQuick: boolean): Rounds {
  return isQuick ? { count: 8, milliseconds: 500 } : { count: 30, milliseconds: 1_500 };
}

export function measure(site: EngineSite, each: Case, rounds: Rounds): Promise<Measured> {
  return each.kind === 'rate' ? measureRate(site, each, rounds) : measureLatency(site, each, rounds);
}

interface Round<B = LoadResult> {
  readonly ours: LoadResult;
  readonly bare: B;
}

function measureRate(site: EngineSite, given: RateCase, rounds: Rounds): Promise<Measured> {
  const { bare } = given;
  return inTurn(site, given, { connections: CONNECTIONS, rounds, bare }).then((found) => figuresOf(given, found));
}

/** Ours and the bare one, one after the other, round by round. */
async function inTurn(
  site: EngineSite,
  given: Case,
  { connections, rounds, bare }: { connections: number; rounds: Rounds; bare: readonly SentRequest[] },
): Promise<Round[]> {
  const { name } = given;
  const port = given.kind === 'rate' && given.beside === 'service' ? site.port : site.barePort;
  const ours = sender(site, given, connections);
  const asBare = (milliseconds: number) => run(site, { port, connections, milliseconds, requests: bare, name });
  await ours(WARM_UP_MS);
  await asBare(WARM_UP_MS);
  const found: Round[] = [];
  for (let round = 0; round < rounds.count; round += 1) {
    found.push({ ours: await ours(rounds.milliseconds), bare: await asBare(rounds.milliseconds) });
  }
  return found;
}

function figuresOf(given: RateCase, found: readonly Round[]): Measured {
  const { must, p99, each = 1, isGrowing = false } = given;
  const name = titleOf(given);
  const ratio = medianOf(found.map(({ ours, bare }) => ours.perSecond / bare.perSecond));
  const rateOf = (of: keyof Round) => medianOf(found.map((round) => round[of].perSecond)) * each;
  const text = (of: keyof Round) => `${Math.round(rateOf(of))}/s`;
  const rates = { name, value: text('ours'), bare: text('bare'), ratio: ratio.toFixed(2) };
  const figures: Figure[] = [must === undefined ? rates : { ...rates, must: `≥ ${must}`, isMet: ratio >= must }];
  if (p99 !== undefined) figures.push(slowest(given.name, p99, found));
  return { figures, rate: rateOf('ours'), share: ratio, isGrowing };
}

function slowest(name: string, must: number, found: readonly Round[]): Figure {
  const times = medianOf(found.map(({ ours, bare }) => ours.p99 / bare.p99));
  const slow = (of: keyof Round) => `${medianOf(found.map((round) => round[of].p99)).toFixed(1)} ms`;
  const shown = { name: `${name}, p99`, value: slow('ours'), bare: slow('bare'), ratio: times.toFixed(2) };
  return { ...shown, must: `< ${must}`, isMet: times < must };
}

function titleOf({ name, detail }: Case): string {
  return detail === undefined ? name : `${name} (${detail})`;
}

async function measureLatency(site: EngineSite, given: LatencyCase, rounds: Rounds): Promise<Measured> {
  const { mustMedian, mustP99, isGrowing = false, bare } = given;
  const name = titleOf(given);
  const job = { connections: FEW_CONNECTIONS, rounds };
  const found = await (bare === undefined ? alone(site, given, job) : inTurn(site, given, { ...job, bare }));
  const [median, p99] = (['median', 'p99'] as const).map((of) => medianOf(found.map(({ ours }) => ours[of])));
  const value = `p50 ${median?.toFixed(1)} ms, p99 ${p99?.toFixed(1)} ms`;
  const must = `< ${mustMedian} and < ${mustP99} ms`;
  const isMet = median !== undefined && p99 !== undefined && median < mustMedian && p99 < mustP99;
  return {
    figures: [isGrowing ? { name, value } : { name, value, must, isMet }],
    isGrowing,
    rate: medianOf(found.map(({ ours }) => ours.perSecond)),
    share: medianOf(found.map(({ ours, bare }) => (bare ?? ours).median / ours.median)),
  };
}

async function alone(
  site: EngineSite,
  given: LatencyCase,
  { connections, rounds }: { readonly connections: number; readonly rounds: Rounds },
): Promise<Round<undefined>[]> {
  const ours = sender(site, given, connections);
  await ours(WARM_UP_MS);
  const found: Round<undefined>[] = [];
  for (let round = 0; round < rounds.count; round += 1) {
    found.push({ ours: await ours(rounds.milliseconds), bare: undefined });
  }
  return found;
}

/** Sends the case's requests, and goes on in the next round where the last one ended. */
function sender(site: EngineSite, given: Case, connections: number) {
  const { name, ours } = given;
  const port = given.kind === 'rate' && given.isThroughGateway === true ? site.gatewayPort : site.port;
  let sent = 0;
  return async (milliseconds: number): Promise<LoadResult> => {
    await auditDone(site.database);
    const result = await run(site, { port, connections, milliseconds, requests: ours(sent), name });
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
