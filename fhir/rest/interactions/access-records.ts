// Access records of FHIR interactions, for the audit (decision G9): one AuditEvent for each patient concerned, naming
// the resources that were read or changed. An interaction stores a record; its patients are determined when the record
// becomes events (docs/adr/0011).

import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import type { ReadRecord } from '#fhir/store/read/batched-lookup.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import { findLinkingTexts, type VersionAddress } from '#fhir/store/read/versions.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import { patientsIn, type StoreThreads } from '#fhir/store/threads.ts';
import type { WriteOutcome } from '#fhir/store/write/write.ts';
import { canBePackedBefore, type AccessRecord as StoredAccessRecord } from '#lib/audit/access-batch.ts';
import type { EntriesOfAccess } from '#lib/audit/access-unpacker.ts';
import type { AuditAction, AuditEntry } from '#lib/audit/audit-event.ts';
import type { Transaction } from '#lib/db/database.ts';
import { createSlices } from '#lib/jobs/slices.ts';
import type { FhirRestOptions } from '../options.ts';
import type { FhirCall } from './call.ts';

/** What recording needs of a context. */
interface Recording {
  readonly options: FhirRestOptions;
}

/** A read, or a change. */
export interface AccessRecord {
  readonly action: AuditAction;
  /** `read`, `search-type`, … */
  readonly interaction: string;
  /** Undefined for what reaches over all types. */
  readonly resourceType: string | undefined;
  readonly versions: readonly VersionAddress[];
  /** Ids of the patients whom a search names. */
  readonly named?: readonly string[];
  /** Names of the parameters of a search that names nobody and found nothing. */
  readonly parameterNames?: readonly string[];
}

/**
 * Records a read before its response is sent; resolves when the record is stored, or is part of the call's transaction.
 */
export async function recordAccess(call: FhirCall, record: AccessRecord, context: Recording): Promise<void> {
  const stored = accessToStore(call, record, context);
  if (stored === undefined) return;
  const { accessLog } = context.options;
  const { within } = call.execution;
  // A transaction that waited for another connection's record could wait for ever: all connections may be in
  // transactions.
  if (within !== undefined) await accessLog.recordWithin(within, stored);
  else await accessLog.record(stored);
}

/** What is stored of an access; undefined where none is recorded. */
export function accessToStore(
  call: FhirCall,
  record: AccessRecord,
  context: Recording,
): StoredAccessRecord | undefined {
  return isAboutPatients(record, context) ? storedRecord(call, record) : undefined;
}

/**
 * What the statement of a read outside of transactions records of it. Undefined where nothing is recorded, and where
 * that depends on whether what is found is shown. Resolves when the read may be carried out.
 * @throws ServiceError `unavailable` while the record is too far behind
 */
export async function pendingRecord(
  call: FhirCall,
  { interaction, resourceType }: { readonly interaction: string; readonly resourceType: string },
  context: Recording,
): Promise<ReadRecord | undefined> {
  const { ifNoneMatch, ifModifiedSince } = call.conditions;
  const access = { action: 'R', interaction, resourceType, versions: [] } as const;
  if (ifNoneMatch !== undefined || ifModifiedSince !== undefined || !canBePackedBefore(call.origin)) return undefined;
  if (!isAboutPatients(access, context)) return undefined;
  await context.options.accessLog.hold();
  return { action: 'R', event: eventOf(access), principal: call.principal, ...call.origin };
}

/** Records what one call changes, in the change's own transaction. */
export async function recordChange(
  tx: Transaction,
  call: FhirCall,
  changes: readonly AccessRecord[],
  context: Recording,
): Promise<void> {
  const those = changes.filter((change) => isAboutPatients(change, context));
  await context.options.accessLog.recordWithin(tx, ...those.map((change) => storedRecord(call, change)));
}

/** A change, and the call that asked for it. */
export interface CallChange {
  readonly call: FhirCall;
  readonly change: AccessRecord;
}

/** What one call has created or updated of a single resource. */
export function changeBy(call: FhirCall, { kind, version }: WriteOutcome): CallChange {
  return { call, change: { ...HOW[kind], resourceType: version.resourceType, versions: [version] } };
}

/** What one call has created, by types. */
export function createdBy(call: FhirCall, versions: readonly StoredVersion[]): CallChange[] {
  const byType = [...Map.groupBy(versions, ({ resourceType }) => resourceType)];
  return byType.map(([resourceType, of]) => ({ call, change: { ...HOW.created, resourceType, versions: of } }));
}

/** Records what several calls change, in their common transaction. */
export async function recordChanges(
  tx: Transaction,
  changes: readonly CallChange[],
  context: Recording,
): Promise<void> {
  const those = changes.filter(({ change }) => isAboutPatients(change, context));
  await context.options.accessLog.recordWithin(tx, ...those.map(({ call, change }) => storedRecord(call, change)));
}

const HOW = {
  created: { action: 'C', interaction: 'create' },
  updated: { action: 'U', interaction: 'update' },
} as const;

