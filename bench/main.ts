// `npm run bench [name] [-- --quick]`: the benchmarks, each beside its bare limit measured in the same run.
import { benchEngine } from './engine/engine.ts';
import { benchIdentity } from './identity/identity.ts';
import { benchStart } from './start.ts';
import { benchUsersCsv } from './users-csv.ts';

/** Prints a table of figures; `false` when something that must be reached was missed. */
type Benchmark = (options: BenchmarkOptions) => Promise<unknown>;

interface BenchmarkOptions {
  readonly isQuick: boolean;
  /** Only the cases whose name holds this text; all when empty. */
  readonly only: string;
}

const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  start: benchStart,
  identity: benchIdentity,
  'users-csv': benchUsersCsv,
  engine: benchEngine,
};

async function main(args: readonly string[]): Promise<number> {
  const isQuick = args.includes('--quick');
  const [name, only = ''] = args.filter((arg) => arg !== '--quick');
  if (name !== undefined && !Object.hasOwn(BENCHMARKS, name)) {
    console.error(`There is no benchmark "${name}"; there are: ${Object.keys(BENCHMARKS).join(', ')}`);
    return 1;
  }
  let isMissed = false;
  for (const [title, run] of Object.entries(BENCHMARKS)) {
    if (name !== undefined && name !== title) continue;
    if ((await run({ isQuick, only })) === false) isMissed = true;
  }
  return isMissed ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
