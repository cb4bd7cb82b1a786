// One standby: its connections, what it has replayed, and whether it may be used.
import { setTimeout as delay } from 'node:timers/promises';
import { createCheckedPool } from '../db/checked-pool.ts';
import type { ConnectionOptions, DatabaseLog } from '../db/connection.ts';
import type { Queryable } from '../db/database.ts';
import { isTimedOut } from '../db/failure.ts';
import { createDatabase } from '../db/pool.ts';
import { ServiceError } from '../errors.ts';
import { requestTime } from '../jobs/request-time.ts';
import { latestOf, type Position, readPosition } from './position.ts';
import { type PrimaryState, readStandbyState, type StandbyState, unusableReason } from './server-state.ts';

/** The standby did not answer a statement, which another server may: nothing of its answer is used. */
export class StandbyFailed extends Error {}

export interface Standby {
  /** `host:port`. */
  readonly name: string;
  /** Where statements run. @throws StandbyFailed; ServiceError for a statement that took too long */
  readonly db: Queryable;
  /** Why it is not used; undefined when it may be. */
  readonly issue: string | undefined;
  /** What it had replayed when it last said so. */
  readonly position: Position;
  /** Statements that run on it. */
  readonly running: number;
  /** From now on each statement must show what was committed before the position. */
  promise(position: Position): void;
  /** Asks it for its position at once; resolves when it has said so or failed. Undefined when it has just said so. */
  refresh(): Promise<void> | undefined;
  start(): void;
  stop(): Promise<void>;
}

export interface StandbyOptions extends ConnectionOptions {
  readonly log: DatabaseLog;
  /** The primary, as it last was; undefined while nobody knows. */
  readonly primary: () => PrimaryState | undefined;
  /** Called when the standby has said what it has replayed. */
  readonly moved: () => void;
  /** Whether somebody waits for its position. */
  readonly isAwaited: () => boolean;
}

const IDLE_MS = 100;
const AWAITED_MS = 2;
/** A position is asked for again after this time. */
const RECENT_MS = 5;
/** A standby that says nothing for so long is not used, until it speaks again. */
const LATE_MS = 1_000;

/** The standby, not in use until it is started and has been found to follow the primary. */
export function createStandby(options: StandbyOptions): Standby {
  const { log, primary, moved, isAwaited, ...connection } = options;
  const name = nameOf(connection.url);
  const pool = createCheckedPool({ ...connection, log });
  // Its own connection: those of the pool may all be busy.
  const own = createDatabase({ ...connection, log, maxConnections: 1, statementTimeoutMs: LATE_MS });
  const ending = new AbortController();
  let issue: string | undefined = 'it has not been asked yet';
  let position: Position = 0n;
  let promised: Position = 0n;
  let timeline: number | undefined;
  let running = 0;
  let seenAt = Number.NEGATIVE_INFINITY;
  let pause = new AbortController();
  let refreshing: (() => void)[] = [];
  let watching: Promise<void> | undefined;

  function setIssue(now: string | undefined): void {
    if (now === issue) return;
    issue = now;
    if (now === undefined) log('info', 'standby_in_use', { standby: name });
    else log('warn', 'standby_not_used', { standby: name, reason: now });
  }

  /** Checks what it said. */
  function check(state: StandbyState): string | undefined {
    const ours = primary();
    if (ours === undefined) return 'the primary is not known';
    const found = unusableReason(state, ours);
    // Another primary may be behind what was promised of the one before.
    if (found === undefined && timeline !== state.timeline) promised = 0n;
    timeline = state.timeline;
    return found;
  }

  async function look(): Promise<void> {
    const asked = refreshing;
    refreshing = [];
    const at = performance.now();
    const late = setTimeout(() => setIssue('it does not respond'), LATE_MS);
    try {
      const state = await readStandbyState(own);
      setIssue(check(state));
      position = state.position ?? 0n;
      seenAt = at;
      moved();
    } catch (error) {
      setIssue(reasonOf(error));
      // What still runs there would wait for a server that is gone.
      pool.abort();
    } finally {
      clearTimeout(late);
      for (const resolve of asked) resolve();
    }
  }

  async function watch(): Promise<void> {
    while (!ending.signal.aborted) {
      await look();
      pause = new AbortController();
      const signal = AbortSignal.any([pause.signal, ending.signal]);
      if (refreshing.length > 0) continue;
      await delay(isAwaited() && issue === undefined ? AWAITED_MS : IDLE_MS, undefined, { signal }).catch(() => {});
    }
  }

  const query: Queryable['query'] = async (statement, values) => {
    running += 1;
    const sentAt = performance.now();
    try {
      return await pool.query(statement, values, (replayed) => {
        const at = replayed === undefined ? undefined : readPosition(replayed);
        if (at === undefined || at < promised) throw new StandbyFailed(`${name} has lost what it had replayed`);
        position = latestOf(position, at);
        seenAt = Math.max(seenAt, sentAt);
      });
    } catch (error) {
      if (error instanceof StandbyFailed) throw error;
      if (isErrorOfCaller(error)) throw error;
      // One that is busy is not gone; whether it is, the next check says.
      if (error instanceof ServiceError && !isBusy(error)) setIssue(reasonOf(error));
      throw new StandbyFailed(`${name}: ${reasonOf(error)}`, { cause: error });
    } finally {
      running -= 1;
    }
  };

  return {
    name,
    db: { query },
    get issue() {
      return issue;
    },
    get position() {
      return position;
    },
    get running() {
      return running;
    },
    promise: (next) => {
      promised = latestOf(promised, next);
    },
    refresh: () => {
      if (performance.now() - seenAt <= RECENT_MS) return undefined;
      return new Promise((resolve) => {
        refreshing.push(resolve);
        pause.abort();
      });
    },
    start: () => {
      watching ??= watch();
    },
    stop: async () => {
      ending.abort();
      await watching;
      for (const resolve of refreshing) resolve();
      await Promise.all([pool.close(), own.close()]);
    },
  };
}

/** Whether the statement would fail in the same way elsewhere: it took too long, or its request is over. */
function isErrorOfCaller(error: unknown): boolean {
  return isTimedOut(error) || requestTime()?.over !== undefined;
}

/** Whether no connection was free, or none could be made in time. */
function isBusy(error: ServiceError): boolean {
  return /^timeout exceeded/.test(reasonOf(error));
}

/** The driver's message: host, user or database, never a password. */
function reasonOf(error: unknown): string {
  const cause = error instanceof ServiceError ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}

function nameOf(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname}:${port === '' ? '5432' : port}`;
}
