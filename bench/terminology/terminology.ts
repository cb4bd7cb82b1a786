// `npm run bench terminology [-- --quick] [--size 500000] [--only lookup]`. The operations of terminology over HTTP,
// with authentication and everything else that a request passes. They run on a code system that was imported from a
// file. Beside them is a Fastify route that answers a fixed body of the same size.
import { type ChildProcess, fork } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { temporaryDataDir } from '#test/support/database/server.ts';
import { codeOf, LARGE_URL, largeNdjson } from '#test/support/engine/large-code-system.ts';
import { BASE } from '../engine/cases/case.ts';
import { type Rounds, roundsOf } from '../engine/measure.ts';
import { type EngineSite, startEngineSite } from '../engine/site.ts';
import { type LoadJob, type LoadResult, requestText } from '../load/load.ts';
import { askBare, residentMegabytes } from '../load/processes.ts';
import { scheduledMs } from '../load/processor.ts';
import type { BenchmarkOptions } from '../options.ts';
import { type Figure, medianOf, printTable, progress } from '../report.ts';
import type { BareBodiesJob } from './bare-process.ts';
import { casesOf, definitions, requestsOf, type TerminologyCase } from './cases.ts';
import { runImport } from './import-command.ts';
import { loadFigures } from './load-columns.ts';

const SIZE = 500_000;
const QUICK_SIZE = 50_000;
const CONNECTIONS = 50;
const PATIENTS = 100;

/** Prints the table; whether every must is met. */
export async function benchTerminology({
  isQuick,
  only,
  sizes = [isQuick ? QUICK_SIZE : SIZE],
}: BenchmarkOptions): Promise<boolean> {
  const rounds = roundsOf(isQuick);
  const [size = SIZE] = sizes;
  const bare = fork(path.join(import.meta.dirname, 'bare-process.ts'));
  const site = await startEngineSite(PATIENTS);
  try {
    const figures: Figure[] = [await importFigure(site, size), ...(await loadFigures(site.database))];
    await storeDefinitions(site, size);
    figures.push(await awaitLoaded(site));
    const cases = casesOf(size).filter(({ title }) => only.split(',').some((word) => title.includes(word)));
    const barePort = await startBare(site, bare, cases);
    for (const each of cases) {
      progress(each.title);
      figures.push(...(await measureCase(site, each, { barePort, barePid: bare.pid ?? 0, rounds })));
    }
    progress('');
    const memory = await residentMegabytes(site.servicePid);
    figures.push({ name: 'memory of the process after it', value: `${Math.round(memory)} MB` });
    console.log(`\nterminology, ${size} codes in twelve levels, ${CONNECTIONS} connections`);
    return printTable(figures);
  } finally {
    bare.kill();
    await site.stop();
  }
}

