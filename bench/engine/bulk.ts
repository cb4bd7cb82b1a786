// `npm run bench -- engine --only bulk [--quick] [--size 100000]`: $export and $import of bulk data beside COPY of the
// same texts, in turns (docs/reference/performance/bulk.md). An export is timed from its kick-off to the last file
// downloaded, an import from the first byte sent to the end of the job.
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { nameKey } from '#fhir/search/extract/keys.ts';
import { SETTLE_MS } from '#services/engine/bulk/export-job.ts';
import { type Figure, medianOf, printTable, progress } from '../report.ts';
import { type Cost, copyIn, copyOut, exportByJob, importByJob } from './bulk-runs.ts';
import { BULK_KINDS, bulkOf, patientsOf } from './data.ts';
import { type EngineSite, startEngineSite } from './site.ts';

const QUICK_SIZE = 10_000;
const SIZE = 100_000;
const ROUNDS = 3;
/** The least shares of the resources per second of a COPY. */
const MUST_EXPORT = 0.5;
const MUST_IMPORT = 0.25;
const TYPES = ['CarePlan', 'Observation', 'Patient', 'ServiceRequest'];

interface Round {
  readonly ours: Cost;
  readonly bare: Cost;
}

export const BULK_CASES = ['bulk export', 'bulk import'] as const;

/** Prints the table of the cases whose names hold one of the words; whether the musts are met. */
export async function benchBulk({
  isQuick,
  words,
  size = isQuick ? QUICK_SIZE : SIZE,
}: {
  readonly isQuick: boolean;
  readonly words: readonly string[];
  readonly size?: number | undefined;
}): Promise<boolean> {
  const patients = patientsOf(size);
  const count = patients * BULK_KINDS;
  const site = await startEngineSite(patients);
  const folder = await mkdtemp(path.join(tmpdir(), 'kedja-bulk-'));
  try {
    const isWanted = (name: string) => words.some((word) => name.includes(word));
    const [exporting, importing] = BULK_CASES;
    const exports = isWanted(exporting) ? await exportRounds(site, folder, count) : [];
    const imports = isWanted(importing) ? await importRounds(site, folder, patients) : [];
    progress('');
    console.log(`\nbulk data, ${count} resources of ${patients} patients, ${ROUNDS} rounds, beside COPY`);
    return printTable([
      ...figuresOf('$export', exports, { count, must: MUST_EXPORT, waits: SETTLE_MS / 1_000 }),
      ...figuresOf('$import', imports, { count, must: MUST_IMPORT, waits: 0 }),
    ]);
  } finally {
    await site.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function exportRounds(site: EngineSite, folder: string, count: number): Promise<Round[]> {
  const rounds: Round[] = [];
  const [keys, times] = [TYPES.map(nameKey), timesOf(count)];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { cost, files } = await exportByJob(site, { types: TYPES, folder, count });
    const lines = await linesIn(files);
    if (lines !== count) throw new Error(`The files hold ${lines} lines instead of ${count}`);
    rounds.push({ ours: cost, bare: await copyOut(site, { keys, file: path.join(folder, 'copied'), times }) });
  }
  return rounds;
}

async function linesIn(files: readonly string[]): Promise<number> {
  let lines = 0;
  for (const file of files) {
    for await (const piece of createReadStream(file) as AsyncIterable<Buffer>) {
      for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, end + 1)) lines += 1;
    }
  }
  return lines;
}
const NEWLINE = 0x0a;

/** How often a COPY of so many resources is repeated, so that it takes about a second. */
function timesOf(count: number): number {
  return Math.max(1, Math.round(SIZE / count));
}

/** Each round imports other patients, and what belongs to them. */
async function importRounds(site: EngineSite, folder: string, patients: number): Promise<Round[]> {
  const rounds: Round[] = [];
  const file = path.join(folder, 'import.ndjson');
  for (let round = 1; round <= ROUNDS; round += 1) {
    const lines = bulkOf(patients, round * patients);
    await pipeline(Readable.from(pieces(lines)), createWriteStream(file));
    const ours = await importByJob(site, file, patients * BULK_KINDS);
    rounds.push({ ours, bare: await copyIn(site, { file, times: timesOf(patients * BULK_KINDS) }) });
  }
  return rounds;
}

function* pieces(resources: Iterable<object>): Generator<string> {
  let lines: string[] = [];
  for (const resource of resources) {
    lines.push(`${JSON.stringify(resource)}\n`);
    if (lines.length < 1_000) continue;
    yield lines.join('');
    lines = [];
  }
  yield lines.join('');
}

/** The rates, and the processor time of a resource, whose ratios hold on a machine that does other work too. */
function figuresOf(
  name: string,
  rounds: readonly Round[],
  { count, must, waits }: { readonly count: number; readonly must: number; readonly waits: number },
): Figure[] {
  if (rounds.length === 0) return [];
  const rate = (wall: number) => `${Math.round(count / wall)}/s`;
  const median = (of: (round: Round) => number) => medianOf(rounds.map(of));
  const micros = (seconds: number) => `${((seconds / count) * 1e6).toFixed(1)} µs`;
  const busy = ({ process, database }: Cost) => process + database;
  const ofWall = median(({ ours, bare }) => bare.wall / (ours.wall - waits));
  const ofProcessor = median(({ ours, bare }) => busy(bare) / busy(ours));
  const pair = (of: (cost: Cost) => number, shown: (value: number) => string) => ({
    value: shown(median(({ ours }) => of(ours))),
    bare: shown(median(({ bare }) => of(bare))),
  });
  const rates = {
    name: waits === 0 ? `${name}, resources` : `${name}, resources, without the ${waits} s before it reads`,
    value: rate(median(({ ours }) => ours.wall - waits)),
    bare: rate(median(({ bare }) => bare.wall)),
    ratio: ofWall.toFixed(2),
    must: `≥ ${must}`,
    isMet: ofWall >= must,
  };
  const processor = {
    name: `${name}, processor time of a resource`,
    ...pair(busy, micros),
    ratio: ofProcessor.toFixed(2),
    must: `≥ ${must}`,
    isMet: ofProcessor >= must,
  };
  return [
    rates,
    ...(waits === 0
      ? []
      : [{ name: `${name}, resources, all of its time`, value: rate(median(({ ours }) => ours.wall)) }]),
    processor,
    { name: `${name}, of it the process`, ...pair(({ process }) => process, micros) },
    { name: `${name}, of it PostgreSQL`, ...pair(({ database }) => database, micros) },
  ];
}
