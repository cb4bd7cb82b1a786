// What patients report about themselves (decision L2, docs/adr/0072): Observations and QuestionnaireResponses about
// their own record, which the service completes with subject, performer, tag and owner. Nobody else changes them.
import type { DispatchClient, PatientReportNotice } from '#clients/dispatch-client.ts';
import { parseExactJson } from '#fhir/json/exact-json.ts';
import { isJsonObject, type JsonObject } from '#fhir/patch/json-tree.ts';
import { parseReference } from '#fhir/resources/references.ts';
import { type ResourceText, readResourceText } from '#fhir/resources/resource-text.ts';
import { referenceTargets } from '#fhir/rest/interactions/write/target-addresses.ts';
import type { FhirRestOptions, Interaction, Placed, ReportToComplete } from '#fhir/rest/options.ts';
import { concernsOnlyPatient } from '#fhir/search/extract/extract.ts';
import { nameKey } from '#fhir/search/extract/keys.ts';
import { type Access, type AccessFilter, ALL_ACCESS, personIds } from '#fhir/store/access.ts';
import { isReportTag, MAX_REPORT, PATIENT_REPORTED, referringKeys } from '#fhir/store/patient-reported.ts';
import { findAbsent } from '#fhir/store/read/existence.ts';
import { findVisible } from '#fhir/store/read/find-visible.ts';
import type { ResourceAddress } from '#fhir/store/read/lookup.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import { type Principal, reporterReference } from '#lib/auth/principal.ts';
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { type Issue, messageOf, ServiceError, unprocessable } from '#lib/errors.ts';
import { parseInSlices } from '#lib/jobs/sliced-json.ts';
import { accessFor, accessOf, REPORT_TYPES } from '../shared/policies.ts';

type PatientReports = Required<Pick<FhirRestOptions, 'access' | 'completeReport' | 'deleted'>>;

/** A Patient on record who is the caller, with its owner. */
interface OwnRecord {
  readonly id: string;
  readonly organisation: string | null;
}

/** The options of the FHIR routes by which patients report. */
export function createPatientReports({
  store,
  baseUrl,
  placeReport,
  announceReport,
}: Pick<FhirRestOptions, 'store' | 'baseUrl'> & Pick<Reporting, 'placeReport' | 'announceReport'>): PatientReports {
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
    completeReport: async (db, principal, report) => {
      if (accessOf(principal)('Patient').kind !== 'patient') return undefined;
      return complete({ store, baseUrl, db, principal, placeReport, announceReport }, report);
    },
    deleted: async (tx, principal, versions) => {
      if (accessOf(principal)('Patient').kind !== 'patient') return;
      const announcing = { baseUrl, principal, announceReport };
      for (const version of versions) await announceDeletion(tx, announcing, version);
    },
  };
}

const CHANGES: ReadonlySet<Interaction> = new Set(['update', 'patch', 'delete']);

interface Reporting extends Pick<DispatchClient, 'placeReport'> {
  readonly store: FhirStore;
  readonly baseUrl: string;
  readonly db: Queryable;
  readonly principal: Principal;
  /** Has planners notified, in the transaction of the report. */
  readonly announceReport: (tx: Transaction, report: PatientReportNotice) => Promise<void>;
}

/** @throws ServiceError `forbidden`, `unprocessable`, `payload_too_large`, `upstream_unavailable` */
async function complete(
  reporting: Reporting,
  { source, interaction, current, mayAsk }: ReportToComplete,
): Promise<Placed> {
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
  const elsewhere = await requireSeen(reporting, given, access);
  const kept = current && keptRecord(given, current, baseUrl);
  const record = kept ?? (await placeOf(reporting, { given, ids, access, elsewhere, mayAsk }));
  const text = JSON.stringify(completed(given, record.id, principal));
  const report: ResourceText = { ...readResourceText(text), isOwnReport: true };
  if (!concernsOnlyPatient(report.resource, ids, store.parameters)) throw forOthers();
  // What is withdrawn from the start was never reported.
  const isNothing = interaction === 'create' && given['status'] === WITHDRAWN;
  const written = isNothing ? undefined : announcing(reporting, given, record);
  return { source: report, organisation: record.organisation, written };
}

type Announcing = Pick<Reporting, 'principal' | 'baseUrl' | 'announceReport'>;

