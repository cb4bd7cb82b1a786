// `npm run bench engine [-- --quick] [--only read,create] [--size 10000]`: the FHIR core over HTTP, with authentication, access rules,
// validation, indexing and audit, beside bare statements of the same run, with little and with much stored (docs/reference/performance.md).
import { type Figure, printTable, progress } from '../report.ts';
import type { Case, CaseContext } from './cases/case.ts';
import { planCases } from './cases/plans.ts';
import { readCases } from './cases/reads.ts';
import { writeCases } from './cases/writes.ts';
import { countOf, patientsOf } from './data.ts';
import { CONNECTIONS, FEW_CONNECTIONS, type Measured, measure, memoryOf, type Rounds } from './measure.ts';
import { startEngineSite } from './site.ts';

/** Resources stored: every figure is taken at each. */
const SIZES = [10_000, 1_000_000];
const QUICK_SIZES = [10_000, 100_000];
/** The least share of the rate with few resources stored that must be left with many. */
const MUST_KEEP = 0.8;

interface Options {
  readonly isQuick: boolean;
  readonly only: string;
  readonly sizes: readonly number[] | undefined;
}

interface Results {
  readonly size: number;
  readonly measured: ReadonlyMap<string, Measured>;
  readonly memory: Figure;
}

/** Prints the tables; whether every must is met. */
export async function benchEngine({ isQuick, only, sizes = isQuick ? QUICK_SIZES : SIZES }: Options): Promise<boolean> {
  if (sizes.some((size) => !(size >= 100))) throw new Error('--size takes numbers of resources, such as 10000');
  const rounds = isQuick ? { count: 2, milliseconds: 2_000 } : { count: 3, milliseconds: 15_000 };
  const found: Results[] = [];
  for (const size of sizes) found.push(await measureSize(size, rounds, only));
  let isMet = true;
  for (const { size, measured, memory } of found) {
    const patients = patientsOf(size);
    const connections = `${CONNECTIONS} connections, ${FEW_CONNECTIONS} where single answers are timed`;
    console.log(`\nengine, ${countOf(patients)} resources of ${patients} patients, ${connections}`);
    isMet = printTable([...[...measured.values()].flatMap(({ figures }) => figures), memory]) && isMet;
  }
  const [small, large] = found;
  if (small === undefined || large === undefined) return isMet;
  console.log(`\nengine, rates with ${large.size} resources stored beside those with ${small.size}`);
  return printTable(comparison(small, large)) && isMet;
}

function casesOf(context: CaseContext, only: string): Case[] {
  const words = only.split(',');
  const all = [...readCases(context), ...planCases(context), ...writeCases(context)];
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

function comparison(small: Results, large: Results): Figure[] {
  return [...large.measured].map(([name, { rate, isGrowing }]) => {
    const before = small.measured.get(name)?.rate ?? Number.NaN;
    const rates = {
      value: `${Math.round(rate)}/s`,
      bare: `${Math.round(before)}/s`,
      ratio: (rate / before).toFixed(2),
    };
    if (isGrowing) return { name: `${name} (more are found)`, ...rates };
    return { name, ...rates, must: `≥ ${MUST_KEEP}`, isMet: rate / before >= MUST_KEEP };
  });
}
