// Reads and checks the parameters of $export (HL7 Bulk Data Access 2.0, "Bulk Data Kick-off Request"). One response
// names every error.

import { isFhirId } from '#fhir/primitives/primitives.ts';
import type { AccessFilter } from '#fhir/store/access.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import { decide } from '#lib/auth/permissions.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { type Issue, ServiceError, validationError } from '#lib/errors.ts';
import { accessOf, hasRight, policyOf } from '../shared/policies.ts';
import type { JobRow } from './jobs.ts';

/** The request as it is stored with the job. */
export interface ExportRequest {
  /** The requested URL, which the manifest repeats. */
  readonly url: string;
  /** Resource types, in the order of the export. */
  readonly types: readonly string[];
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly since?: number;
  readonly patients?: 'any' | readonly string[];
  /** The queries of `_typeFilter`, by type. */
  readonly filters: Readonly<Record<string, readonly string[]>>;
  readonly elements: readonly string[];
}

export function requestOf({ request }: JobRow): ExportRequest {
  return request as ExportRequest;
}

export interface ExportInput {
  readonly url: string;
  readonly given: URLSearchParams;
  /** `Prefer: handling=strict`: an unknown parameter is an error. */
  readonly isStrict: boolean;
  /** The ids of the patients of a Group; undefined for the whole system. */
  readonly level: 'system' | 'patient' | { readonly patients: readonly string[] };
}

const FORMATS = new Set(['application/fhir+ndjson', 'application/ndjson', 'ndjson']);
const KNOWN = new Set(['_outputFormat', '_since', '_until', '_type', '_typeFilter', '_elements', 'patient']);
/** Parameters of the specification that Kedja does not support. */
const UNSUPPORTED = new Set(['includeAssociatedData', 'organizeOutputBy', 'allowPartialManifests']);
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
const MAX_PATIENTS = 10_000;

/** @throws ServiceError `validation_error` naming every error; `forbidden` when the caller may read nothing of it */
export function readExportRequest(
  ask: ExportInput,
  { principal, store, now }: { readonly principal: Principal; readonly store: FhirStore; readonly now: number },
): ExportRequest {
  const { given, isStrict, level, url } = ask;
  const issues: Issue[] = [];
  if (isStrict) issues.push(...unknownIssues(given));
  const format = given.get('_outputFormat')?.replaceAll(' ', '+');
  if (format !== undefined && !FORMATS.has(format)) {
    issues.push(issueOf('_outputFormat', 'must be application/fhir+ndjson'));
  }
  const since = readInstant('_since', given, issues);
  const until = readInstant('_until', given, issues);
  const filters = readFilters(given, { store, isStrict }, issues);
  const types = readTypes(ask, { store, principal }, issues);
  const patients = readPatients(ask, issues);
  if (issues.length > 0) throw validationError(issues);
  if (types.length === 0) throw new ServiceError('forbidden', 'You may read nothing of what is to be exported');
  const elements = listOf(given, '_elements');
  const at = until === undefined ? now : Math.min(now, until);
  return {
    url,
    types,
    at,
    filters,
    elements,
    ...(since === undefined ? {} : { since }),
    ...(patients === undefined ? {} : { patients }),
    ...(level === 'system' ? {} : { patients: patients ?? 'any' }),
  };
}

function issueOf(field: string, problem: string): Issue {
  return { field, message: `'${field}' ${problem}`, code: 'value' };
}

function listOf(given: URLSearchParams, name: string): string[] {
  return given
    .getAll(name)
    .flatMap((value) => value.split(','))
    .filter((value) => value !== '');
}

function unknownIssues(given: URLSearchParams): Issue[] {
  const names = [...new Set(given.keys())].filter((name) => !KNOWN.has(name));
  return names.map((name) => ({
    field: name,
    message: UNSUPPORTED.has(name) ? `'${name}' is not supported` : `'${name}' is no parameter of $export`,
    code: 'not-supported',
  }));
}

function readInstant(name: string, given: URLSearchParams, issues: Issue[]): number | undefined {
  const value = given.get(name)?.replace(' ', '+');
  if (value === undefined) return undefined;
  const time = INSTANT.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) issues.push(issueOf(name, 'must be an instant, such as 2026-01-31T12:00:00Z'));
  return time;
}

