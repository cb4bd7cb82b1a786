// Stores the audit events of all services, the engine's own included, so that they can be searched (decision G9). Each
// event is stored once, even when it is sent several times: in its compact form (docs/adr/0126), or else as a resource.

import { isJsonObject } from '#fhir/patch/json-tree.ts';
import { readResourceText } from '#fhir/resources/resource-text.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import { recordTimedEntries, type TimedEntry } from '#lib/audit/audit.ts';
import { observerName } from '#lib/audit/audit-event.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { type Issue, validationError } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import { createCompactEntry } from './compact-entry.ts';
import { type CompactEvent, createCompacting } from './compact-event.ts';
import { createCompactStore } from './compact-store.ts';

const SERVICE = 'engine';

export interface AuditEventDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly store: Pick<FhirStore, 'createMany' | 'parameters'>;
  /** Enters what concerns patients into their access logs, in the same transaction (docs/adr/0075). */
  readonly enter: (tx: Transaction, resources: readonly unknown[]) => Promise<void>;
}

export interface AuditEventService {
  /**
   * Stores the events of `recorder`, parsed AuditEvents: all or none. The recorder follows from the credentials: a
   * service cannot send events in the name of another.
   * @throws ServiceError `validation_error`, `unprocessable`
   */
  store(recorder: string, events: readonly object[]): Promise<void>;
  /** Stores the engine's own accesses in the caller's transaction, where they are searched at once. */
  storeOwn(tx: Transaction, events: readonly TimedEntry[]): Promise<void>;
}

interface ShippedEvent {
  readonly id: string;
  readonly event: Json;
}

export function createAuditEventService({ database, clock, store, enter }: AuditEventDeps): AuditEventService {
  const compacting = createCompacting(store.parameters);
  const compactEntry = createCompactEntry(compacting, SERVICE);
  const compacted = createCompactStore();
  return {
    async store(recorder, events) {
      const shipped = readEvents(recorder, events);
      const { compact, others } = sorted(shipped, ({ event }) => compacting.compact(event));
      await database.transaction(async (tx) => {
        await compacted.insert(tx, compact, new Date(clock.now()));
        // An event with a stored id was sent before.
        await store.createMany(
          tx,
          others.map(({ id, event }) => ({
            source: readResourceText(JSON.stringify(event)),
            id,
            organisation: null,
          })),
        );
        await enter(
          tx,
          others.map(({ event }) => event),
        );
      });
    },
    async storeOwn(tx, events) {
      const { compact, others } = sorted(events, compactEntry);
      await compacted.insertNew(tx, compact, new Date(clock.now()));
      // They are shipped like the events of other services.
      await recordTimedEntries(tx, SERVICE, others);
    },
  };
}

/** The events in their compact form, and those that have none. */
function sorted<E>(events: readonly E[], compactOf: (event: E) => CompactEvent | undefined) {
  const found = events.map((event) => ({ event, compact: compactOf(event) }));
  return {
    compact: found.flatMap((each) => each.compact ?? []),
    others: found.flatMap((each) => (each.compact === undefined ? [each.event] : [])),
  };
}

type Json = Readonly<Record<string, unknown>>;

function observerOf({ source }: Json): unknown {
  const observer: unknown = isJsonObject(source) ? source['observer'] : undefined;
  return isJsonObject(observer) ? observer['display'] : undefined;
}

/** Sorts events by id, so that two nodes that send the same events do not deadlock. */
function readEvents(recorder: string, events: readonly object[]): ShippedEvent[] {
  const issues: Issue[] = [];
  const shipped = events.flatMap((event, index): ShippedEvent[] => {
    const { resourceType, id } = event as Json;
    const field = `events[${index}]`;
    if (resourceType !== 'AuditEvent' || typeof id !== 'string' || !isGuid(id)) {
      issues.push({ field, message: `'${field}' must be an AuditEvent whose id is a guid` });
      return [];
    }
    if (observerOf(event as Json) !== observerName(recorder)) {
      issues.push({ field, message: `'${field}' must name ${observerName(recorder)} as its source` });
      return [];
    }
    return [{ id, event: event as Json }];
  });
  if (issues.length > 0) throw validationError(issues);
  return shipped.sort((a, b) => (a.id < b.id ? -1 : 1));
}
