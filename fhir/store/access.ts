// Access control in SQL: the condition for the records that a caller may see. Every read, search, chain and include of
// the store carries it (decision G12).

import { concernsOnlyPatient } from '#fhir/search/extract/extract.ts';
import { PATIENT_COMPARTMENT } from '#fhir/search/extract/extraction-plan.ts';
import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import { CONTEXT_KEY, securityContextOf } from '#fhir/search/extract/security-context.ts';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import { type ProvidedFilter, providedCondition, type ReportKeys, unusedReport } from './patient-reported.ts';
import { isUnprotected, type UnprotectedFilter, unprotectedCondition } from './protected-identity.ts';
import type { StoredVersion } from './read/stored-version.ts';
import type { SqlValues } from './search/sql/sql-values.ts';

/** Rows of an index `table` under the alias `i`, where `condition`. */
export interface IndexRows {
  readonly table: string;
  readonly condition: string;
}

export interface PatientFilter {
  readonly kind: 'patient';
  readonly patientGuid: string;
  readonly linked?: readonly string[];
}

/** The access filter of a patient's own change: to what they reported, and nothing refers to (docs/adr/0072). */
export interface ReportedFilter extends Omit<PatientFilter, 'kind'>, ReportKeys {
  readonly kind: 'reported';
}

export type AccessFilter =
  /** `keepsReports`: for a change, but for that of patients' and providers' reports (docs/adr/0072, 0078). */
  | { readonly kind: 'all'; readonly keepsReports?: true }
  | { readonly kind: 'none' }
  /** Of Patients: all but the protected ones of others (docs/adr/0076). */
  | UnprotectedFilter
  /**
   * What is in the patient's compartment and names no other patient (docs/adr/0049), the Patient itself included.
   * `linked`: the ids of further Patients who are the same person (docs/adr/0068).
   */
  | PatientFilter
  /**
   * What belongs to one of the organisations; `mayReadOthers`: the rest is no secret, so that a refusal may say that it
   * is there. `keepsReports`: as of `all`.
   */
  | {
      readonly kind: 'organisations';
      readonly guids: readonly string[];
      readonly mayReadOthers?: true;
      readonly keepsReports?: true;
    }
  /** What the patient reported themselves, for their own change of it. */
  | ReportedFilter
  /** What a provider reported about a request, for its own change of it. */
  | ProvidedFilter
  /** What at least one of the filters lets through. */
  | { readonly kind: 'any'; readonly filters: readonly AccessFilter[] }
  /** Binaries: where one has a securityContext, callers who see that resource; else as `base` says. */
  | { readonly kind: 'secured'; readonly base: AccessFilter; readonly contexts: readonly ContextAccess[] };

/** Types whose resources are seen in the same way. */
export interface ContextAccess {
  readonly types: readonly string[];
  readonly filter: AccessFilter;
}

/** The part of a version by which access is decided. */
export type VisibleVersion = Pick<StoredVersion, 'resourceType' | 'id' | 'content' | 'organisation'>;

/** The filter for each resource type: a search may reach other types than its own through chains and includes. */
export type Access = (resourceType: string) => AccessFilter;

export const ALL_ACCESS: Access = () => ({ kind: 'all' });

/** A condition on the row `alias` of fhir_resource (of the given type); `TRUE` when everything may be seen. */
export function accessCondition(filter: AccessFilter, resourceType: string, alias: string, values: SqlValues): string {
  switch (filter.kind) {
    case 'all':
      return 'TRUE';
    case 'none':
      return 'FALSE';
    case 'organisations':
      return ofOrganisations(filter.guids, alias, values);
    case 'unprotected':
      return unprotectedCondition(filter, alias, values);
    case 'patient':
      return patientCondition(filter, resourceType, alias, values);
    case 'reported':
      return `${patientCondition(seenBy(filter), resourceType, alias, values)}
        AND ${unusedReport(filter, resourceType, { alias, values })}`;
    case 'provided':
      return providedCondition(filter, { alias, values });
    case 'any': {
      const conditions = filter.filters.map((part) => accessCondition(part, resourceType, alias, values));
      return conditions.length === 0 ? 'FALSE' : `(${conditions.join(' OR ')})`;
    }
    case 'secured':
      return securedCondition(filter, resourceType, { alias, values });
    default:
      return filter satisfies never;
  }
}

/** What the patient of the filter sees. */
export function seenBy({ patientGuid, linked = [] }: ReportedFilter): PatientFilter {
  return { kind: 'patient', patientGuid, linked };
}