function isReadable(type: string, principal: Principal): boolean {
  if (decide(policyOf(type).read, principal) !== 'allowed') return false;
  return hasRight(principal, type, 'r') && hasRight(principal, type, 's');
}

/** Whether the caller may still read all that they were allowed to export when the export began. */
export function maySeeExport(
  { types }: ExportRequest,
  { principal, asked }: { readonly principal: Principal; readonly asked: Principal },
): boolean {
  const [now, then] = [accessOf(principal), accessOf(asked)];
  return types.every((type) => isReadable(type, principal) && isWithin(then(type), now(type)));
}

/** Whether the second filter permits everything that the first one permits. */
function isWithin(inner: AccessFilter, outer: AccessFilter): boolean {
  if (outer.kind === 'all' || inner.kind === 'none') return true;
  if (inner.kind === 'unprotected' && outer.kind === 'unprotected')
    return inner.names.every((name) => outer.names.includes(name));
  if (inner.kind === 'organisations' && outer.kind === 'unprotected')
    return inner.guids.every((guid) => outer.organisations.includes(guid));
  if (inner.kind !== 'organisations' || outer.kind !== 'organisations') return false;
  return inner.guids.every((guid) => outer.guids.includes(guid));
}

/**
 * Returns the requested types, or all that the caller may read. An export of patients has only types of the Patient
 * compartment.
 */
function readTypes(
  { given, level }: ExportInput,
  { store, principal }: { readonly store: FhirStore; readonly principal: Principal },
  issues: Issue[],
): string[] {
  const { parameters } = store;
  const isServed = (type: string) => parameters.resourceTypes.has(type) && type !== 'Parameters';
  const isOfPatients = (type: string) =>
    type === 'Patient' || parameters.compartmentParameters('Patient', type).length > 0;
  const wanted = new Set(listOf(given, '_type'));
  for (const type of wanted) {
    if (!isServed(type)) issues.push(issueOf('_type', `names no resource type: ${type}`));
    else if (level !== 'system' && !isOfPatients(type)) {
      issues.push(issueOf('_type', `names a type that does not lie with patients: ${type}`));
    }
  }
  const all = wanted.size > 0 ? [...wanted] : [...parameters.resourceTypes].filter((type) => type !== 'AuditEvent');
  return all
    .filter((type) => isServed(type) && (level === 'system' || isOfPatients(type)) && isReadable(type, principal))
    .sort();
}

/** Reads `Observation?code=…`. Several filters of a type are combined with OR. */
function readFilters(
  given: URLSearchParams,
  { store, isStrict }: { readonly store: FhirStore; readonly isStrict: boolean },
  issues: Issue[],
): Record<string, string[]> {
  const filters: Record<string, string[]> = {};
  for (const filter of given.getAll('_typeFilter')) {
    const [type = '', query] = filter.split(/\?(.*)/s, 2);
    if (query === undefined || !store.parameters.resourceTypes.has(type)) {
      issues.push(issueOf('_typeFilter', `must be a search, such as Observation?status=final: ${filter}`));
      continue;
    }
    try {
      store.parse(type, new URLSearchParams(query), { isStrict });
      filters[type] = [...(filters[type] ?? []), query];
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      issues.push(...error.issues.map(({ message }) => issueOf('_typeFilter', `${filter}: ${message}`)));
    }
  }
  return filters;
}

function readPatients({ given, level }: ExportInput, issues: Issue[]): readonly string[] | undefined {
  const asked = listOf(given, 'patient').map((reference) => reference.replace(/^Patient\//, ''));
  const members = typeof level === 'object' ? level.patients : undefined;
  if (asked.length === 0) return members;
  if (level === 'system') issues.push(issueOf('patient', 'is for the export of patients or of a group'));
  if (asked.length > MAX_PATIENTS) issues.push(issueOf('patient', `may name at most ${MAX_PATIENTS} patients`));
  const wrong = asked.filter((id) => !isFhirId(id));
  if (wrong.length > 0) issues.push(issueOf('patient', `must be references such as Patient/1: ${wrong.join(', ')}`));
  const known = new Set(members);
  return members === undefined ? asked : asked.filter((id) => known.has(id));
}