function storedRecord(call: FhirCall, record: AccessRecord): StoredAccessRecord {
  const { action, resourceType, versions, named = [], parameterNames = [] } = record;
  const who = { principal: call.principal, ...call.origin };
  return {
    action,
    event: eventOf(record),
    ...who,
    resourceType,
    versions,
    ...(named.length === 0 ? {} : { named }),
    ...(parameterNames.length === 0 ? {} : { parameterNames }),
  };
}

/** Converts stored access records to audit entries. */
export function entriesOfAccess(
  parameters: SearchParameters,
  workerThreads?: StoreThreads,
  from: FhirStore['from'] = (db) => db,
): EntriesOfAccess {
  return async (tx, records) => {
    const wanted = records.flatMap(({ versions }) => versions);
    const types = new Set(wanted.map(({ resourceType }) => resourceType));
    const texts = await findLinkingTexts(from(tx, types), wanted);
    const slices = createSlices();
    const patients: (readonly string[])[] = [];
    for (const [place, text] of texts.entries()) {
      // Nobody's where there is no text any more.
      if (text === undefined) patients.push([]);
      else if (text.content === null) patients.push(wanted[place] === undefined ? [] : [wanted[place].id]);
      else {
        patients.push(await patientsIn(text.content, { parameters, workerThreads }));
        await slices.rest();
      }
    }
    let start = 0;
    return records.map(({ resourceType, versions, named = [], parameterNames, ...head }) => {
      const touched = versions.map((version, place) => ({
        name: addressOf(version),
        patients: patients[start + place] ?? [],
        organisation: texts[start + place]?.organisation ?? null,
      }));
      start += versions.length;
      const detail =
        parameterNames === undefined ? {} : { detail: `nothing found; asked by ${parameterNames.join(', ')}` };
      return auditEntries({ head: { ...head, ...detail }, resourceType, named, touched });
    });
  };
}

/** Whether records of the type are in a patient's compartment, so that reading them is reading the data of a person. */
function isAboutPatients({ resourceType, versions }: AccessRecord, { options }: Recording): boolean {
  const { parameters } = options.store;
  return (
    resourceType === undefined ||
    isOfPatients(resourceType, parameters) ||
    versions.some((version) => isOfPatients(version.resourceType, parameters))
  );
}

/** Whether records of the type are in patients' compartments. */
export function isOfPatients(type: string, parameters: SearchParameters): boolean {
  return type === 'Patient' || parameters.compartmentParameters('Patient', type).length > 0;
}

interface AuditInput {
  /** What all entries have in common. */
  readonly head: Omit<AuditEntry, 'patientGuid' | 'entities'>;
  readonly resourceType: string | undefined;
  readonly named: readonly string[];
  readonly touched: readonly Touched[];
}

/** What was seen or changed: whose data it was, and to which organisation it belongs. */
interface Touched {
  readonly name: string;
  readonly patients: readonly string[];
  readonly organisation: string | null;
}

function addressOf({ resourceType, id }: VersionAddress): string {
  return `${resourceType}/${id}`;
}

function auditEntries({ head, resourceType, named, touched }: AuditInput): AuditEntry[] {
  const byPatient = new Map<string, Touched[]>(named.map((patient) => [patient, []]));
  const others: Touched[] = [];
  for (const each of touched) {
    if (each.patients.length === 0) others.push(each);
    for (const patient of each.patients) byPatient.set(patient, [...(byPatient.get(patient) ?? []), each]);
  }
  const kind = resourceType === undefined ? [] : [resourceType];
  const entry = (of: readonly Touched[]): AuditEntry => {
    const units = unitsOf(head.principal, of);
    const entities = of.length === 0 ? kind : of.map(({ name }) => name);
    return { ...head, entities, ...(units.length === 0 ? {} : { organisationGuids: units }) };
  };
  const entries: AuditEntry[] = [...byPatient].map(([patientGuid, of]) => ({ ...entry(of), patientGuid }));
  if (entries.length === 0 || others.length > 0) entries.push(entry(others));
  return entries;
}

/** Of a caller's organisations those to which something of it belongs: who works in several acted for these. */
function unitsOf(principal: AuditEntry['principal'], touched: readonly Touched[]): string[] {
  const own = principal?.organisationGuids ?? [];
  if (own.length < 2) return [];
  const owners = new Set(touched.map(({ organisation }) => organisation));
  return own.filter((organisation) => owners.has(organisation));
}

const typesInEvents = new Map<string, string>();

/** The name of the event: `care-plan.search`. */
export function eventOf({ resourceType, interaction }: Pick<AccessRecord, 'resourceType' | 'interaction'>): string {
  if (resourceType === undefined) return `system.${interaction}`;
  const known = typesInEvents.get(resourceType);
  if (known !== undefined) return `${known}.${interaction}`;
  typesInEvents.set(resourceType, kebab(resourceType));
  return `${kebab(resourceType)}.${interaction}`;
}

/** `CarePlan` as it is in the names of events: `care-plan`. */
export function kebab(type: string): string {
  return type.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
}