/** What is nobody's is seen by nobody, who could be notified. */
function announcing(
  { principal, baseUrl, announceReport }: Announcing,
  given: JsonObject,
  { id, organisation }: OwnRecord,
  isWithdrawn = given['status'] === WITHDRAWN,
): Placed['written'] {
  if (organisation === null) return undefined;
  const others = [principal.patientGuid ?? id, ...(principal.linkedRecords?.dispatch ?? [])];
  const plans = basedOn(given, baseUrl).map(({ resourceType, id: plan }) => `${resourceType}/${plan}`);
  return (tx, { resourceType }) =>
    announceReport(tx, {
      patient_ids: [...new Set([id, ...others])].slice(0, MOST_IDS),
      organisation_guid: organisation,
      resource_type: resourceType,
      based_on: plans.slice(0, MOST_PLANS),
      ...(isWithdrawn ? { is_withdrawn: true } : {}),
    });
}

/** The status by which a report is withdrawn and stays. */
const WITHDRAWN = 'entered-in-error';

/** A report that is deleted after it was withdrawn is withdrawn once. */
async function announceDeletion(tx: Transaction, by: Announcing, version: StoredVersion): Promise<void> {
  const { resourceType, organisation, content } = version;
  const before = parseExactJson(content);
  if (!REPORT_TYPES.has(resourceType) || !isJsonObject(before) || before['status'] === WITHDRAWN) return;
  const id = idOf(before['subject'], by.baseUrl);
  if (id !== undefined) await announcing(by, before, { id, organisation }, true)?.(tx, version);
}

/** As many as dispatch takes. */
const MOST_IDS = 250;
const MOST_PLANS = 100;

/** Of a patch that leaves subject and plans as they are, the owner stays. */
function keptRecord(
  given: JsonObject,
  { content, organisation }: StoredVersion,
  baseUrl: string,
): OwnRecord | undefined {
  const before = parseExactJson(content);
  if (!isJsonObject(before)) return undefined;
  const about = (report: JsonObject) => JSON.stringify([report['subject'], report['basedOn']]);
  const id = idOf(before['subject'], baseUrl);
  return id !== undefined && about(before) === about(given) ? { id, organisation } : undefined;
}

interface Placing {
  readonly given: JsonObject;
  readonly ids: readonly string[];
  readonly access: Access;
  /** Plans and requests that are not here. */
  readonly elsewhere: readonly string[];
  readonly mayAsk: boolean;
}

/** The record that the report is about. @throws ServiceError `unprocessable`, `upstream_unavailable` */
async function placeOf(reporting: Reporting, { given, ids, access, elsewhere, mayAsk }: Placing): Promise<OwnRecord> {
  if (elsewhere.length > 0 && !mayAsk)
    throw unprocessable(
      'What is based on a plan at dispatch is reported by itself, outside of a transaction',
      'basedOn',
    );
  const here = await plansHere(reporting, given, access);
  const there = elsewhere.length === 0 ? [] : await recordsThere(reporting, ids, elsewhere);
  const plans = distinct([...here, ...there]);
  const [plan] = plans;
  if (plan !== undefined && plans.length === 1) return plan;
  if (plan !== undefined)
    throw unprocessable('basedOn names plans of several organisations: report to each by itself', 'basedOn');
  const subject = idOf(given['subject'], reporting.baseUrl);
  const asked = subject === undefined ? ids : [subject];
  const known = await recordsHere(reporting, asked);
  return onlyOf(known.length > 0 || !mayAsk ? known : await recordsThere(reporting, asked, []));
}

/** What dispatch has of the patient. @throws ServiceError `unprocessable`, `upstream_unavailable` */
async function recordsThere(
  { placeReport }: Reporting,
  ids: readonly string[],
  about: readonly string[],
): Promise<OwnRecord[]> {
  const { records, missing } = await placeReport(ids, about);
  if (missing.length > 0)
    throw unprocessable(`${missing.join(', ')}: there is no such plan or request of yours`, 'basedOn');
  return records.map((each) => ({ id: each.patient_guid, organisation: each.organisation_guid }));
}

