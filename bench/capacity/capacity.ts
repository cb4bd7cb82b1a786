// `npm run bench capacity [-- --quick]`: what each act costs, measured, and what a region of so many patients needs by
// these costs, simulated (docs/operations/capacity.md).
import { printTable } from '../report.ts';
import { measureCosts } from './costs.ts';
import { ACTS_A_YEAR } from './demand.ts';
import { firstLimit, type Need, sizeFor } from './sizing.ts';

const PATIENTS = [100_000, 1_000_000, 10_000_000];

/** Prints the tables. There is no must: the figures are a plan. */
export async function benchCapacity({ isQuick }: { isQuick: boolean }): Promise<boolean> {
  const costs = await measureCosts(isQuick);
  console.log('\ncapacity, what an act costs');
  for (const [act, { services, database, log, disk }] of Object.entries(costs)) {
    const times = `services ${services.toFixed(2)} ms, database ${database.toFixed(2)} ms`;
    console.log(`  ${act.padEnd(9)} ${times}, log ${kilobytes(log)}, disk ${kilobytes(disk)}`);
  }
  console.log('\ncapacity, acts of a year for each patient');
  for (const [act, { count, why }] of Object.entries(ACTS_A_YEAR)) {
    console.log(`  ${act.padEnd(9)} ${String(count).padStart(4)}  ${why}`);
  }
  return PATIENTS.map((patients) => printNeed(sizeFor(patients, costs))).every((isMet) => isMet);
}

function printNeed(need: Need): boolean {
  const { patients, perSecond, serviceCores, nodes, databaseCores, busyConnections, openConnections } = need;
  const used = need.simulated.stations.map(({ utilisation }) => `${Math.round(utilisation * 100)} %`);
  const first = firstLimit(need);
  console.log(`\ncapacity, ${patients} patients`);
  return printTable([
    { name: 'requests in the busiest minutes', value: `${Math.round(perSecond)}/s` },
    { name: 'cores of services', value: `${serviceCores}, ${used[0]} used` },
    { name: 'nodes of 4 cores, one of which may fail', value: String(nodes) },
    { name: 'cores of the database', value: `${databaseCores}, ${used[1]} used` },
    { name: 'connections in use, open', value: `${busyConnections}, ${openConnections}` },
    { name: 'disk of a year', value: `${(need.disk / 1e12).toFixed(2)} TB` },
    { name: 'write-ahead log in the busiest minutes', value: `${(need.log / 1e6).toFixed(1)} MB/s` },
    { name: 'p99 of the slowest quick act', value: `${need.p99.toFixed(0)} ms` },
    { name: 'first limit of one database server', value: `${first.name}, ${Math.round(first.share * 100)} %` },
  ]);
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} KB`;
}
