// How many cores, nodes, connections and bytes so many patients need, by the costs and the assumptions. The number of
// cores is the least with which the simulated queues keep their limits.
import type { Cost } from './cost.ts';
import type { Act, Costs } from './costs.ts';
import { ACTS_A_YEAR, peakRate } from './demand.ts';
import { type Simulated, type Stream, simulate } from './queues.ts';

/** Cores of a node of the services. */
const NODE_CORES = 4;
/** So much of its cores a station may use in the busiest minutes. */
const MOST_USED = 0.6;
/** What people wait for at each step. Sign-ins, bundles and pushes take longer than that on any number of cores. */
const QUICK: readonly string[] = ['read', 'search', 'page', 'create', 'update'] satisfies Act[];
const P99_MS = 100;
/** Mean time until a commit is on the disk, and on a standby in the same town. */
const COMMIT_MS = 2;
/** Connections that a node holds open: the pools of three services, and those that listen. */
const POOL = 33;
const SIMULATED = 200_000;

export interface Need {
  readonly patients: number;
  /** Requests a second in the busiest minutes. */
  readonly perSecond: number;
  readonly serviceCores: number;
  /** At least two, so that one may fail; one more than the cores need. */
  readonly nodes: number;
  readonly databaseCores: number;
  /** Connections in use at once, by Little's law, with four deviations above the mean. */
  readonly busyConnections: number;
  readonly openConnections: number;
  /** Bytes a year. */
  readonly disk: number;
  /** Bytes a second of the write-ahead log in the busiest minutes. */
  readonly log: number;
  /** Milliseconds of the slowest of the quick acts. */
  readonly p99: number;
  readonly simulated: Simulated;
}

export function sizeFor(patients: number, costs: Costs): Need {
  const acts = Object.entries(costs) as [Act, Cost][];
  const sum = (of: (cost: Cost, act: Act) => number) => acts.reduce((all, [act, cost]) => all + of(cost, act), 0);
  const rate = (act: Act) => peakRate(act, patients);
  const busy = (of: 'services' | 'database') => sum((cost, act) => (cost[of] * rate(act)) / 1_000);
  let serviceCores = Math.ceil(busy('services') / MOST_USED);
  let databaseCores = Math.ceil(busy('database') / MOST_USED);
  const streams = streamsOf(acts, rate);
  let simulated = simulateOn(streams, serviceCores, databaseCores);
  while (slowestOf(simulated) > P99_MS) {
    const [services, database] = simulated.stations;
    if ((services?.utilisation ?? 0) >= (database?.utilisation ?? 0)) serviceCores += 1;
    else databaseCores += 1;
    simulated = simulateOn(streams, serviceCores, databaseCores);
  }
  const inUse = sum((cost, act) => ((cost.database + COMMIT_MS) * rate(act)) / 1_000);
  const nodes = Math.max(2, Math.ceil(serviceCores / NODE_CORES) + 1);
  return {
    patients,
    perSecond: sum((_, act) => rate(act)),
    serviceCores,
    nodes,
    databaseCores,
    busyConnections: Math.ceil(inUse + 4 * Math.sqrt(inUse)),
    openConnections: nodes * POOL,
    disk: sum((cost, act) => cost.disk * ACTS_A_YEAR[act].count) * patients,
    log: sum((cost, act) => cost.log * rate(act)),
    p99: slowestOf(simulated),
    simulated,
  };
}

function slowestOf({ streams }: Simulated): number {
  return Math.max(...streams.filter(({ name }) => QUICK.includes(name)).map(({ p99 }) => p99));
}

function simulateOn(streams: readonly Stream[], serviceCores: number, databaseCores: number): Simulated {
  const stations = [
    { name: 'cores of services', servers: serviceCores },
    { name: 'cores of the database', servers: databaseCores },
    { name: 'commits', servers: Number.POSITIVE_INFINITY },
  ];
  return simulate(stations, streams, { requests: SIMULATED, seed: 1 });
}

/** Half of a service's work comes before its statements, and half after them. */
function streamsOf(acts: readonly [Act, Cost][], rate: (act: Act) => number): Stream[] {
  return acts.map(([act, { services, database }]) => ({
    name: act,
    perSecond: rate(act),
    visits: [
      { station: 0, mean: services / 2 },
      { station: 1, mean: database },
      { station: 2, mean: COMMIT_MS },
      { station: 0, mean: services / 2 },
    ],
  }));
}

/** What one good server of PostgreSQL gives. */
const ONE_SERVER = { cores: 64, connections: 500, disk: 20e12, log: 200e6 } as const;

/** The limit of one database server that is reached first, and the part of it that is needed. */
export function firstLimit({ databaseCores, openConnections, disk, log }: Need): { name: string; share: number } {
  const limits = [
    { name: 'cores of the database', share: databaseCores / ONE_SERVER.cores },
    { name: 'open connections', share: openConnections / ONE_SERVER.connections },
    { name: 'disk of a year', share: disk / ONE_SERVER.disk },
    { name: 'write-ahead log', share: log / ONE_SERVER.log },
  ];
  return limits.reduce((first, each) => (each.share > first.share ? each : first));
}
