// Writing the audit record (decision G9): a change's event in the change's own transaction; looks at data in batches
// that are stored before the answer leaves, one insert for all that wait. Looks at FHIR resources, of which there are
// many more, are noted by look-log.ts and become events later.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../clock.ts';
import { jsonTexts, jsonTextsOf, plainArray, textArray } from '../db/array-text.ts';
import type { Database, Queryable } from '../db/database.ts';
import { isGuid, newGuid } from '../guid.ts';
import { type AuditEntry, buildAuditEvent } from './audit-event.ts';

export interface Audit {
  /** Records events in the caller's transaction: they stand or fall with what they tell of. */
  record(transaction: Queryable, ...entries: readonly AuditEntry[]): Promise<void>;
  /**
   * Records a look at data, or a look at that of several people; resolves when it is stored, and then the answer may be
   * sent. Survives a crash of the process; a crash of the whole machine may lose the last moments (asynchronous
   * commit).
   */
  recordRead(...entries: readonly AuditEntry[]): Promise<void>;
  /** What the parts of `auditParts` are given, for a statement that changes something and records it at once. */
  valuesOf(...entries: readonly AuditEntry[]): readonly unknown[];
}

/**
 * Recording events as parts of a statement (`WITH …`), with seven parameters of which `first` is the number of the
 * first. Nothing is recorded when `condition` does not hold.
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
/** One statement that is a transaction of its own, and does not wait for the disk. */
const INSERT_LOOKS = {
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
  // A batch holds looks of several requests and belongs to none of them.
  const outsideOfRequests = AsyncLocalStorage.snapshot();

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

  async function flush(): Promise<void> {
    isFlushing = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await database.query(INSERT_LOOKS, valuesOf(...batch.flatMap(({ entries }) => entries)));
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
      if (!isFlushing) outsideOfRequests(() => void flush());
    });
  }

  return { record, recordRead, valuesOf };
}

/** An entry with its time, in milliseconds. */
export interface TimedEntry {
  readonly entry: AuditEntry;
  readonly recordedAt: number;
}

/** Records events of before, in the caller's transaction. */
export async function recordEarlier(tx: Queryable, service: string, events: readonly TimedEntry[]): Promise<void> {
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

/** The acting user of identity; services, keys and the engine's own users are none. */
function actorGuid({ principal }: AuditEntry): string | null {
  return principal?.kind === 'identity_user' && isGuid(principal.id) ? principal.id : null;
}
