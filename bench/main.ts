// `npm run bench [name] [-- --quick] [--only read,create] [--size 10000]`: the benchmarks, each beside its bare limit
// measured in the same run. Those of the engine are saved by `--save FILE`, and two of them compared by
// `--compare FILE,FILE`.
import { parseArgs } from 'node:util';
import { benchAudit } from './audit/audit.ts';
import { benchCapacity } from './capacity/capacity.ts';
import { benchConsole } from './console/console.ts';
import { benchDispatch } from './dispatch/dispatch.ts';
import { benchEngine } from './engine/engine.ts';
import { benchImport } from './engine/import.ts';
import { benchWorkers } from './engine/workers.ts';
import { benchIdentity } from './identity/identity.ts';
import { benchLibrary } from './library.ts';
import type { BenchmarkOptions } from './options.ts';
import { benchReplicas } from './replicas.ts';
import { benchStart } from './start.ts';
import { benchTenants } from './tenants/tenants.ts';
import { benchSnomed } from './terminology/snomed.ts';
import { benchTerminology } from './terminology/terminology.ts';
import { benchTraces } from './traces.ts';
import { benchUsersCsv } from './users-csv.ts';

/** Prints a table of figures; `false` when something that must be reached was missed. */
type Benchmark = (options: MainOptions) => Promise<unknown>;

interface MainOptions extends BenchmarkOptions {
  readonly save: string | undefined;
  readonly compare: readonly string[] | undefined;
  readonly minutes: number | undefined;
}

const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  start: benchStart,
  identity: benchIdentity,
  'users-csv': benchUsersCsv,
  dispatch: benchDispatch,
  engine: benchEngine,
  import: benchImport,
  library: benchLibrary,
  workers: benchWorkers,
  terminology: benchTerminology,
  snomed: benchSnomed,
  console: benchConsole,
  traces: benchTraces,
  capacity: benchCapacity,
  audit: benchAudit,
  replicas: benchReplicas,
  tenants: benchTenants,
};

async function main(args: readonly string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const options = {
    quick: { type: 'boolean' },
    only: text,
    size: text,
    save: text,
    compare: text,
    minutes: text,
  } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [name, words = ''] = positionals;
  const { quick: isQuick = false, only = words, size, save, compare: files, minutes } = values;
  const sizes = size?.split(',').map(Number);
  const compare = files?.split(',');
  if (name !== undefined && !Object.hasOwn(BENCHMARKS, name)) {
    console.error(`There is no benchmark "${name}"; there are: ${Object.keys(BENCHMARKS).join(', ')}`);
    return 1;
  }
  let isMissed = false;
  for (const [title, run] of Object.entries(BENCHMARKS)) {
    if (name !== undefined && name !== title) continue;
    if (
      (await run({
        isQuick,
        only,
        sizes,
        save,
        compare,
        minutes: minutes === undefined ? undefined : Number(minutes),
      })) === false
    )
      isMissed = true;
  }
  return isMissed ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
