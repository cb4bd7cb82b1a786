// `npm run bench tenants [-- --quick] [--size 100] [--only memory,connections,servers]`: what tenants cost, and what a
// second database server gives them (docs/operations/tenants.md).
import type { BenchmarkOptions } from '../options.ts';
import { benchConnections } from './connections.ts';
import { benchMemory } from './memory.ts';
import { benchServers } from './servers.ts';

const PARTS = { memory: benchMemory, connections: benchConnections, servers: benchServers } as const;

/** Prints the tables; whether every must is met. */
export async function benchTenants(options: BenchmarkOptions): Promise<boolean> {
  let isMet = true;
  for (const [name, run] of Object.entries(PARTS)) {
    if (options.only !== '' && !options.only.split(',').includes(name)) continue;
    if (!(await run(options))) isMet = false;
  }
  return isMet;
}
