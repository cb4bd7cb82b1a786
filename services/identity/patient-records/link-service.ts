// Links Patients at engine and dispatch to the registered patient with the same personnummer (decision L1,
// docs/adr/0068). Both sides write the number under a lock on it, and then search for the other side: whichever comes
// second makes the link.
import type { Audit } from '#lib/audit/audit.ts';
import type { AuditEntry } from '#lib/audit/audit-event.ts';
import type { Clock } from '#lib/clock.ts';
import type { Transaction } from '#lib/db/database.ts';
import type { Revocations } from '../revocations/service.ts';
import * as store from './store.ts';

/** Who made or ended links, as audit events name it. */
export type LinkedBy = Pick<AuditEntry, 'principal' | 'address' | 'requestId'>;

export interface PatientLinks {
  /**
   * Finds the person of each record again: adds and ends links, with their audit events. Returns the users whose access
   * has changed, and publishes that. The numbers are locked (`lockNumbers`).
   */
  relink(tx: Transaction, records: readonly store.RecordKey[], by: LinkedBy): Promise<ReadonlySet<string>>;
  /** Looks for records of patients who have just been registered. Their numbers are locked. */
  linkPatients(tx: Transaction, patientGuids: readonly string[], by: LinkedBy): Promise<void>;
}

export interface PatientLinkDeps {
  readonly clock: Clock;
  readonly audit: Audit;
  readonly revocations: Pick<Revocations, 'usersChanged'>;
}

export function createPatientLinks({ clock, audit, revocations }: PatientLinkDeps): PatientLinks {
  async function relink(tx: Transaction, records: readonly store.RecordKey[], by: LinkedBy) {
    const persons = new Map((await store.findPersons(tx, records)).map((row) => [keyOf(row), row]));
    const links = new Map((await store.findLinks(tx, records)).map((row) => [keyOf(row), row]));
    const ended = [...links].flatMap(([key, link]) => (persons.has(key) ? [] : [link]));
    const added = [...persons].flatMap(([key, person]) => (links.has(key) ? [] : [person]));
    if (ended.length === 0 && added.length === 0) return new Set<string>();
    if (ended.length > 0) await store.deleteLinks(tx, ended);
    if (added.length > 0) await store.insertLinks(tx, added, new Date(clock.now()));
    await audit.record(
      tx,
      ...ended.map((link) => linkEntry('patient-record.unlink', link, by)),
      ...added.map((link) => linkEntry('patient-record.link', link, by)),
    );
    const users = new Set([...ended, ...added].map(({ user_guid: guid }) => guid));
    await revocations.usersChanged(tx, [...users]);
    return users;
  }

  return {
    relink,
    async linkPatients(tx, patientGuids, by) {
      if (patientGuids.length === 0) return;
      const records = await store.recordsOfPatients(tx, patientGuids);
      if (records.length > 0) await relink(tx, records, by);
    },
  };
}

function keyOf({ service, record_id: id, patient_guid: guid }: store.LinkRow): string {
  return `${service} ${id} ${guid}`;
}

/** The audit event of a link that was made, ended, undone or restored. */
export function linkEntry(event: string, link: store.LinkRow, { principal, address, requestId }: LinkedBy): AuditEntry {
  return {
    action: event.endsWith('.link') || event.endsWith('.restore') ? 'C' : 'D',
    event,
    principal,
    patientGuid: link.patient_guid,
    subjectGuid: link.user_guid,
    entities: [`Patient/${link.record_id}`],
    detail: `at ${link.service}`,
    ...(address === undefined ? {} : { address }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}
