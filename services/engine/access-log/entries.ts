// Which AuditEvents have an entry in an access log: those that Kedja's services have recorded and that concern a
// patient.
import type { Queryable } from '#lib/db/database.ts';
import { type LoggedEvent, readLoggedEvent } from '../shared/logged-event.ts';
import { insertEntries } from './store.ts';

/** Enters those of the AuditEvents that concern patients, in the caller's transaction. */
export async function enterEvents(tx: Queryable, resources: readonly unknown[]): Promise<void> {
  await insertEntries(tx, concerning(resources));
}

function concerning(resources: readonly unknown[]): (LoggedEvent & { readonly patientId: string })[] {
  return resources.flatMap((resource) => {
    const event = readLoggedEvent(resource);
    const patientId = event?.patientId;
    return event === undefined || patientId === undefined ? [] : [{ ...event, patientId }];
  });
}
