// Writing the audit record (decision G9): a change's event in the change's own transaction; looks at data in batches that are
// stored before the answer leaves, one insert for all that wait, so that reading stays fast.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../clock.ts';
import type { Database, Queryable } from '../db/database.ts';
import { isGuid, newGuid } from '../guid.ts';
import { type AuditEntry, buildAuditEvent } from './audit-event.ts';

export interface Audit {
  /** Records events in the caller's transaction: they stand or fall with what they tell of. */
  record(transaction: Queryable, ...entries: readonly AuditEntry[]): Promise<void>;
  /**
   * Records a look at data, or a look at that of several people; resolves when it is stored, and then the answer may be sent. Survives a crash of the process;
   * a crash of the whole machine may lose the last moments (asynchronous commit).
   */
  recordRead(...entries: readonly AuditEntry[]): Promise<void>;
}

const INSERT = {
  name: 'audit-insert-parties',
  text: `WITH event AS (
    INSERT INTO audit_event (event_guid, recorded_at, resource, event, outcome, actor_guid, subject_guid)
    SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::uuid[], $7::uuid[])
    RETURNING event_guid
  )
  INSERT INTO audit_outbox (event_guid) SELECT event_guid FROM event`,
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

  async function record(transaction: Queryable, ...entries: readonly AuditEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const now = clock.now();
    const guids = entries.map(() => newGuid(now));
    const recorded = entries.map(() => new Date(now));
    const resources = entries.map((entry, index) =>
      JSON.stringify(buildAuditEvent(guids[index] ?? newGuid(now), service, now, entry)),
    );
    await transaction.query(INSERT, [
      guids,
      recorded,
      resources,
      entries.map(({ event }) => event),
      entries.map(({ outcome = 'success' }) => outcome),
      entries.map(actorGuid),
      entries.map(({ subjectGuid = null }) => subjectGuid),
    ]);
  }

  async function flush(): Promise<void> {
    isFlushing = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await database.transaction(async (transaction) => {
          await transaction.query('SET LOCAL synchronous_commit = off');
          await record(transaction, ...batch.flatMap(({ entries }) => entries));
        });
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

  return { record, recordRead };
}

/** The acting user of identity; services, keys and the engine's own users are none. */
function actorGuid({ principal }: AuditEntry): string | null {
  return principal?.kind === 'identity_user' && isGuid(principal.id) ? principal.id : null;
}
