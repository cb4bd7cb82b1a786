// Writes audit events (decision G9). The event of a change is written in the change's own transaction. Events of reads
// are stored in batches before the response is sent, one insert for all that wait. Reads of FHIR resources, which are
// far more frequent, go through access-log.ts and become events later.
import type { Clock } from '../clock.ts';
import { jsonTexts, jsonTextsOf, plainArray, textArray } from '../db/array-text.ts';
import type { Database, Queryable, Transaction } from '../db/database.ts';
import { isGuid, newGuid } from '../guid.ts';
import { outsideOfRequests } from '../jobs/pace.ts';
import { type AuditEntry, buildAuditEvent } from './audit-event.ts';

export interface Audit {
  /** Records events in the caller's transaction, and is rolled back with it. */
  record(transaction: Queryable, ...entries: readonly AuditEntry[]): Promise<void>;
  /** The same, sent along with what the transaction does next (`send` of lib/db). */
  send(transaction: Transaction, ...entries: readonly AuditEntry[]): void;
  /**
   * Records a read of the data of one or more people. Resolves when it is stored; then the response may be sent. It
   * survives a crash of the process; a crash of the machine may lose the last moments (asynchronous commit).
   */
  recordRead(...entries: readonly AuditEntry[]): Promise<void>;
  /** The parameters of `auditParts`, for a statement that changes something and records it at once. */
  valuesOf(...entries: readonly AuditEntry[]): readonly unknown[];
}

/**
 * The common table expressions that record events within a statement (`WITH …`). They have seven parameters, of which
 * `first` is the number of the first. Nothing is recorded when `condition` is false.
 */
export function auditParts(first: number, condition = 'true'): string {
  const types = ['uuid[]', 'timestamptz[]', undefined, 'text[]', 'text[]', 'uuid[]', 'uuid[]'];
  const values = types
    .map((type, index) => (type === undefined ? jsonTextsOf(`$${first + index}`) : `$${first + index}::${type}`))
    .join(', ');
  return `recorded AS (
    INSERT INTO audit_event (event_guid, recorded_at, resource, event, outcome, actor_guid, subject_guid)
    SELECT * FROM unnest(${values}) WHERE ${condition}
    RETURNING event_guid
  ), to_be_shipped AS (INSERT INTO audit_outbox (event_guid) SELECT event_guid FROM recorded)`;
}

const INSERT = { name: 'audit-insert-parties', text: `WITH ${auditParts(1)} SELECT` };
/** A statement that is its own transaction and does not wait for the disk. */
const INSERT_READS = {
  name: 'audit-insert-looks',
  text: `WITH ${auditParts(1)} SELECT FROM set_config('synchronous_commit', 'off', true)`,
};

interface Waiting {
  readonly entries: readonly AuditEntry[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export function createAudit(options: { database: Database; clock: Clock; service: string }): Audit {
  const { database, clock, service } = options;
  let waiting: Waiting[] = [];
  let isFlushing = false;
  // A batch holds reads of several requests and belongs to none of them.
  const runOutside = outsideOfRequests();

  function valuesOf(...entries: readonly AuditEntry[]): readonly unknown[] {
    const recordedAt = clock.now();
    return eventValues(
      service,
      entries.map((entry) => ({ entry, recordedAt })),
    );
  }

  async function record(transaction: Queryable, ...entries: readonly AuditEntry[]): Promise<void> {
    if (entries.length > 0) await transaction.query(INSERT, valuesOf(...entries));
  }

  function send(transaction: Transaction, ...entries: readonly AuditEntry[]): void {
    if (entries.length > 0) transaction.send(INSERT, valuesOf(...entries));
  }

  async function flush(): Promise<void> {
    isFlushing = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await database.query(INSERT_READS, valuesOf(...batch.flatMap(({ entries }) => entries)));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isFlushing = false;
  }

  function recordRead(...entries: readonly AuditEntry[]): Promise<void> {
    return new Promise((resolve, reject) => {
      waiting.push({ entries, resolve, reject });
      if (!isFlushing) runOutside(() => void flush());
    });
  }

  return { record, send, recordRead, valuesOf };
}

/** An entry with its time, in milliseconds. */
export interface TimedEntry {
  readonly entry: AuditEntry;
  readonly recordedAt: number;
}

/** Records events of an earlier time, in the caller's transaction. */
export async function recordTimedEntries(tx: Queryable, service: string, events: readonly TimedEntry[]): Promise<void> {
  if (events.length > 0) await tx.query(INSERT, eventValues(service, events));
}

function eventValues(service: string, events: readonly TimedEntry[]): readonly unknown[] {
  const guids = events.map(({ recordedAt }) => newGuid(recordedAt));
  const resources = events.map(({ entry, recordedAt }, index) =>
    JSON.stringify(buildAuditEvent(guids[index] ?? newGuid(recordedAt), service, recordedAt, entry)),
  );
  return [
    plainArray(guids),
    plainArray(events.map(({ recordedAt }) => new Date(recordedAt))),
    jsonTexts(resources),
    textArray(events.map(({ entry }) => entry.event)),
    textArray(events.map(({ entry: { outcome = 'success' } }) => outcome)),
    plainArray(events.map(({ entry }) => actorGuid(entry))),
    plainArray(events.map(({ entry: { subjectGuid = null } }) => subjectGuid)),
  ];
}

/** The guid of the acting user of identity; null for services, keys and the engine's own users. */
function actorGuid({ principal }: AuditEntry): string | null {
  return principal?.kind === 'identity_user' && isGuid(principal.id) ? principal.id : null;
}
