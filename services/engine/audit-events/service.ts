// The engine as the place where audit events are searched (decision G9): it keeps what the services ship, its own included. Each
// event is stored once, however often it is shipped.
import type { Database } from '#lib/db/database.ts';
import { type Fault, validationError } from '#lib/errors.ts';
import { type ResourceText, readResourceText } from '#lib/fhir/resource-text.ts';
import type { FhirStore } from '#lib/fhir-store/store.ts';
import { isGuid } from '#lib/guid.ts';

export interface AuditEventService {
  /** Stores events, given as JSON texts: all or none. @throws ServiceError `validation_error`, `unprocessable` */
  keep(events: readonly string[]): Promise<void>;
}

interface ShippedEvent {
  readonly id: string;
  readonly source: ResourceText;
}

export function createAuditEventService(deps: { database: Database; store: FhirStore }): AuditEventService {
  const { database, store } = deps;
  return {
    async keep(events) {
      const shipped = readEvents(events);
      // An event that is there already was shipped before.
      await database.transaction((tx) =>
        store.createMany(
          tx,
          shipped.map(({ id, source }) => ({ source, id, organisation: null })),
        ),
      );
    },
  };
}

/** In the order of their ids, so that two nodes that ship the same events never wait for each other in a circle. */
function readEvents(events: readonly string[]): ShippedEvent[] {
  const faults: Fault[] = [];
  const shipped = events.flatMap((text, index): ShippedEvent[] => {
    const source = readResourceText(text);
    const { id } = source.resource;
    if (source.resourceType === 'AuditEvent' && typeof id === 'string' && isGuid(id)) return [{ id, source }];
    const field = `events[${index}]`;
    faults.push({ field, message: `'${field}' must be an AuditEvent whose id is a guid` });
    return [];
  });
  if (faults.length > 0) throw validationError(faults);
  return shipped.sort((a, b) => (a.id < b.id ? -1 : 1));
}
