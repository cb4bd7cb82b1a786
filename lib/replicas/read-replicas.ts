// Chooses the server of a read: a standby that shows the caller's own writes and is not too far behind, else the
// primary (docs/adr/0129-read-replicas.md).
import { setTimeout as delay } from 'node:timers/promises';
import type { AccessRecord } from '../audit/access-batch.ts';
import type { Clock } from '../clock.ts';
import type { ConnectionOptions, DatabaseLog } from '../db/connection.ts';
import type { Database, Queryable } from '../db/database.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { createFreshness, type Freshness } from './freshness.ts';
import { latestOf, type Position, type PositionSeal } from './position.ts';
import { createReplicaMetrics, type RepeatReason } from './replica-metrics.ts';
import { type PrimaryState, readPrimaryState } from './server-state.ts';
import { createStandby, type Standby, StandbyFailed } from './standby.ts';
import { createVisits } from './visits.ts';
import { createWritePositions } from './write-positions.ts';

export interface ReplicaSettings {
  /** The address of each standby. */
  readonly urls: readonly string[];
  /** A standby that lacks what was committed longer ago is not used, in milliseconds. */
  readonly maxLagMs: number;
}

export interface ReadReplicas {
  /** A read that begins now, from a standby; undefined for the primary. It resolves within 100 ms. */
  begin(reader: Reader): Promise<StandbyRead | undefined>;
  /**
   * A standby that has all that is committed by now, for reads that are recorded by themselves; undefined for the
   * primary. @throws ServiceError `unavailable`
   */
  whole(): Promise<Server | undefined>;
  /**
   * Notes that the caller's writes have been committed; returns their position for the header.
   * @throws ServiceError `unavailable`
   */
  note(caller: string): Promise<string>;
  /** Counts a read that was begun on a standby and is repeated on the primary. */
  repeated(why: RepeatReason): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface Reader {
  /** Kind and id of the account. */
  readonly caller: string;
  /** The position that the client has sent along, sealed. */
  readonly carried?: string | undefined;
}

export interface Server {
  /** `host:port`. */
  readonly name: string;
  /** Where its statements run. The same object for each read from this standby. @throws StandbyFailed */
  readonly db: Queryable;
}

/** A read from a standby. It ends with one of `confirm` and `abandon`. */
export interface StandbyRead {
  readonly server: Server;
  /**
   * Stores the access record, if any, on the primary. False when the standby lacked what the caller has written, maybe
   * by another node. Then nothing is stored, and nothing that was read may be shown. @throws ServiceError `unavailable`
   */
  confirm(record: AccessRecord | undefined): Promise<boolean>;
  /** Nothing that was read is shown. */
  abandon(): void;
}

export interface ReadReplicaOptions extends ReplicaSettings {
  readonly primary: Database;
  readonly clock: Clock;
  /** What connections have in common, but for their address. */
  readonly connection: Omit<ConnectionOptions, 'url' | 'directUrl' | 'schema'>;
  readonly log: DatabaseLog;
  readonly metrics: Metrics;
  readonly seal: PositionSeal;
}

/** So long a read waits for the caller's own writes to arrive. */
const WAIT_MS = 100;
/** So long a read waits for a standby to say where it is now. */
const REFRESH_MS = 20;
/** The primary is looked at so often, and at least four times within the greatest lag. */
const LOOK_MS = 250;
const SWEEP_MS = 10_000;

/** Whether a read failed on a standby in a way in which it need not fail on the primary. */
export function isStandbyFailure(error: unknown): error is StandbyFailed {
  return error instanceof StandbyFailed;
}

export function createReadReplicas(options: ReadReplicaOptions): ReadReplicas {
  const { primary, log, seal, maxLagMs, connection, urls } = options;
  const everyMs = Math.min(LOOK_MS, maxLagMs / 4);
  const positions = createWritePositions(primary);
  const visits = createVisits({ ...options, positions });
  const written = createKnownWrites();
  const freshness: Freshness = createFreshness(maxLagMs);
  const waiting = new Set<() => void>();
  let known: PrimaryState | undefined;
  let turn = 0;
  const standbys: readonly Standby[] = urls.map((url) =>
    createStandby({
      ...connection,
      url,
      schema: primary.schema,
      log,
      primary: () => known,
      moved: () => {
        for (const check of waiting) check();
      },
      isAwaited: () => waiting.size > 0,
    }),
  );
  const metrics = createReplicaMetrics(options.metrics, () =>
    standbys.map((standby) => ({ name: standby.name, isUsed: isCurrent(standby), lagMs: lagOf(standby) })),
  );
  const sweep = async () => {
    written.sweep();
    await positions.sweep();
  };
  const watcher = createWatcher({ look, sweep, log, everyMs });

  async function look(): Promise<void> {
    const at = performance.now();
    try {
      const state = await readPrimaryState(primary);
      if (state.system !== known?.system || state.timeline !== known.timeline) freshness.reset();
      known = state;
      freshness.observe(state.position, at);
    } catch (error) {
      known = undefined;
      freshness.reset();
      throw error;
    }
  }

  /** Milliseconds by which it may be behind; infinite when that is not known. */
  function lagOf({ position }: Standby): number {
    const reached = freshness.reachedAt(position);
    if (reached !== undefined) return performance.now() - reached;
    return known !== undefined && position >= known.position ? 0 : Number.POSITIVE_INFINITY;
  }

  function isCurrent({ issue, position }: Standby): boolean {
    const floor = freshness.floor(performance.now());
    return issue === undefined && floor !== undefined && position >= floor;
  }

  /** Of those that have reached the position the one with the least to do. */
  function readiest(required: Position): Standby | undefined {
    turn += 1;
    const inTurn = standbys.map((_, index) => standbys[(index + turn) % standbys.length]);
    return inTurn.reduce<Standby | undefined>((best, each) => {
      if (each === undefined || !isCurrent(each) || each.position < required) return best;
      return best === undefined || each.running < best.running ? each : best;
    }, undefined);
  }

  function waitFor(required: Position, milliseconds: number): Promise<Standby | undefined> {
    return new Promise((resolve) => {
      const end = (found: Standby | undefined) => {
        waiting.delete(check);
        clearTimeout(timer);
        resolve(found);
      };
      const check = () => {
        const found = readiest(required);
        if (found !== undefined) end(found);
      };
      const timer = setTimeout(() => end(undefined), milliseconds);
      waiting.add(check);
      for (const standby of standbys) void standby.refresh();
    });
  }

  async function choose(wanted: Position): Promise<Standby | undefined> {
    const floor = freshness.floor(performance.now());
    if (floor === undefined || !standbys.some(isCurrent)) return metrics.onPrimary('none');
    const required = latestOf(wanted, floor);
    const found = readiest(required) ?? (await arrived(required));
    if (found === undefined) return metrics.onPrimary('behind');
    metrics.onStandby(found.name);
    return found;
  }

  async function begin({ caller, carried }: Reader): Promise<StandbyRead | undefined> {
    const brought = carried === undefined ? 0n : (seal.open(carried) ?? 0n);
    const found = await choose(latestOf(written.of(caller), brought));
    if (found === undefined) return undefined;
    visits.begin();
    // What it has by now, all statements of the read are to show: the later, the more own writes are among it.
    const refreshing = found.refresh();
    if (refreshing !== undefined) await inTime(refreshing);
    const shown = found.position;
    found.promise(shown);
    return {
      server: found,
      confirm: async (record) => {
        const verdict = await visits.visit({ caller, shown, record });
        if (verdict?.lacks !== undefined) written.note(caller, verdict.lacks);
        return verdict === undefined;
      },
      abandon: visits.end,
    };
  }

  async function whole(): Promise<Server | undefined> {
    const { position } = await readPrimaryState(primary);
    const found = await choose(position);
    found?.promise(position);
    return found;
  }

  /** A standby that reaches the position in time. Nobody waits where all are further behind than that. */
  async function arrived(required: Position): Promise<Standby | undefined> {
    // Between two reads of the primary's state nobody knows how far behind it is.
    if (!standbys.some((each) => isCurrent(each) && lagOf(each) <= WAIT_MS + everyMs)) return undefined;
    const start = performance.now();
    const found = await waitFor(required, WAIT_MS);
    metrics.waited((performance.now() - start) / 1000);
    return found;
  }

  return {
    begin,
    whole,
    note: async (caller) => {
      const at = performance.now();
      const position = await positions.note(caller);
      freshness.observe(position, at);
      written.note(caller, position);
      return seal.seal(position);
    },
    repeated: metrics.repeated,
    start: async () => {
      await positions.mark();
      await watcher.start();
      for (const standby of standbys) standby.start();
    },
    stop: async () => {
      await watcher.stop();
      await Promise.all(standbys.map((standby) => standby.stop()));
    },
  };
}

/** The latest writes that this node has heard of, to choose a standby that has them. */
function createKnownWrites() {
  let [before, latest] = [new Map<string, Position>(), new Map<string, Position>()];
  const of = (caller: string): Position => latest.get(caller) ?? before.get(caller) ?? 0n;
  return {
    of,
    note: (caller: string, position: Position) => void latest.set(caller, latestOf(of(caller), position)),
    /** Forgets what was not heard of since the last sweep: every standby in use has it. */
    sweep: () => {
      [before, latest] = [latest, new Map()];
    },
  };
}

async function inTime(refreshing: Promise<void>): Promise<void> {
  const end = new AbortController();
  await Promise.race([refreshing, delay(REFRESH_MS, undefined, { signal: end.signal })]);
  end.abort();
}

interface Watched {
  look(): Promise<void>;
  sweep(): Promise<void>;
  readonly log: DatabaseLog;
  readonly everyMs: number;
}

/** Reads the state of the primary all the time, and deletes old positions now and then. */
function createWatcher({ look, sweep, log, everyMs }: Watched) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isStopped = false;
  let sweptAt = 0;
  let isSeen = true;

  async function step(): Promise<void> {
    try {
      await look();
      if (!isSeen) log('info', 'primary_seen', {});
      isSeen = true;
      if (performance.now() - sweptAt < SWEEP_MS) return;
      sweptAt = performance.now();
      await sweep();
    } catch (error) {
      // Once for an outage.
      if (isSeen) log('warn', 'primary_not_seen', { error: String(error) });
      isSeen = false;
    }
  }

  function next(): void {
    running = step().finally(() => {
      if (!isStopped) timer = setTimeout(next, everyMs);
    });
  }

  return {
    start: async () => {
      next();
      await running;
    },
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
