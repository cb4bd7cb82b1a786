// Two nodes of the engine on one primary, which read from the same standbys.
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { createDatabase } from '#lib/db/pool.ts';
import { migrate } from '#lib/db/schema/migrate.ts';
import { createMetrics } from '#lib/metrics/metrics.ts';
import { createPositionSeal } from '#lib/replicas/position.ts';
import { createReadReplicas, type ReadReplicas, type ReplicaSettings } from '#lib/replicas/read-replicas.ts';
import { fixedKeys } from '#lib/secrets/key-set.ts';
import { migrations } from '#services/engine/migrations.ts';
import { type ReplicatedDatabase, startReplicatedDatabase } from '../database/standbys.ts';
import { type Hooks, lastFirst } from '../hooks.ts';
import { startEngineOn, type TestEngine } from './engine.ts';

export interface ReplicatedEngine extends TestEngine {
  readonly logged: readonly { readonly event: string; readonly [field: string]: unknown }[];
  /** The texts of the statements that have run on the primary outside of transactions. */
  readonly onPrimary: string[];
  /** How long each choice of a server took, in milliseconds. */
  readonly choiceMs: number[];
  /** How many reads have waited for their own writes. */
  waits(): Promise<number>;
  /** How many reads the primary has served, repeated ones too. */
  onItself(): Promise<number>;
  /** How many reads were sent to a standby. */
  fromStandbys(): Promise<number>;
  /** The samples of a metric by their labels: `{ server: '127.0.0.1:20001' }`. */
  sample(name: string, labels: Readonly<Record<string, string>>): Promise<number>;
}

export interface ReplicatedEngines extends ReplicatedDatabase {
  readonly one: ReplicatedEngine;
  readonly two: ReplicatedEngine;
  /** A further node. */
  startNode(changes: Changes): Promise<ReplicatedEngine>;
  /** Resolves when both nodes know that the standbys have what the callers have written. */
  settled(): Promise<void>;
  /** Resolves when both nodes use so many standbys. */
  using(count: number): Promise<void>;
}

export interface Changes extends Partial<ReplicaSettings> {
  readonly pooling?: 'transaction';
  /** Whether the nodes do no work in the background. */
  readonly isQuiet?: boolean;
}

const SEALING_KEY = Buffer.alloc(32, 3);
const PATIENCE_MS = 60_000;

export async function startReplicatedEngines(given: Hooks, changes: Changes = {}): Promise<ReplicatedEngines> {
  const hooks = lastFirst(given);
  const site = await startReplicatedDatabase(hooks, {
    count: 2,
    prepare: async (url) => void (await migrate({ url, schema: 'engine', sources: migrations })),
  });
  const one = await startNode(hooks, site, changes);
  const two = await startNode(hooks, site, changes);
  const nodes = [one, two];
  return {
    ...site,
    one,
    two,
    startNode: (more) => startNode(hooks, site, more),
    async settled() {
      await site.caughtUp();
      for (const node of nodes) for (const caller of CALLER_NAMES) await untilServed(node, caller);
    },
    async using(count) {
      const end = performance.now() + PATIENCE_MS;
      for (const node of nodes) {
        while ((await usedBy(node, site)) !== count) {
          if (performance.now() > end) throw new Error(`A node does not use ${count} standbys`);
          await delay(20);
        }
      }
    },
  };
}

const CALLER_NAMES = ['planner', 'stranger', 'admin'];
/** So many reads in turn, so that each standby has served some. */
const IN_TURN = 4;

/** Until the caller's reads are served by the standbys. */
async function untilServed(node: ReplicatedEngine, caller: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  for (let served = 0; served < IN_TURN; ) {
    const before = await node.onItself();
    await node.call(caller, 'GET', '/Patient?_summary=count');
    served = (await node.onItself()) === before ? served + 1 : 0;
    if (performance.now() > end) throw new Error('The standbys do not serve');
  }
}

async function usedBy(node: ReplicatedEngine, { standbys }: ReplicatedDatabase): Promise<number> {
  const used = await Promise.all(standbys.map(({ name }) => node.sample('kedja_standby_used', { standby: name })));
  return used.reduce((sum, each) => sum + each, 0);
}

async function startNode(
  hooks: Hooks,
  { url, standbys }: ReplicatedDatabase,
  { urls = standbys.map((each) => each.url), maxLagMs = 1_000, pooling, isQuiet = false }: Changes,
): Promise<ReplicatedEngine> {
  const database = createDatabase({ url, schema: 'engine' });
  hooks.after(() => database.close());
  const metrics = createMetrics('engine');
  const logged: { event: string }[] = [];
  const onPrimary: string[] = [];
  const watched: Database = {
    ...database,
    query: (statement, values) => {
      onPrimary.push(typeof statement === 'string' ? statement : statement.text);
      return database.query(statement, values);
    },
  };
  const made = createReadReplicas({
    primary: watched,
    clock: systemClock,
    urls,
    maxLagMs,
    metrics,
    connection: pooling === undefined ? {} : { pooling },
    log: (_level, event, fields) => void logged.push({ ...fields, event }),
    seal: createPositionSeal(SEALING_KEY),
  });
  const choiceMs: number[] = [];
  const replicas: ReadReplicas = {
    ...made,
    begin: async (reader) => {
      const began = performance.now();
      const chosen = await made.begin(reader);
      choiceMs.push(performance.now() - began);
      return chosen;
    },
  };
  const node = await startEngineOn(hooks, watched, {
    replicas,
    metrics,
    clock: systemClock,
    sealingKeys: fixedKeys(SEALING_KEY),
  });
  await (isQuiet ? replicas : node.engine).start();
  const sample: ReplicatedEngine['sample'] = async (name, labels) => {
    const { values = [] } = (await metrics.registry.getSingleMetric(name)?.get()) ?? {};
    const isAsked = (own: Readonly<Record<string, unknown>>) =>
      Object.entries(labels).every(([key, value]) => own[key] === value);
    return values.find((each) => isAsked(Object(each.labels)))?.value ?? Number.NaN;
  };
  return {
    ...node,
    logged,
    onPrimary,
    choiceMs,
    sample,
    waits: async () => {
      const { values = [] } = (await metrics.registry.getSingleMetric('kedja_own_writes_wait_seconds')?.get()) ?? {};
      return (
        values.find((each) => Object(each).metricName === 'kedja_own_writes_wait_seconds_count')?.value ?? Number.NaN
      );
    },
    onItself: async () => {
      const { values = [] } = (await metrics.registry.getSingleMetric('kedja_reads_from_primary_total')?.get()) ?? {};
      return values.reduce((sum, each) => sum + each.value, 0);
    },
    fromStandbys: async () => {
      const counts = await Promise.all(standbys.map(({ name }) => sample('kedja_reads_total', { server: name })));
      return counts.reduce((sum, each) => sum + (Number.isNaN(each) ? 0 : each), 0);
    },
  };
}
