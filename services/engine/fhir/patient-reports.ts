// What patients report about themselves (decision L2, docs/adr/0072): Observations and QuestionnaireResponses about
// their own record, which the service completes with subject, performer, tag and owner. Nobody else changes them.
import { parseExactJson } from '#fhir/json/exact-json.ts';
import { isJsonObject, type JsonObject } from '#fhir/patch/json-tree.ts';
import { parseReference } from '#fhir/resources/references.ts';
import { type ResourceText, readResourceText } from '#fhir/resources/resource-text.ts';
import { referenceTargets } from '#fhir/rest/interactions/write/target-addresses.ts';
import type { FhirRestOptions, Interaction, Placed } from '#fhir/rest/options.ts';
import { concernsOnlyPatient } from '#fhir/search/extract/extract.ts';
import { nameKey } from '#fhir/search/extract/keys.ts';
import { type Access, type AccessFilter, ALL_ACCESS, personIds } from '#fhir/store/access.ts';
import { isReportTag, MAX_REPORT, PATIENT_REPORTED, referringKeys } from '#fhir/store/patient-reported.ts';
import { findAbsent } from '#fhir/store/read/existence.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { Queryable } from '#lib/db/database.ts';
import { type Issue, messageOf, ServiceError } from '#lib/errors.ts';
import { accessFor, accessOf, REPORT_TYPES } from '../shared/policies.ts';

type PatientReports = Required<Pick<FhirRestOptions, 'access' | 'completeReport'>>;

/** A Patient on record who is the caller, with its owner. */
interface OwnRecord {
  readonly id: string;
  readonly organisation: string | null;
}

/** The options of the FHIR routes by which patients report. */
export function createPatientReports({ store, baseUrl }: Pick<FhirRestOptions, 'store' | 'baseUrl'>): PatientReports {
  const filters = new Map<string, { readonly version: number; readonly usedBy: readonly number[] }>();
  const usedBy = (type: string): readonly number[] => {
    const known = filters.get(type);
    const { version } = store.parameters;
    if (known?.version === version) return known.usedBy;
    const found = { version, usedBy: referringKeys(type, store.parameters) };
    filters.set(type, found);
    return found.usedBy;
  };
  const ofChange = (filter: AccessFilter, type: string): AccessFilter => {
    if (filter.kind !== 'patient' || !REPORT_TYPES.has(type)) return filter;
    const tagKey = store.parameters.forType(type).get('_tag')?.key ?? nameKey(`${type}._tag`);
    return { ...filter, kind: 'reported', tagKey, usedBy: usedBy(type) };
  };
  return {
    access: (principal, interaction) => {
      const access = accessFor(principal, interaction);
      return CHANGES.has(interaction) ? (type) => ofChange(access(type), type) : access;
    },
    completeReport: async (db, principal, source) => {
      if (accessOf(principal)('Patient').kind !== 'patient') return undefined;
      return complete({ store, baseUrl, db, principal }, source);
    },
  };
}

const CHANGES: ReadonlySet<Interaction> = new Set(['update', 'patch', 'delete']);

interface Reporting {
  readonly store: FhirStore;
  readonly baseUrl: string;
  readonly db: Queryable;
  readonly principal: Principal;
}

/** @throws ServiceError `forbidden`, `unprocessable`, `payload_too_large` */
async function complete(reporting: Reporting, source: ResourceText): Promise<Placed> {
  const { store, baseUrl, principal } = reporting;
  if (!REPORT_TYPES.has(source.resourceType))
    throw new ServiceError('forbidden', 'Patients report Observations and QuestionnaireResponses');
  if (source.text.length > MAX_REPORT)
    throw new ServiceError('payload_too_large', `A report has at most ${MAX_REPORT} characters`);
  const given = parseExactJson(source.text);
  if (!isJsonObject(given)) throw new TypeError('A resource is a JSON object');
  const access = accessOf(principal);
  const ids = ownIds(access);
  const issues = foreignIssues(given, { ids, baseUrl });
  if (issues.length > 0) throw new ServiceError('forbidden', messageOf(issues), { issues });
  await requireSeen(reporting, given, access);
  const plan = await planOf(reporting, given, access);
  const record = plan ?? (await recordOf(reporting, { ids, subject: idOf(given['subject'], baseUrl) }));
  const text = JSON.stringify(completed(given, record.id, principal));
  const report: ResourceText = { ...readResourceText(text), isOwnReport: true };
  if (!concernsOnlyPatient(report.resource, ids, store.parameters)) throw forOthers();
  return { source: report, organisation: record.organisation };
}

function ownIds(access: Access): readonly string[] {
  const filter = access('Patient');
  return filter.kind === 'patient' ? personIds(filter) : [];
}

function forOthers(): ServiceError {
  return new ServiceError('forbidden', 'A report is about yourself alone, and names no other patient');
}

interface Own {
  readonly ids: readonly string[];
  readonly baseUrl: string;
}

/** The elements that name who it is about and who says so: where they are given they are the patient's own. */
const OWN_ELEMENTS = ['subject', 'performer', 'author', 'source'];

