// `npm run bench [name]`: the benchmarks, each beside its bare limit measured in the same run.
import { benchStart } from './start.ts';
import { benchUsersCsv } from './users-csv.ts';

/** Prints a table of figures. */
type Benchmark = () => Promise<void>;

const BENCHMARKS: Readonly<Record<string, Benchmark>> = { start: benchStart, 'users-csv': benchUsersCsv };

async function main([name]: readonly string[]): Promise<number> {
  if (name !== undefined && !Object.hasOwn(BENCHMARKS, name)) {
    console.error(`There is no benchmark "${name}"; there are: ${Object.keys(BENCHMARKS).join(', ')}`);
    return 1;
  }
  for (const [title, run] of Object.entries(BENCHMARKS)) {
    if (name === undefined || name === title) await run();
  }
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
