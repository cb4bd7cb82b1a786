// Stores the audit events of all services, the engine's own included, so that they can be searched (decision G9). Each
// event is stored once, even when it is sent several times.

import { type ResourceText, readResourceText } from '#fhir/resources/resource-text.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import { observerName } from '#lib/audit/audit-event.ts';
import type { Database } from '#lib/db/database.ts';
import { type Issue, validationError } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';

export interface AuditEventService {
  /**
   * Stores the events of `recorder`, given as JSON texts: all or none. The recorder follows from the credentials: a
   * service cannot send events in the name of another.
   * @throws ServiceError `validation_error`, `unprocessable`
   */
  store(recorder: string, events: readonly string[]): Promise<void>;
}

interface ShippedEvent {
  readonly id: string;
  readonly source: ResourceText;
}

export function createAuditEventService(deps: {
  database: Database;
  store: Pick<FhirStore, 'createMany'>;
}): AuditEventService {
  const { database, store } = deps;
  return {
    async store(recorder, events) {
      const shipped = readEvents(recorder, events);
      // An event with a stored id was sent before.
      await database.transaction((tx) =>
        store.createMany(
          tx,
          shipped.map(({ id, source }) => ({ source, id, organisation: null })),
        ),
      );
    },
  };
}

function observerOf({ source }: Readonly<Record<string, unknown>>): unknown {
  const observer: unknown = isObject(source) ? source['observer'] : undefined;
  return isObject(observer) ? observer['display'] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Sorts events by id, so that two nodes that send the same events do not deadlock. */
function readEvents(recorder: string, events: readonly string[]): ShippedEvent[] {
  const issues: Issue[] = [];
  const shipped = events.flatMap((text, index): ShippedEvent[] => {
    const source = readResourceText(text);
    const { id } = source.resource;
    const field = `events[${index}]`;
    if (source.resourceType !== 'AuditEvent' || typeof id !== 'string' || !isGuid(id)) {
      issues.push({ field, message: `'${field}' must be an AuditEvent whose id is a guid` });
      return [];
    }
    if (observerOf(source.resource) !== observerName(recorder)) {
      issues.push({ field, message: `'${field}' must name ${observerName(recorder)} as its source` });
      return [];
    }
    return [{ id, source }];
  });
  if (issues.length > 0) throw validationError(issues);
  return shipped.sort((a, b) => (a.id < b.id ? -1 : 1));
}