function securedCondition(
  { base, contexts }: Extract<AccessFilter, { kind: 'secured' }>,
  resourceType: string,
  { alias, values }: { readonly alias: string; readonly values: SqlValues },
): string {
  const rows = `FROM fhir_reference c WHERE c.rid = ${alias}.rid AND c.param = ${values.key(CONTEXT_KEY)}`;
  const seen = contexts.map(({ types, filter }) => {
    const keys = values.bind(types.map(nameKey), 'int[]');
    return `(f.type = ANY(${keys}) AND ${conditionForTypes(filter, types, 'f', values)})`;
  });
  const context = `SELECT FROM fhir_resource f WHERE f.type = c.target_type AND f.rid = c.target AND NOT f.deleted
    AND (${seen.length === 0 ? 'FALSE' : seen.join(' OR ')})`;
  return `CASE WHEN EXISTS (SELECT ${rows}) THEN EXISTS (SELECT ${rows} AND EXISTS (${context}))
    ELSE ${accessCondition(base, resourceType, alias, values)} END`;
}

/** A single organisation is compared by `=`, so that the planner can use the index of organisations. */
function ofOrganisations(guids: readonly string[], alias: string, values: SqlValues): string {
  const [only] = guids;
  return only !== undefined && guids.length === 1
    ? `${alias}.organisation = ${values.bind(only, 'uuid')}`
    : `${alias}.organisation = ANY(${values.bind(guids, 'uuid[]')})`;
}

/**
 * For a caller who sees the records of one organisation: a condition without a row. It is true when no record belongs
 * to another organisation, and none of the type to nobody. Then no record then needs a check of its own. It costs three
 * index look-ups for each statement. Undefined for other callers.
 */
export function soleOwnerCondition(filter: AccessFilter, resourceType: string, values: SqlValues): string | undefined {
  if (filter.kind !== 'organisations' || filter.guids.length !== 1) return undefined;
  const own = values.bind(filter.guids[0], 'uuid');
  // Each is the first of an index's order, or not there. Without an order a plan might go through the table, hoping to
  // find one soon.
  const others = ['>', '<'].map(
    (sign) => `(SELECT FROM fhir_resource x WHERE x.organisation ${sign} ${own}
      ORDER BY x.organisation${sign === '<' ? ' DESC' : ''} LIMIT 1)`,
  );
  const unowned = `(SELECT FROM fhir_resource x WHERE x.organisation IS NULL AND x.type = ${values.key(nameKey(resourceType))}
      ORDER BY x.organisation LIMIT 1)`;
  return `(SELECT count(*) = 0 FROM (${[...others, unowned].join(' UNION ALL ')}) x)`;
}

/** Whether an index decides who sees a resource, so that its row need not be read for that. */
export function isKnownFromIndex({ kind }: AccessFilter): boolean {
  return kind === 'all' || kind === 'organisations';
}

/** Types whose rows a condition on `alias` lets through: one for all types that are seen in the same way. */
export interface TypesAccess {
  readonly types: readonly string[];
  /** `TRUE` when everything of these types may be seen. */
  readonly condition: (alias: string, values: SqlValues) => string;
}

/** The types of which the caller may see records, grouped by equal access filters. */
export function groupByAccess(resourceTypes: readonly string[], access: Access): TypesAccess[] {
  const groups = Map.groupBy(resourceTypes, (type) => JSON.stringify(access(type)));
  return [...groups.values()].flatMap((types) => {
    const filter = access(types[0] ?? '');
    if (filter.kind === 'none') return [];
    return [
      { types, condition: (alias: string, values: SqlValues) => conditionForTypes(filter, types, alias, values) },
    ];
  });
}

function conditionForTypes(filter: AccessFilter, types: readonly string[], alias: string, values: SqlValues): string {
  if (filter.kind === 'any') {
    const conditions = filter.filters.map((part) => conditionForTypes(part, types, alias, values));
    return conditions.length === 0 ? 'FALSE' : `(${conditions.join(' OR ')})`;
  }
  if (filter.kind !== 'patient') return accessCondition(filter, types[0] ?? '', alias, values);
  const patient = personKeys(filter, values);
  // What else of its type refers to a Patient is in the compartment, and is somebody else.
  const others = types.filter((type) => type !== 'Patient');
  const ofPatient = values.key(nameKey('Patient'));
  const inCompartment = `EXISTS (SELECT FROM fhir_reference a WHERE a.rid = ${alias}.rid AND a.type = ${alias}.type
    AND a.param = ANY(${values.bind(compartmentKeys(others), 'int[]')}) AND a.target ${patient.isOne}
    AND a.target_type = ${ofPatient}) AND ${namesNobodyElse(alias, `${alias}.type`, { patient, values })}`;
  if (others.length === types.length) return inCompartment;
  return `((${inCompartment}) OR (${alias}.type = ${ofPatient} AND ${alias}.rid ${patient.isOne}))`;
}

