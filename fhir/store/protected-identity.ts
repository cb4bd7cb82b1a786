// Protected identity (decision L1, docs/adr/0076): a Patient with a label of restricted data is there for its owner's
// organisations and for whom its labels name. It is hidden from everybody else, administrators included.
import { isJsonObject } from '#fhir/patch/json-tree.ts';
import { nameKey, systemKey } from '#fhir/search/extract/keys.ts';
import { isGuid } from '#lib/guid.ts';
import type { SqlValues } from './search/sql/sql-values.ts';

type Json = Readonly<Record<string, unknown>>;

const CONFIDENTIALITY = 'http://terminology.hl7.org/CodeSystem/v3-Confidentiality';
/** Of HL7 Sweden's base profiles (hl7.se/fhir/ig/base). */
const SWEDISH_LABELS = 'http://hl7.se/fhir/ig/base/CodeSystem/SecurityLabel';
/** The labels that protect: restricted and very restricted; sekretessmarkering and skyddad folkbokföring. */
const PROTECTING: ReadonlyMap<string, readonly string[]> = new Map([
  [CONFIDENTIALITY, ['R', 'V']],
  [SWEDISH_LABELS, ['sekretessmarkering', 'skyddadFolkbokforing']],
]);
/** A label of this system names a user or an organisation, by its guid, to whom the Patient is shown. */
export const READER_LABELS = 'https://kedja.dev/codes/protected-identity-reader';

/** The filter of callers who see all Patients but the protected ones of others. */
export interface UnprotectedFilter {
  readonly kind: 'unprotected';
  /** The caller's organisations, whose own Patients they see. */
  readonly organisations: readonly string[];
  /** The guids by which a label names the caller: their own, and their organisations'. */
  readonly names: readonly string[];
}

/** The filter of a caller for whom only protection hides Patients. */
export function unprotectedFor(caller: {
  readonly id: string;
  readonly organisationGuids: readonly string[];
}): UnprotectedFilter {
  const { id, organisationGuids: organisations } = caller;
  return { kind: 'unprotected', organisations, names: [id, ...organisations] };
}

/** A condition on the row `alias` of a Patient in fhir_resource. */
export function unprotectedCondition(filter: UnprotectedFilter, alias: string, values: SqlValues): string {
  return `(NOT ${protectedCondition(alias, values)}
    OR coalesce(${alias}.organisation = ANY(${values.bind(filter.organisations, 'uuid[]')}), FALSE)
    OR ${labelled(alias, [[READER_LABELS, filter.names]], values)})`;
}

/** The condition that a label protects the Patient of the row `alias`. */
export function protectedCondition(alias: string, values: SqlValues): string {
  return labelled(alias, [...PROTECTING], values);
}

/** Whether the Patient of the row has one of the labels. */
function labelled(
  alias: string,
  labels: readonly (readonly [system: string, codes: readonly string[]])[],
  values: SqlValues,
): string {
  const conditions = labels.map(
    ([system, codes]) =>
      `(p.system = ${values.bind(systemKey(system), 'bigint')} AND p.code = ANY(${values.bind(codes, 'text[]')}))`,
  );
  return `EXISTS (SELECT FROM fhir_token p WHERE p.rid = ${alias}.rid
    AND p.type = ${values.key(nameKey('Patient'))} AND p.param = ${values.key(nameKey('Patient._security'))}
    AND (${conditions.join(' OR ')}))`;
}

/** The same of a version by its text. */
export function isUnprotected(filter: UnprotectedFilter, patient: Json, organisation: string | null): boolean {
  if (!isProtected(patient)) return true;
  if (organisation !== null && filter.organisations.includes(organisation)) return true;
  return labelsOf(patient).some(({ system, code }) => system === READER_LABELS && filter.names.includes(code));
}

/** Whether a label of the Patient protects it. */
export function isProtected(patient: Json): boolean {
  return labelsOf(patient).some(({ system, code }) => PROTECTING.get(system)?.includes(code) === true);
}

/** More readers than a record needs: those beyond are not reported to identity. */
const MOST_READERS = 100;

/**
 * The guids of the users and organisations whom the labels of a protected Patient name; undefined for one that is not
 * protected. `security`: the parsed `meta.security`.
 */
export function namedReaders(security: unknown): readonly string[] | undefined {
  const patient = { meta: { security } };
  if (!isProtected(patient)) return undefined;
  const named = labelsOf(patient).flatMap(({ system, code }) =>
    system === READER_LABELS && isGuid(code) ? [code] : [],
  );
  return [...new Set(named)].slice(0, MOST_READERS);
}

function labelsOf({ meta }: Json): { readonly system: string; readonly code: string }[] {
  const security: unknown = isJsonObject(meta) ? meta['security'] : undefined;
  return (Array.isArray(security) ? security : []).filter(isJsonObject).flatMap(({ system, code }) => {
    return typeof system === 'string' && typeof code === 'string' ? [{ system, code }] : [];
  });
}
