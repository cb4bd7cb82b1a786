// The audit record of FHIR interactions (decision G9): one entry for each patient concerned, naming what was seen or changed of them.
import type { AuditAction, AuditEntry } from '#lib/audit/audit-event.ts';
import type { Transaction } from '#lib/db/database.ts';
import { compartmentPatients } from '#lib/fhir/search/extract.ts';
import type { StoredVersion } from '#lib/fhir-store/stored-version.ts';
import type { RouteContext } from '../context.ts';
import type { FhirCall } from './call.ts';

export interface Look {
  readonly action: AuditAction;
  /** `read`, `search-type`, … */
  readonly interaction: string;
  /** Undefined for what reaches over all types. */
  readonly resourceType: string | undefined;
  readonly versions: readonly StoredVersion[];
}

/** Records a look at what is about to be sent; resolves when the record is stored, or will be with the call's transaction. */
export async function recordLook(call: FhirCall, look: Look, context: RouteContext): Promise<void> {
  if (!isAboutPatients(look, context)) return;
  const { audit } = context.options;
  const entries = auditEntries(call, look, context);
  const { within } = call.workplace;
  // A transaction that waited for another connection's record could wait for ever: all connections may be in transactions.
  if (within !== undefined) await audit.record(within, ...entries);
  else await Promise.all(entries.map((entry) => audit.recordRead(entry)));
}

/** Records a change, in its own transaction. */
export async function recordChange(tx: Transaction, call: FhirCall, look: Look, context: RouteContext): Promise<void> {
  if (isAboutPatients(look, context)) await context.options.audit.record(tx, ...auditEntries(call, look, context));
}

/** Whether records of the type lie in a patient's compartment, so that looking at them is looking at a person. */
function isAboutPatients({ resourceType, versions }: Look, { options }: RouteContext): boolean {
  const { parameters } = options.store;
  const isOfPatients = (type: string) =>
    type === 'Patient' || parameters.compartmentParameters('Patient', type).length > 0;
  return (
    resourceType === undefined ||
    isOfPatients(resourceType) ||
    versions.some((version) => isOfPatients(version.resourceType))
  );
}

function auditEntries(call: FhirCall, look: Look, { options }: RouteContext): AuditEntry[] {
  const seen = new Map<string, string[]>();
  const others: string[] = [];
  for (const version of look.versions) {
    const name = `${version.resourceType}/${version.id}`;
    const patients = compartmentPatients(JSON.parse(version.content), options.store.parameters);
    if (patients.length === 0) others.push(name);
    for (const patient of patients) seen.set(patient, [...(seen.get(patient) ?? []), name]);
  }
  const event = `${look.resourceType === undefined ? 'system' : kebab(look.resourceType)}.${look.interaction}`;
  const common = { action: look.action, event, principal: call.principal, ...call.origin };
  const entries: AuditEntry[] = [...seen].map(([patientGuid, entities]) => ({ ...common, patientGuid, entities }));
  if (entries.length === 0 || others.length > 0) {
    entries.push({
      ...common,
      entities: others.length > 0 || look.resourceType === undefined ? others : [look.resourceType],
    });
  }
  return entries;
}

function kebab(type: string): string {
  return type.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
}