function foreignIssues(given: JsonObject, { ids, baseUrl }: Own): Issue[] {
  return OWN_ELEMENTS.flatMap((element) => {
    const value = given[element];
    if (value === undefined) return [];
    const isOwn = [value].flat().every((each) => ids.includes(idOf(each, baseUrl) ?? ''));
    const field = `${String(given['resourceType'])}.${element}`;
    return isOwn
      ? []
      : [{ message: `${field} must be yourself, as Patient/<id>, or left out`, field, code: 'forbidden' }];
  });
}

function idOf(reference: unknown, baseUrl: string): string | undefined {
  return addressOf(reference, baseUrl, 'Patient');
}

function addressOf(reference: unknown, baseUrl: string, type: string): string | undefined {
  const text = isJsonObject(reference) ? reference['reference'] : undefined;
  const parsed = typeof text === 'string' ? parseReference(text, baseUrl) : undefined;
  return parsed?.kind === 'relative' && parsed.type === type ? parsed.id : undefined;
}

/** @throws ServiceError `unprocessable` naming each reference to what the patient does not see */
async function requireSeen({ baseUrl, db }: Reporting, given: JsonObject, access: Access): Promise<void> {
  const targets = referenceTargets(given, baseUrl).filter(({ resourceType }) => resourceType !== 'Patient');
  const absent = await findAbsent(db, targets, access);
  const issues = targets
    .filter(({ resourceType, id }) => absent.has(`${resourceType}/${id}`))
    .flatMap(({ resourceType, fields }) =>
      fields.map((field) => ({
        message: `${field} refers to a ${resourceType} that is not here`,
        field,
        code: 'not-found',
      })),
    );
  if (issues.length > 0) throw new ServiceError('unprocessable', messageOf(issues), { issues });
}

const PLANS = ['CarePlan', 'ServiceRequest'] as const;

/**
 * The patient and the owner of the plans and requests that the report is based on.
 * @throws ServiceError `unprocessable` when they belong to several
 */
async function planOf(
  { store, baseUrl, db }: Reporting,
  given: JsonObject,
  access: Access,
): Promise<OwnRecord | undefined> {
  const found = new Map<string, OwnRecord>();
  for (const reference of [given['basedOn'] ?? []].flat()) {
    for (const resourceType of PLANS) {
      const id = addressOf(reference, baseUrl, resourceType);
      if (id === undefined) continue;
      const { content, organisation } = await store.read(db, { resourceType, id }, access);
      const plan: unknown = JSON.parse(content);
      const patient = isJsonObject(plan) ? idOf(plan['subject'], baseUrl) : undefined;
      if (patient !== undefined) found.set(`${organisation} ${patient}`, { id: patient, organisation });
    }
  }
  const [first] = found.values();
  if (found.size <= 1) return first;
  const message = 'basedOn names plans of several organisations: report to each by itself';
  throw new ServiceError('unprocessable', message, { issues: [{ message, field: 'basedOn', code: 'business-rule' }] });
}

/**
 * The record that the report is about: the one that it names, else the only one.
 * @throws ServiceError `unprocessable` when there is none, or the patient must choose
 */
async function recordOf(
  { store, db }: Reporting,
  { ids, subject }: { readonly ids: readonly string[]; readonly subject: string | undefined },
): Promise<OwnRecord> {
  const records: OwnRecord[] = [];
  for (const id of subject === undefined ? ids : [subject]) {
    const record = await findRecord(store, db, id);
    if (record !== undefined) records.push(record);
  }
  const [only, ...others] = records;
  if (only !== undefined && others.length === 0) return only;
  const named = records.map(({ id }) => `Patient/${id}`).join(', ');
  const message =
    only === undefined
      ? 'No organisation has this record of you here, so nobody would see the report'
      : `Several organisations have a record of you: name as the subject the one that you report to (${named})`;
  throw new ServiceError('unprocessable', message, { issues: [{ message, field: 'subject', code: 'business-rule' }] });
}

async function findRecord(store: FhirStore, db: Queryable, id: string): Promise<OwnRecord | undefined> {
  try {
    const { organisation } = await store.read(db, { resourceType: 'Patient', id }, ALL_ACCESS);
    return { id, organisation };
  } catch (error) {
    if (error instanceof ServiceError && (error.code === 'not_found' || error.code === 'deleted')) return undefined;
    throw error;
  }
}

/** The report with its subject, who says so, and the tag; other tags of Kedja's are taken away. */
function completed(given: JsonObject, id: string, principal: Principal): JsonObject {
  const patient = { reference: `Patient/${id}` };
  const author = principal.proxy === undefined ? patient : proxyReference(principal);
  const meta = isJsonObject(given['meta']) ? given['meta'] : {};
  const tags: unknown[] = Array.isArray(meta['tag']) ? meta['tag'] : [];
  const others = tags.filter(
    (tag) => !isJsonObject(tag) || (!isReportTag(tag) && tag['system'] !== PATIENT_REPORTED.system),
  );
  const said = given['resourceType'] === 'Observation' ? { performer: [author] } : { author, source: patient };
  return { ...given, meta: { ...meta, tag: [...others, PATIENT_REPORTED] }, subject: patient, ...said };
}

/**
 * A proxy, who reports for the patient (docs/adr/0074). It names no Patient: a record of two patients would be hidden
 * from the patient whom it is about.
 */
function proxyReference({ id }: Principal): object {
  return { type: 'RelatedPerson', identifier: { system: 'https://kedja.dev/ids/identity-user', value: id } };
}
