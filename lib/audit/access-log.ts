// The access log: records reads before the response is sent, and changes in their own transactions (decision G9,
// docs/adr/0011). All waiting reads, and all changes of a transaction, are one row and one statement.
// access-unpacker.ts turns them into audit events.
import type { Clock } from '../clock.ts';
import { jsonTexts, jsonTextsOf, plainArray } from '../db/array-text.ts';
import type { Database, PreparedStatement, Queryable, Transaction } from '../db/database.ts';
import { newGuid } from '../guid.ts';
import { createBatcher } from '../jobs/batcher.ts';
import {
  type AccessRecord,
  type PatientAccess,
  PENDING_END,
  type PendingRecord,
  packEntries,
  packPatients,
  packPending,
  packRecords,
} from './access-batch.ts';
import type { AuditEntry } from './audit-event.ts';
import type { BackPressure } from './back-pressure.ts';

export interface AccessLog {
  /**
   * To be awaited before a read that its own statement records; undefined: it may be carried out at once.
   * @throws ServiceError `unavailable` while the record is too far behind (./back-pressure.ts)
   */
  hold(): Promise<void> | undefined;
  /**
   * Records a read. Resolves when it is stored; then the response may be sent. It survives a crash of the process; a
   * crash of the machine may lose the last moments (asynchronous commit).
   * @throws ServiceError as {@link hold}
   */
  record(record: AccessRecord): Promise<void>;
  /** Records complete events, as {@link record} does reads. They become audit events later, too. */
  recordEvents(entries: readonly AuditEntry[]): Promise<void>;
  /** Records reads or changes in the caller's transaction, and is rolled back with it. */
  recordWithin(tx: Transaction, ...records: readonly AccessRecord[]): Promise<void>;
  /** The values, in order, of the placeholders of {@link recordFoundSql} in a statement that reads the resources. */
  pendingRecords(records: readonly PendingRecord[]): [guid: string, recordedAt: Date, batch: string];
}

/** The most versions in one row, except for a single read of more. */
export const MAX_VERSIONS = 1_000;

/** The most patients of a job in one row: as many as the unpacker takes at once. */
const MAX_PATIENTS = 250;

const INSERT: PreparedStatement = {
  name: 'audit-look',
  text: 'INSERT INTO audit_look (batch_guid, recorded_at, size, looks) VALUES ($1, $2, $3, $4)',
};
/** The setting holds for this statement only, which is its own transaction. */
const INSERT_SOON: PreparedStatement = {
  name: 'audit-look-soon',
  text: `INSERT INTO audit_look (batch_guid, recorded_at, size, looks)
    SELECT $1::uuid, $2::timestamptz, $3::int, $4::text FROM set_config('synchronous_commit', 'off', true)`,
};

/** The unpacker takes them after those of requests (0277_look_order.sql). */
const INSERT_MANY: PreparedStatement = {
  name: 'audit-look-many',
  text: `INSERT INTO audit_look (batch_guid, recorded_at, size, looks, next_at)
    SELECT guid, $1::timestamptz, size, looks, 'epoch' FROM unnest($2::uuid[], $3::int[], ${jsonTextsOf('$4')}) AS u(guid, size, looks)`,
};

/**
 * The SQL of a common table expression that records what a statement reads, as {@link AccessLog.record} would: one row
 * for all of it, or none. `shown` names rows with the index of a read in its batch (`record`) and the `version` that is
 * returned. `first` is the number of the first of three placeholders.
 */
export function recordFoundSql(shown: string, first: number): string {
  return `INSERT INTO audit_look (batch_guid, recorded_at, size, looks)
    SELECT $${first}::uuid, $${first + 1}::timestamptz, t.size, $${first + 2}::text || t.shown || '${PENDING_END}'
    FROM (SELECT count(*)::int AS size, string_agg(s.record || '/' || s.version, ' ') AS shown FROM ${shown} s HAVING count(*) > 0) t
    CROSS JOIN set_config('synchronous_commit', 'off', true)`;
}

/**
 * The SQL of a common table expression that records accesses as {@link AccessLog.record} does, where the condition
 * holds. `first` is the number of the first of the placeholders for {@link packedAccess}.
 */
export function recordAccessSql(condition: string, first: number): string {
  return `INSERT INTO audit_look (batch_guid, recorded_at, size, looks)
    SELECT $${first}::uuid, $${first + 1}::timestamptz, $${first + 2}::int, $${first + 3}::text
    FROM set_config('synchronous_commit', 'off', true) WHERE ${condition}`;
}

export function packedAccess(
  records: readonly AccessRecord[],
  now: number,
): [guid: string, recordedAt: Date, size: number, batch: string] {
  return [newGuid(now), new Date(now), sizeOf(records), packRecords(records)];
}

/** Records, in the caller's transaction, whose records a job accesses. */
export async function recordPatientAccess(tx: Queryable, now: number, access: PatientAccess): Promise<void> {
  const { patients } = access;
  if (patients.length === 0) return;
  const parts = Array.from({ length: Math.ceil(patients.length / MAX_PATIENTS) }, (_, index) =>
    patients.slice(index * MAX_PATIENTS, (index + 1) * MAX_PATIENTS),
  );
  await tx.query(INSERT_MANY, [
    new Date(now),
    plainArray(parts.map(() => newGuid(now))),
    plainArray(parts.map(({ length }) => length)),
    jsonTexts(parts.map((part) => packPatients({ ...access, patients: part }))),
  ]);
}

export interface AccessLogOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Reads are never held up when it is left out. */
  readonly backPressure?: BackPressure | undefined;
}

export function createAccessLog({ database, clock, backPressure }: AccessLogOptions): AccessLog {
  async function store(db: Queryable, statement: PreparedStatement, records: readonly AccessRecord[]): Promise<void> {
    await db.query(statement, packedAccess(records, clock.now()));
  }

  const batched = createBatcher<AccessRecord, void>({
    name: 'record access',
    together: async (records) => {
      await store(database, INSERT_SOON, records);
      return records.map(() => ({ value: undefined }));
    },
    sizeOf: ({ versions }) => versions.length,
    limits: { size: MAX_VERSIONS, groups: 1 },
  });
  const hold = () => backPressure?.hold();
  return {
    hold,
    record: async (record) => {
      await hold();
      await batched(record);
    },
    recordEvents: async (entries) => {
      const now = clock.now();
      if (entries.length === 0) return;
      await database.query(INSERT_SOON, [newGuid(now), new Date(now), entries.length, packEntries(entries)]);
    },
    recordWithin: async (tx, ...records) => {
      if (records.length > 0) await store(tx, INSERT, records);
    },
    pendingRecords: (records) => {
      const now = clock.now();
      return [newGuid(now), new Date(now), packPending(records)];
    },
  };
}

function sizeOf(records: readonly AccessRecord[]): number {
  return records.reduce((sum, { versions }) => sum + Math.max(versions.length, 1), 0);
}
