// The compact form of the engine's own accesses, without their AuditEvents in between. What was done and by whom is the
// same for most of them. A rare form of entry takes the way of ./compact-event.ts.
import { resourceKey } from '#fhir/search/extract/keys.ts';
import type { TimedEntry } from '#lib/audit/audit.ts';
import { type AuditEntry, buildAuditEvent } from '#lib/audit/audit-event.ts';
import type { Actor } from '#lib/auth/principal.ts';
import { newGuid } from '#lib/guid.ts';
import {
  type CompactEvent,
  type Compacting,
  entityColumns,
  otherPatientValue,
  PLAIN,
  REFERENCE,
} from './compact-event.ts';

/** Returns the compact form of an entry; undefined for one that has none. */
export type CompactEntry = (event: TimedEntry) => CompactEvent | undefined;

const MAX_KNOWN = 10_000;
const SAFE = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

type Head = Pick<CompactEvent, 'kind' | 'actor' | 'agent' | 'detail'> & {
  /** The ids of the Patients that the agents name, in their order. */
  readonly patients: readonly string[];
};

export function createCompactEntry({ compact }: Compacting, service: string): CompactEntry {
  const heads = new Map<string, Head>();
  const callers = new WeakMap<Actor, string>();

  function keyOf({ principal, action, event, outcome, detail, address, organisationGuids }: AuditEntry): string {
    let caller = principal === undefined ? '' : callers.get(principal);
    if (caller === undefined && principal !== undefined) {
      caller = JSON.stringify({ ...principal, roles: [...principal.roles] });
      callers.set(principal, caller);
    }
    // Without an address the service itself is who did it (../shared/logged-event.ts).
    const rest = [action, event, outcome, detail, address === undefined, ...(organisationGuids ?? ['-'])];
    return `${caller}\0${rest.join('\0')}`;
  }

  const general = ({ entry, recordedAt }: TimedEntry) =>
    compact({ ...buildAuditEvent(newGuid(recordedAt), service, recordedAt, entry) });

  function headOf(event: TimedEntry): Head | undefined {
    const key = keyOf(event.entry);
    const known = heads.get(key);
    if (known !== undefined) return known;
    const whole = general(event);
    if (whole === undefined) return undefined;
    const { kind, actor, agent, detail } = whole;
    const named = [...actor.pieces.join('').matchAll(/"reference":"Patient\/([A-Za-z0-9.-]{1,64})"/g)];
    const head = { kind, actor, agent, detail, patients: named.map(([, id = '']) => id) };
    if (heads.size >= MAX_KNOWN) heads.clear();
    heads.set(key, head);
    return head;
  }

  return (event) => {
    const { entry, recordedAt } = event;
    const { entities = [], patientGuid, address, requestId } = entry;
    const isPlain =
      entry.subjectGuid === undefined &&
      entities.every((name) => REFERENCE.test(name)) &&
      (patientGuid === undefined || ID.test(patientGuid)) &&
      (address === undefined || SAFE.test(address)) &&
      (requestId === undefined || PLAIN.test(requestId));
    const head = isPlain ? headOf(event) : undefined;
    if (head === undefined) return general(event);
    const { patients, ...own } = head;
    const { values, ...columns } = entityColumns(entities);
    const key = patientGuid === undefined ? null : resourceKey(patientGuid);
    const other = patientGuid === undefined ? undefined : otherOf(patientGuid, patients, entities);
    return {
      guid: newGuid(recordedAt),
      recorded: recordedAt,
      ...own,
      ...columns,
      patient: key,
      patientId: patientGuid === undefined || patientGuid === key ? null : patientGuid,
      address: address ?? null,
      request: requestId ?? null,
      values: other === undefined ? values : [...values, otherPatientValue(other)],
    };
  };
}

const ID = /^[A-Za-z0-9.-]{1,64}$/;
const OF_PATIENT = 'Patient/';

/** The first Patient that is named besides the patient of the event. */
function otherOf(patient: string, ofAgents: readonly string[], entities: readonly string[]): string | undefined {
  const ofEntities = entities
    .filter((name) => name.startsWith(OF_PATIENT))
    .map((name) => name.slice(OF_PATIENT.length));
  return [...ofAgents, ...ofEntities].find((id) => id !== patient);
}
