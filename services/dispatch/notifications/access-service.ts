// Who reads notifications, and the audit entries of a reading (decision G9), for the list and the stream.
import type { AuditEntry } from '#lib/audit/audit-event.ts';
import { type Actor, auditedBy } from '../shared/actor.ts';
import type { Notification } from './store.ts';

/** One entry for each patient. */
export function entriesOfReading(actor: Actor, notifications: readonly Notification[]): AuditEntry[] {
  const patients = [...new Set(notifications.map(({ patientGuid }) => patientGuid))];
  return patients.map((patientGuid) => {
    const shown = notifications.filter((each) => each.patientGuid === patientGuid);
    const subjects = new Set(shown.flatMap(subjectsOf));
    return auditedBy(actor, { action: 'R', event: 'notification.look', patientGuid, entities: [...subjects] });
  });
}

function subjectsOf({ serviceRequestId, careplanGuid }: Notification): string[] {
  return [
    ...(serviceRequestId === undefined ? [] : [`ServiceRequest/${serviceRequestId}`]),
    ...(careplanGuid === undefined ? [] : [`CarePlan/${careplanGuid}`]),
  ];
}