function distinct(records: readonly OwnRecord[]): OwnRecord[] {
  return [...new Map(records.map((record) => [`${record.organisation} ${record.id}`, record])).values()];
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

/**
 * Returns the plans and requests that are not here, as references.
 * @throws ServiceError `unprocessable` naming each other reference to what the patient does not see
 */
async function requireSeen({ store, baseUrl, db }: Reporting, given: JsonObject, access: Access): Promise<string[]> {
  const targets = referenceTargets(given, baseUrl).filter(({ resourceType }) => resourceType !== 'Patient');
  const types = targets.map(({ resourceType }) => resourceType);
  const absent = await findAbsent(store.from(db, types), targets, access);
  const plans = new Set(basedOn(given, baseUrl).map(({ resourceType, id }) => `${resourceType}/${id}`));
  const elsewhere: string[] = [];
  const issues: Issue[] = [];
  for (const { resourceType, id, fields } of targets) {
    const reference = `${resourceType}/${id}`;
    if (!absent.has(reference)) continue;
    if (plans.has(reference)) elsewhere.push(reference);
    for (const field of fields) {
      if (plans.has(reference) && /^\w+\.basedOn\[/.test(field)) continue;
      issues.push({ message: `${field} refers to a ${resourceType} that is not here`, field, code: 'not-found' });
    }
  }
  if (issues.length > 0) throw new ServiceError('unprocessable', messageOf(issues), { issues });
  return elsewhere;
}

const PLANS = ['CarePlan', 'ServiceRequest'] as const;

/** The plans and requests that it is based on, each once: reading one again would take its time again. */
function basedOn(given: JsonObject, baseUrl: string): ResourceAddress[] {
  const found = new Map<string, ResourceAddress>();
  for (const reference of [given['basedOn'] ?? []].flat()) {
    for (const resourceType of PLANS) {
      const id = addressOf(reference, baseUrl, resourceType);
      if (id !== undefined) found.set(`${resourceType}/${id}`, { resourceType, id });
    }
  }
  return [...found.values()];
}

/** The patients and owners of those plans and requests that are here. */
async function plansHere(reporting: Reporting, given: JsonObject, access: Access): Promise<OwnRecord[]> {
  const { baseUrl } = reporting;
  const found: OwnRecord[] = [];
  for (const address of basedOn(given, baseUrl)) {
    const version = await findVisible(reporting.store, reporting.db, address, access);
    const plan = version && (await parseInSlices(version.content));
    const id = isJsonObject(plan) ? idOf(plan['subject'], baseUrl) : undefined;
    if (version !== undefined && id !== undefined) found.push({ id, organisation: version.organisation });
  }
  return found;
}

async function recordsHere(reporting: Reporting, ids: readonly string[]): Promise<OwnRecord[]> {
  const records: OwnRecord[] = [];
  for (const id of ids) {
    const found = await findVisible(reporting.store, reporting.db, { resourceType: 'Patient', id }, ALL_ACCESS);
    if (found !== undefined) records.push({ id, organisation: found.organisation });
  }
  return records;
}

/** @throws ServiceError `unprocessable` when there is none, or the patient must choose */
function onlyOf(records: readonly OwnRecord[]): OwnRecord {
  const [only, ...others] = records;
  if (only === undefined)
    throw unprocessable('No organisation has this record of you, so nobody would see the report', 'subject');
  if (others.length === 0) return only;
  const named = records.map(({ id }) => `Patient/${id}`).join(', ');
  const message = 'Several organisations have a record of you: name as the subject the one that you report to';
  throw unprocessable(`${message} (${named})`, 'subject');
}

/** The report with its subject, who says so, and the tag; other tags of Kedja's are taken away. */
function completed(given: JsonObject, id: string, principal: Principal): JsonObject {
  const patient = { reference: `Patient/${id}` };
  const author = reporterReference(principal, id);
  const meta = isJsonObject(given['meta']) ? given['meta'] : {};
  const tags: unknown[] = Array.isArray(meta['tag']) ? meta['tag'] : [];
  const others = tags.filter(
    (tag) => !isJsonObject(tag) || (!isReportTag(tag) && tag['system'] !== PATIENT_REPORTED.system),
  );
  const said = given['resourceType'] === 'Observation' ? { performer: [author] } : { author, source: patient };
  return { ...given, meta: { ...meta, tag: [...others, PATIENT_REPORTED] }, subject: patient, ...said };
}