/** The index keys of membership in a patient's compartment, the Patient's own included. */
export function compartmentKeys(types: readonly string[]): number[] {
  return types.map((type) => nameKey(`${type}.${PATIENT_COMPARTMENT}`));
}

/** The index rows `i` of what is in a patient's compartment; undefined where the filter or type has no such rows. */
export function compartmentRows(filter: AccessFilter, resourceType: string, values: SqlValues): IndexRows | undefined {
  if (filter.kind !== 'patient' || resourceType === 'Patient') return undefined;
  const condition = `i.param = ${values.key(nameKey(`${resourceType}.${PATIENT_COMPARTMENT}`))}
    AND i.target ${personKeys(filter, values).isOne} AND i.target_type = ${values.key(nameKey('Patient'))}
    AND ${soleCondition(filter, resourceType, 'i', values)}`;
  return { table: 'fhir_reference', condition };
}

function patientCondition(filter: PatientFilter, resourceType: string, alias: string, values: SqlValues): string {
  const { isOne } = personKeys(filter, values);
  if (resourceType === 'Patient') return `${alias}.rid ${isOne}`;
  return `EXISTS (SELECT FROM fhir_reference a WHERE a.rid = ${alias}.rid
    AND a.param = ${values.key(nameKey(`${resourceType}.${PATIENT_COMPARTMENT}`))} AND a.target ${isOne}
    AND a.target_type = ${values.key(nameKey('Patient'))}) AND ${soleCondition(filter, resourceType, alias, values)}`;
}

/** Whether the resource of the key `alias` refers to no other Patient: the index holds every one that it names. */
function soleCondition(filter: PatientFilter, resourceType: string, alias: string, values: SqlValues): string {
  const patient = personKeys(filter, values);
  return namesNobodyElse(alias, values.key(nameKey(resourceType)), { patient, values });
}

/** The ids of the Patients who are the person of the filter. */
export function personIds({ patientGuid, linked = [] }: PatientFilter): readonly string[] {
  return [patientGuid, ...linked];
}

/** Comparisons of a key with those of the person's Patients. */
interface PersonKeys {
  readonly isOne: string;
  readonly isNone: string;
}

/** A single Patient is compared by `=`: most patients have one, and their plans stay as they are. */
function personKeys(filter: PatientFilter, values: SqlValues): PersonKeys {
  const [own = '', ...linked] = personIds(filter).map(resourceKey);
  if (linked.length === 0) {
    const key = values.bind(own, 'uuid');
    return { isOne: `= ${key}`, isNone: `<> ${key}` };
  }
  const keys = values.bind([own, ...linked], 'uuid[]');
  return { isOne: `= ANY(${keys})`, isNone: `<> ALL(${keys})` };
}

function namesNobodyElse(
  alias: string,
  type: string,
  { patient, values }: { readonly patient: PersonKeys; readonly values: SqlValues },
): string {
  return `NOT EXISTS (SELECT FROM fhir_reference b WHERE b.rid = ${alias}.rid AND b.type = ${type}
    AND b.target_type = ${values.key(nameKey('Patient'))} AND b.target ${patient.isNone})`;
}

/**
 * Whether an older version of a resource whose current version is visible may be seen too. A patient sees only those
 * that were in their own compartment then, and named nobody else.
 */
export function isVersionVisible(filter: AccessFilter, version: VisibleVersion, parameters: SearchParameters): boolean {
  switch (filter.kind) {
    case 'all':
    case 'organisations':
      return true;
    case 'none':
    case 'provided':
      return false;
    case 'unprotected':
      return isUnprotected(filter, JSON.parse(version.content), version.organisation);
    case 'patient':
      if (version.resourceType === 'Patient') return personIds(filter).includes(version.id);
      return concernsOnlyPatient(JSON.parse(version.content), personIds(filter), parameters);
    case 'reported':
      return isVersionVisible(seenBy(filter), version, parameters);
    case 'any':
      return filter.filters.some((part) => isVersionVisible(part, version, parameters));
    case 'secured': {
      const context = securityContextOf(JSON.parse(version.content), parameters.baseUrl);
      return context === undefined ? isVersionVisible(filter.base, version, parameters) : mayBeOf(filter.base, context);
    }
    default:
      return filter satisfies never;
  }
}

/**
 * Whether an older version may be seen that this resource decided: a patient sees what was theirs; staff see the
 * current version already.
 */
function mayBeOf(filter: AccessFilter, context: { readonly type: string; readonly id: string }): boolean {
  switch (filter.kind) {
    case 'patient':
      return context.type === 'Patient' && personIds(filter).includes(context.id);
    case 'any':
      return filter.filters.some((part) => mayBeOf(part, context));
    default:
      return filter.kind !== 'none';
  }
}