/** `kedja terminology import`, as an operator runs it. */
async function importFigure(site: EngineSite, size: number): Promise<Figure> {
  progress(`importing ${size} codes`);
  const folder = await temporaryDataDir();
  try {
    const file = path.join(folder, 'large.ndjson');
    await writeFile(file, largeNdjson(size));
    const { seconds, megabytes } = await runImport(site, folder, file);
    return { name: 'importing the file', value: `${seconds.toFixed(1)} s`, bare: `${Math.round(megabytes)} MB seen` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function storeDefinitions(site: EngineSite, size: number): Promise<void> {
  const entry = definitions(size).map(({ type, id, resource }) => ({
    resource,
    request: { method: 'PUT', url: `${type}/${id}` },
  }));
  const answer = await fetch(`http://127.0.0.1:${site.port}${BASE}`, {
    method: 'POST',
    headers: { 'content-type': 'application/fhir+json', ...site.headers },
    body: JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry }),
  });
  if (!answer.ok) throw new Error(`the value sets were answered by ${answer.status}: ${await answer.text()}`);
}

/** How long the first text filter takes: the words are there already. */
async function awaitLoaded(site: EngineSite): Promise<Figure> {
  for (
    let waited = 0;
    (await answerOf(site, `${BASE}/CodeSystem/$lookup?system=${LARGE_URL}&code=${codeOf(1)}`)) === undefined;
    waited += 1
  ) {
    if (waited > 600) throw new Error('the service did not load the code system');
    await delay(100);
  }
  const startedAt = performance.now();
  await answerOf(site, `${BASE}/ValueSet/$expand?url=https://kedja.example/fhir/ValueSet/1&filter=frac&count=10`);
  return { name: 'the first text filter', value: `${(performance.now() - startedAt).toFixed(1)} ms` };
}

async function answerOf({ port, headers }: EngineSite, target: string): Promise<string | undefined> {
  const answer = await fetch(`http://127.0.0.1:${port}${target}`, { headers });
  const text = await answer.text();
  return answer.ok ? text : undefined;
}

/** Each case's bare route answers what is, of a few answers, the one of middle length. */
async function startBare(site: EngineSite, bare: ChildProcess, cases: readonly TerminologyCase[]): Promise<number> {
  const bodies: [string, string][] = [];
  for (const { name, targets } of cases) {
    const texts: string[] = [];
    for (const target of targets.slice(0, 21)) texts.push((await answerOf(site, target)) ?? '');
    if (texts.includes('')) throw new Error(`${name} is refused`);
    texts.sort((a, b) => a.length - b.length);
    bodies.push([name, texts[Math.floor(texts.length / 2)] ?? '']);
  }
  return askBare(bare, { bodies } satisfies BareBodiesJob);
}

async function measureCase(
  site: EngineSite,
  each: TerminologyCase,
  { barePort, barePid, rounds }: { barePort: number; barePid: number; rounds: Rounds },
): Promise<Figure[]> {
  const requests = requestsOf(each, site.headers).map((request) => requestText(request));
  const bareRequests = [requestText({ target: `/${each.name}` })];
  const ours = (milliseconds: number) =>
    run(site, each.title, { port: site.port, pid: site.servicePid, milliseconds, requests });
  const bare = (milliseconds: number) =>
    run(site, each.title, { port: barePort, pid: barePid, milliseconds, requests: bareRequests });
  // A fifth of the time that is measured, and a tenth of the bare limit's.
  const warmUp = (rounds.count * rounds.milliseconds) / 5;
  await ours(warmUp);
  await bare(warmUp / 2);
  const found: Round[] = [];
  for (let round = 0; round < rounds.count; round += 1)
    found.push({ ours: await ours(rounds.milliseconds), bare: await bare(rounds.milliseconds) });
  return figuresOf(each, found);
}

function figuresOf({ title, must, mustRate, mustP99 }: TerminologyCase, found: readonly Round[]): Figure[] {
  const rate = medianOf(found.map(({ ours }) => ours.perSecond));
  const ratio = medianOf(found.map(({ ours, bare }) => ours.perSecond / bare.perSecond));
  const bare = `${Math.round(medianOf(found.map((round) => round.bare.perSecond)))}/s`;
  const shown = { name: title, value: `${Math.round(rate)}/s`, bare, ratio: ratio.toFixed(2) };
  const target = must === undefined ? undefined : { must: `≥ ${must}`, isMet: ratio >= must };
  const absolute = mustRate === undefined ? undefined : { must: `≥ ${mustRate}/s`, isMet: rate >= mustRate };
  const figures: Figure[] = [{ ...shown, ...target, ...absolute }, timeFigure(title, found)];
  if (mustP99 === undefined) return figures;
  const p99 = medianOf(found.map(({ ours }) => ours.p99));
  const value = `${p99.toFixed(1)} ms`;
  return [...figures, { name: `${title}, p99`, value, must: `< ${mustP99} ms`, isMet: p99 < mustP99 }];
}

/** Processor time by answer. It holds where the machine has other work, unlike the rates. */
function timeFigure(title: string, found: readonly Round[]): Figure {
  const text = (of: keyof Round) => `${medianOf(found.map((round) => round[of].microseconds)).toFixed(1)} µs`;
  const ratio = medianOf(found.map(({ ours, bare }) => bare.microseconds / ours.microseconds));
  return { name: `${title}, processor time`, value: text('ours'), bare: text('bare'), ratio: ratio.toFixed(2) };
}

interface Round {
  readonly ours: Run;
  readonly bare: Run;
}

interface Run extends LoadResult {
  /** Of processor time by answer, in all threads of the process that answers. */
  readonly microseconds: number;
}

async function run(
  { load }: EngineSite,
  title: string,
  { pid, ...job }: Pick<LoadJob, 'port' | 'milliseconds' | 'requests'> & { readonly pid: number },
): Promise<Run> {
  const before = await scheduledMs(pid);
  const result = await load.run({ ...job, connections: CONNECTIONS });
  const microseconds = (((await scheduledMs(pid)) - before) / result.answers) * 1_000;
  const wrong = Object.keys(result.statuses).filter((status) => status !== '200');
  if (wrong.length > 0) throw new Error(`${title} answered ${JSON.stringify(result.statuses)}`);
  return { ...result, microseconds };
}
