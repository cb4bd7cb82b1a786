// Turns access records into audit events (docs/adr/0011). The transaction that writes the events also deletes the
// batch. So each access is recorded once, however many nodes unpack and whenever one of them crashes.
import { type Clock, systemClock } from '../clock.ts';
import type { Database, Transaction } from '../db/database.ts';
import { isOutage } from '../errors.ts';
import { createThrottle, type Throttle } from '../jobs/throttle.ts';
import { createWorkerLoop, type WorkerLoop } from '../jobs/worker-loop.ts';
import type { Logger } from '../log/logger.ts';
import { type AccessRecord, unpackBatch } from './access-batch.ts';
import { recordTimedEntries, type TimedEntry } from './audit.ts';
import type { AuditEntry } from './audit-event.ts';
import type { Backlog } from './back-pressure.ts';

/** The audit entries of each access: one for each patient whose data it was. */
export type EntriesOfAccess = (
  tx: Transaction,
  records: readonly AccessRecord[],
) => Promise<readonly (readonly AuditEntry[])[]>;

export interface AccessUnpacker extends WorkerLoop {
  /** Unpacks all stored batches. */
  unpackAll(): Promise<void>;
}

const INTERVAL_MS = 500;
/** Short, so that a backlog is noticed soon. */
const MAX_REST_MS = 500;
/** After an outage accesses are served again at once, and their records wait. */
const MAX_BACKOFF_MS = 1_000;
/** The most batches, and versions read, of one step, so that it takes some tens of milliseconds. */
const MAX_BATCHES = 32;
const MAX_VERSIONS = 250;

interface Batch {
  readonly batch_guid: string;
  readonly recorded_at: Date;
  readonly looks: string;
  /** False of jobs, and of what was postponed. */
  readonly is_asked: boolean;
}

/**
 * Takes the oldest batches that no other node has locked, those of requests before those of jobs; at least one, however
 * large.
 */
const TAKE = {
  name: 'audit-looks-take',
  text: `WITH locked AS MATERIALIZED (
      SELECT batch_guid, size, next_at FROM audit_look WHERE next_at <= now() ORDER BY next_at, batch_guid LIMIT $1
      FOR UPDATE SKIP LOCKED
    ), counted AS (SELECT batch_guid, size, sum(size) OVER (ORDER BY next_at, batch_guid) AS total FROM locked)
    DELETE FROM audit_look l USING counted c WHERE l.batch_guid = c.batch_guid AND c.total - c.size < $2
    RETURNING l.batch_guid, l.recorded_at, l.looks, l.next_at = '-infinity' AS is_asked`,
};

export interface AccessUnpackerOptions {
  readonly database: Database;
  /** Names the recording service in the events. */
  readonly service: string;
  readonly entriesOf: EntriesOfAccess;
  /** Stores the events in the transaction that deletes their batches; as {@link recordTimedEntries} when left out. */
  readonly store?: (tx: Transaction, events: readonly TimedEntry[]) => Promise<void>;
  readonly log: Logger;
  readonly throttle?: Throttle;
  /** Learns how far the work is, and says when it must not rest (./back-pressure.ts). */
  readonly backlog?: Pick<Backlog, 'begin' | 'isUrgent' | 'taken'>;
  readonly clock?: Clock;
}

export function createAccessUnpacker(options: AccessUnpackerOptions): AccessUnpacker {
  const { database, service, entriesOf, log, backlog, clock = systemClock } = options;
  const { throttle = createThrottle({ maxRestMs: MAX_REST_MS, isUrgent: () => backlog?.isUrgent() ?? false }) } =
    options;
  const { store = (tx, events) => recordTimedEntries(tx, service, events) } = options;

  /** Returns the number of batches unpacked. */
  async function unpack(maxBatches: number): Promise<number> {
    const startedAt = clock.now();
    backlog?.begin(startedAt);
    const rows = await unpackOldest(maxBatches);
    const timesOf = (isAsked: boolean) =>
      rows.filter((row) => row.is_asked === isAsked).map(({ recorded_at: at }) => at.getTime());
    backlog?.taken({ startedAt, asked: timesOf(true), ofJobs: timesOf(false) });
    return rows.length;
  }

  function unpackOldest(maxBatches: number): Promise<readonly Batch[]> {
    return database.transaction(async (tx) => {
      await tx.query("SELECT set_config('kedja.unpacks_looks', 'on', true), EXISTS (SELECT FROM audit_look)");
      const { rows } = await tx.query<Batch>(TAKE, [maxBatches, MAX_VERSIONS]);
      rows.sort((a, b) => (a.batch_guid < b.batch_guid ? -1 : 1));
      const events = await eventsOf(tx, rows);
      await store(tx, events);
      return rows;
    });
  }

  async function eventsOf(tx: Transaction, rows: readonly Batch[]): Promise<TimedEntry[]> {
    const batches = rows.map(({ looks, recorded_at: at }) => ({ ...unpackBatch(looks), recordedAt: at.getTime() }));
    const timedRecords = batches.flatMap(({ records, recordedAt }) =>
      records.map((record) => ({ record, recordedAt })),
    );
    const ofRecords = await entriesOf(
      tx,
      timedRecords.map(({ record }) => record),
    );
    return [
      ...timedRecords.flatMap(({ recordedAt }, index) => timed(ofRecords[index] ?? [], recordedAt)),
      ...batches.flatMap(({ entries, recordedAt }) => timed(entries, recordedAt)),
    ];
  }

  /** Unpacks the oldest batch alone after a failure. If that one fails, it is postponed and stays stored. */
  async function unpackOne(): Promise<number> {
    try {
      return await unpack(1);
    } catch (error) {
      if (isOutage(error)) throw error;
      log.error({ event: 'audit.look-not-unpacked', err: error });
      await database.query(`UPDATE audit_look SET next_at = now() + interval '10 minutes' WHERE batch_guid =
        (SELECT batch_guid FROM audit_look WHERE next_at <= now() ORDER BY next_at, batch_guid LIMIT 1)`);
      return 1;
    }
  }

  async function unpackSome(): Promise<boolean> {
    const count = await unpack(MAX_BATCHES).catch((error: unknown) => {
      if (isOutage(error)) throw error;
      return unpackOne();
    });
    return count > 0;
  }

  const loop = createWorkerLoop({
    name: 'audit-look-unpacker',
    intervalMs: INTERVAL_MS,
    maxBackoffMs: MAX_BACKOFF_MS,
    log,
    step: (signal) => throttle.run(unpackSome, signal),
  });
  return {
    ...loop,
    async unpackAll() {
      while (await unpackSome());
    },
  };
}

function timed(entries: readonly AuditEntry[], recordedAt: number): TimedEntry[] {
  return entries.map((entry) => ({ entry, recordedAt }));
}
