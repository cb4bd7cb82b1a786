// `npm run bench engine [-- --quick] [--only read,create] [--size 10000] [--save FILE] [--compare FILE,FILE]`: the FHIR
// core over HTTP, with authentication, access rules, validation, indexing and audit, beside bare statements of the same
// run. It runs with little and with much stored (docs/reference/performance/read-write.md).
import { readFile, writeFile } from 'node:fs/promises';
import type { BenchmarkOptions } from '../options.ts';
import { type Figure, printTable, progress } from '../report.ts';
import { BULK_CASES, benchBulk } from './bulk.ts';
import type { Case, CaseContext } from './cases/case.ts';
import { gatewayCases } from './cases/gateway.ts';
import { planCases } from './cases/plans.ts';
import { readCases } from './cases/reads.ts';
import { writeCases } from './cases/writes.ts';
import { countOf, patientsOf } from './data.ts';
import { CONNECTIONS, FEW_CONNECTIONS, type Measured, measure, memoryOf, type Rounds, roundsOf } from './measure.ts';
import { startEngineSite } from './site.ts';

/** Resources stored: every figure is taken at each. */
const SIZES = [10_000, 1_000_000];
const QUICK_SIZES = [10_000, 100_000];
/**
 * What must be left, with many resources stored, of a case's share of its bare limit with few. Rates themselves cannot
 * be compared: between the two are minutes, in which the machine may become slower by more than this.
 */
const MUST_KEEP = 0.8;

interface Options extends BenchmarkOptions {
  /** Where to write what was measured at each size, to be compared later. */
  readonly save?: string | undefined;
  /** Files of before, which are compared instead of measuring anything. */
  readonly compare?: readonly string[] | undefined;
}

interface Results {
  readonly size: number;
  readonly measured: ReadonlyMap<string, Measured>;
  readonly memory: Figure;
}

/** What is kept of a size's results. */
type Kept = Record<string, Pick<Measured, 'rate' | 'share' | 'isGrowing'>>;
interface KeptSize {
  readonly size: number;
  readonly cases: Kept;
}

/** Prints the tables; whether every must is met. */
export async function benchEngine(options: Options): Promise<boolean> {
  const { isQuick, only, sizes = isQuick ? QUICK_SIZES : SIZES, save, compare } = options;
  if (compare !== undefined) return printComparison((await Promise.all(compare.map(readKept))).flat());
  if (sizes.some((size) => !(size >= 100))) throw new Error('--size takes numbers of resources, such as 10000');
  const rounds = roundsOf(isQuick);
  const found: Results[] = [];
  const words = only.split(',');
  // Jobs of minutes are no requests to be repeated, so they are measured by themselves.
  let isMet = true;
  const isBulk = (word: string) => BULK_CASES.some((name) => name.includes(word));
  if (words.some(isBulk)) isMet = await benchBulk({ isQuick, words, size: options.sizes?.[0] });
  if (words.every((word) => word !== '' && isBulk(word))) return isMet;
  for (const size of sizes) found.push(await measureSize(size, rounds, only));
  for (const { size, measured, memory } of found) {
    const patients = patientsOf(size);
    const connections = `${CONNECTIONS} connections, ${FEW_CONNECTIONS} where single answers are timed`;
    console.log(`\nengine, ${countOf(patients)} resources of ${patients} patients, ${connections}`);
    isMet = printTable([...[...measured.values()].flatMap(({ figures }) => figures), memory]) && isMet;
  }
  const kept = found.map(keep);
  if (save !== undefined) await writeFile(save, `${JSON.stringify(kept, undefined, 2)}\n`);
  return printComparison(kept) && isMet;
}

function keep({ size, measured }: Results): KeptSize {
  return {
    size,
    cases: Object.fromEntries(
      [...measured].map(([name, { rate, share, isGrowing }]) => [name, { rate, share, isGrowing }]),
    ),
  };
}

async function readKept(file: string): Promise<KeptSize[]> {
  return JSON.parse(await readFile(file, 'utf8')) as KeptSize[];
}

/** The smallest and the largest size beside each other; nothing where there is but one. */
function printComparison(all: readonly KeptSize[]): boolean {
  const [small, ...others] = all.toSorted((a, b) => a.size - b.size);
  const large = others.at(-1);
  if (small === undefined || large === undefined || small.size === large.size) return true;
  console.log(`\nengine, share of the bare limit with ${large.size} resources stored beside that with ${small.size}`);
  return printTable(comparison(small.cases, large.cases));
}

function casesOf(context: CaseContext, only: string): Case[] {
  const words = only.split(',');
  const all = [...readCases(context), ...planCases(context), ...writeCases(context), ...gatewayCases(context)];
  return all.filter(({ name }) => words.some((word) => name.includes(word)));
}

async function measureSize(size: number, rounds: Rounds, only: string): Promise<Results> {
  const patients = patientsOf(size);
  const site = await startEngineSite(patients);
  try {
    const measured = new Map<string, Measured>();
    for (const each of casesOf({ patients, headers: site.headers }, only)) {
      progress(`${size} resources: ${each.name}`);
      measured.set(each.name, await measure(site, each, rounds));
    }
    progress('');
    return { size, measured, memory: await memoryOf(site) };
  } finally {
    await site.stop();
  }
}

function comparison(small: Kept, large: Kept): Figure[] {
  return Object.entries(large).flatMap(([name, { share, isGrowing }]): Figure[] => {
    const before = small[name]?.share;
    if (before === undefined) return [];
    const ratio = share / before;
    const shares = { value: share.toFixed(2), bare: before.toFixed(2), ratio: ratio.toFixed(2) };
    if (isGrowing) return [{ name: `${name} (more are found)`, ...shares }];
    return [{ name, ...shares, must: `≥ ${MUST_KEEP}`, isMet: ratio >= MUST_KEEP }];
  });
}
