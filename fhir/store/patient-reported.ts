// What patients report about themselves (docs/adr/0072), and providers about requests (docs/adr/0078): the tags by
// which everybody knows it. Only those who reported change it, and patients only while nobody has used it.
import { isJsonObject } from '#fhir/patch/json-tree.ts';
import { nameKey, resourceKey, systemKey } from '#fhir/search/extract/keys.ts';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import { conflict, ServiceError } from '#lib/errors.ts';
import type { SqlValues } from './search/sql/sql-values.ts';

/** The tag of a patient's report; the service sets it, and nobody else. */
export const PATIENT_REPORTED = {
  system: 'https://kedja.dev/codes/tag',
  code: 'patient-reported',
  display: 'Patient-reported',
} as const;

/** The tag of what a provider reported of a request; beside it a tag of {@link REPORTED_BY} names the provider. */
export const PROVIDER_REPORTED = {
  system: PATIENT_REPORTED.system,
  code: 'provider-reported',
  display: 'Provider-reported',
} as const;
export const REPORTED_BY = 'https://kedja.dev/ids/provider';

/** UTF-16 units of a report. No longer text is read to see whether it is one. */
export const MAX_REPORT = 1024 * 1024;
const MAX_STORED = MAX_REPORT + 64 * 1024;

/** Where the index has the tag of a type, and what refers to its resources. */
export interface ReportKeys {
  /** The index key of `_tag`, and those of the parameters by which resources refer to the type. */
  readonly tagKey: number;
  readonly usedBy: readonly number[];
}

type Json = Readonly<Record<string, unknown>>;

/** Whether a resource has the tag. */
export function hasReportTag({ meta }: Json): boolean {
  const tags: unknown = isJsonObject(meta) ? meta['tag'] : undefined;
  return Array.isArray(tags) && tags.some(isReportTag);
}

/** Whether an element of `meta.tag` is one of the tags. */
export function isReportTag(tag: unknown): boolean {
  if (!isJsonObject(tag)) return false;
  const { system, code } = tag;
  if (system === REPORTED_BY) return true;
  return system === PATIENT_REPORTED.system && (code === PATIENT_REPORTED.code || code === PROVIDER_REPORTED.code);
}

/** The resource with the tags of a provider's report, and without others of the kind. */
export function withProviderTags(resource: Json, providerGuid: string): Json {
  const meta = isJsonObject(resource['meta']) ? resource['meta'] : {};
  const tags: unknown[] = Array.isArray(meta['tag']) ? meta['tag'] : [];
  const others = tags.filter((tag) => !isReportTag(tag));
  const tag = [...others, PROVIDER_REPORTED, { system: REPORTED_BY, code: providerGuid }];
  return { ...resource, meta: { ...meta, tag } };
}

/** Whether a resource claims to be a patient's report. */
export function hasPatientTag({ meta }: Json): boolean {
  const tags: unknown = isJsonObject(meta) ? meta['tag'] : undefined;
  const isPatients = (tag: unknown) => isReportTag(tag) && isJsonObject(tag) && tag['code'] === PATIENT_REPORTED.code;
  return Array.isArray(tags) && tags.some(isPatients);
}

export type Reporter = 'patient' | 'provider';

/** Of a text too long to be parsed here: a stored text begins with its meta, and the tag is as the service wrote it. */
const HEAD = 64 * 1024;
const TAG_TEXT = JSON.stringify(PROVIDER_REPORTED);

/** Whose report a stored text is; undefined for no report. Patients' reports are never longer than `MAX_REPORT`. */
export function reporterOf(content: string): Reporter | undefined {
  if (content.length > MAX_STORED) return content.slice(0, HEAD).includes(TAG_TEXT) ? 'provider' : undefined;
  const codes = [PATIENT_REPORTED.code, PROVIDER_REPORTED.code];
  if (!codes.some((code) => content.includes(code))) return undefined;
  const resource: unknown = JSON.parse(content);
  if (!isJsonObject(resource) || !hasReportTag(resource)) return undefined;
  return hasPatientTag(resource) ? 'patient' : 'provider';
}

/**
 * The keys by which the index finds what refers to a resource of the type. Audit events are not counted: they say that
 * somebody read it.
 */
export function referringKeys(resourceType: string, parameters: SearchParameters): number[] {
  const keys = [...parameters.resourceTypes].flatMap((type) =>
    type === 'AuditEvent'
      ? []
      : [...parameters.forType(type).values()].flatMap(({ type: kind, targets, key }) =>
          kind === 'reference' && (targets.length === 0 || targets.includes(resourceType)) ? [key] : [],
        ),
  );
  return [...new Set(keys)];
}

/** The condition on the row `alias` beyond the patient's: it is a report, and nothing else refers to it. */
export function unusedReport(
  { tagKey, usedBy }: ReportKeys,
  resourceType: string,
  { alias, values }: { readonly alias: string; readonly values: SqlValues },
): string {
  const tag = `t.param = ${values.key(tagKey)} AND t.system = ${values.bind(systemKey(PATIENT_REPORTED.system), 'bigint')}
    AND t.code = ${values.bind(PATIENT_REPORTED.code, 'text')}`;
  return `EXISTS (SELECT FROM fhir_token t WHERE t.rid = ${alias}.rid AND t.type = ${alias}.type AND ${tag})
    AND NOT EXISTS (SELECT FROM fhir_reference u WHERE u.param = ANY(${values.bind(usedBy, 'int[]')})
      AND u.target = ${alias}.rid AND u.target_type = ${values.key(nameKey(resourceType))}
      AND (u.rid, u.type) <> (${alias}.rid, ${alias}.type))`;
}

/** The refusal of a patient's change of what they see; `content` is the stored text. */
export function patientRefusal(content: string): ServiceError {
  if (reporterOf(content) === 'patient')
    return conflict('Your report has been used by others, so it cannot be changed any more');
  return new ServiceError('forbidden', 'You may change what you have reported yourself, and nothing else');
}

/** The refusal of staff's change of a report. */
export function staffRefusal(by: Reporter): ServiceError {
  return new ServiceError('forbidden', `This is reported by the ${by}: only the ${by} may change it`);
}

/** What one provider reported about one request: it may correct that. */
export interface ProvidedFilter {
  readonly kind: 'provided';
  readonly providerGuid: string;
  readonly serviceRequestId: string;
  /** The index keys of `_tag` and `based-on` of the type. */
  readonly tagKey: number;
  readonly basedOnKey: number;
}

/** The condition on the row `alias`. */
export function providedCondition(
  { providerGuid, serviceRequestId, tagKey, basedOnKey }: ProvidedFilter,
  { alias, values }: { readonly alias: string; readonly values: SqlValues },
): string {
  const tag = `t.param = ${values.key(tagKey)} AND t.system = ${values.bind(systemKey(REPORTED_BY), 'bigint')}
    AND t.code = ${values.bind(providerGuid, 'text')}`;
  const basis = `b.param = ${values.key(basedOnKey)} AND b.target = ${values.bind(resourceKey(serviceRequestId), 'uuid')}
    AND b.target_type = ${values.key(nameKey('ServiceRequest'))}`;
  return `EXISTS (SELECT FROM fhir_token t WHERE t.rid = ${alias}.rid AND t.type = ${alias}.type AND ${tag})
    AND EXISTS (SELECT FROM fhir_reference b WHERE b.rid = ${alias}.rid AND b.type = ${alias}.type AND ${basis})`;
}
