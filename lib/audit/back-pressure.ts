// Keeps the backlog between an access and its audit event short (docs/adr/0113). How far it is behind is the age of the
// oldest access record that waits. From one age on, reads wait for a moment; from another on they are refused.
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, elapsedOf } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { ServiceError } from '../errors.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { readOldestAsked, readOldestDue } from './oldest-record.ts';

/** From this age on the work on the backlog does not rest. */
const HURRY_MS = 1_000;
/** From this age on a read waits: at first so long, and ten times as long for each further second. */
const HOLD_FROM_MS = 1_500;
const FIRST_HOLD_MS = 10;
/** So long it waits at most. */
const HOLD_MS = 2_000;
/** From this age on jobs pause. */
const PAUSE_FROM_MS = 4_000;
/** So long a job pauses at most, which is less than its lease. */
const PAUSE_MS = 20_000;
/** From this age on reads are refused. */
const REFUSE_FROM_MS = 60_000;
const RETRY_AFTER_SECONDS = 5;
/** The database is asked at most this often. */
const ASK_EVERY_MS = 200;
/** So far the clocks of nodes may be apart. */
const AHEAD_MS = 1_000;

export interface BackPressure {
  /**
   * Resolves when a read may be carried out; undefined when that is now.
   * @throws ServiceError `unavailable` when the record is too far behind
   */
  hold(): Promise<void> | undefined;
  /** For a job that accesses many records: resolves when theirs, too, are events soon, or the signal is aborted. */
  pause(signal: AbortSignal): Promise<void>;
}

/** What was taken from the backlog at once. */
export interface Taken {
  /** When the work on it began; as all other times in milliseconds. */
  readonly startedAt: number;
  /** When it was recorded: what requests accessed, and what jobs did. */
  readonly asked: readonly number[];
  readonly ofJobs: readonly number[];
}

/** What the worker reports of the backlog, and asks about it. */
export interface Backlog extends BackPressure {
  /** Whether to work without rests. */
  isUrgent(): boolean;
  /** The worker of this node is at work: from now on there is somebody to wait for. */
  begin(startedAt: number): void;
  /** Whatever is older than what was taken is done, or being done by others. */
  taken(taken: Taken): void;
}

export interface BacklogOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Counts the reads that had to wait, and those that were refused. */
  readonly metrics?: Metrics;
  /** For tests: the longest wait of a read, in milliseconds. */
  readonly holdMs?: number;
}

export function createBacklog({ database, clock, metrics, holdMs = HOLD_MS }: BacklogOptions): Backlog {
  const help = 'Reads that waited, or were refused, because the audit record was behind';
  const held = metrics?.counter('kedja_audit_held_reads_total', help, ['outcome']);
  // By `elapsedOf`, so that a clock that is set makes no backlog. Undefined until the worker of this node has begun.
  let done: number | undefined;
  let oldestOfJobs = Infinity;
  let asking: Promise<void> | undefined;
  let asked = { at: -Infinity, clock: -Infinity };

  const age = () => (done === undefined ? 0 : elapsedOf(clock) - done);
  const elapsedAt = (recordedAt: number) => elapsedOf(clock) - Math.max(0, clock.now() - recordedAt);

  /** Whatever was recorded before is done. It never becomes less: a backlog ages no faster than time passes. */
  function doneUntil(elapsed: number): void {
    done = Math.max(done ?? -Infinity, elapsed);
  }

  /**
   * The worker of this node may be busy, slow or stuck, while those of other nodes do its work: the database knows.
   */
  async function ask(): Promise<void> {
    const now = clock.now();
    if (performance.now() - asked.at < ASK_EVERY_MS && now - asked.clock < ASK_EVERY_MS) return;
    asked = { at: performance.now(), clock: now };
    const startedAt = elapsedOf(clock);
    const oldest = await readOldestAsked(database).catch(() => undefined);
    if (oldest === undefined) return;
    if (oldest.recordedAt === undefined) doneUntil(startedAt);
    // One of the future was recorded before the clock was set back: how old it is, nobody knows.
    else if (oldest.recordedAt <= clock.now() + AHEAD_MS) doneUntil(elapsedAt(oldest.recordedAt));
  }

  function refresh(): Promise<void> {
    asking ??= ask().finally(() => (asking = undefined));
    return asking;
  }

  async function wait(): Promise<void> {
    await refresh();
    if (age() < HOLD_FROM_MS) return;
    if (age() >= REFUSE_FROM_MS) {
      held?.inc({ outcome: 'refused' });
      throw behind();
    }
    held?.inc({ outcome: 'waited' });
    const until = performance.now() + Math.min(holdMs, holdOf(age()));
    for (let left = until - performance.now(); left > 0; left = until - performance.now()) {
      await delay(Math.min(left, ASK_EVERY_MS / 2));
      if (age() < HOLD_FROM_MS) return;
      await refresh();
    }
  }

  return {
    isUrgent: () => age() >= HURRY_MS || clock.now() - oldestOfJobs >= HURRY_MS,
    begin: (startedAt) => {
      done ??= elapsedAt(startedAt);
    },
    taken({ startedAt, asked, ofJobs }) {
      doneUntil(elapsedAt(Math.min(startedAt, ...asked)));
      oldestOfJobs = Math.min(Infinity, ...ofJobs);
    },
    hold: () => (age() < HOLD_FROM_MS ? undefined : wait()),
    async pause(signal) {
      const until = performance.now() + PAUSE_MS;
      while (done !== undefined && !signal.aborted && performance.now() < until) {
        const { recordedAt = Infinity } = await readOldestDue(database);
        if (clock.now() - recordedAt < PAUSE_FROM_MS) return;
        await delay(ASK_EVERY_MS, undefined, { signal }).catch(() => undefined);
      }
    },
  };
}

/** Milliseconds that a read waits at this age: little is enough for few callers, and many wait longer. */
function holdOf(age: number): number {
  return FIRST_HOLD_MS * 10 ** ((age - HOLD_FROM_MS) / 1000);
}

function behind(): ServiceError {
  const message = 'The record of accesses is too far behind, so that nothing can be shown at the moment; try again';
  return new ServiceError('unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
