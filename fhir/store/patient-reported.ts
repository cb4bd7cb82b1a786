// What patients report about themselves (docs/adr/0072): the tag by which everybody knows it, and the rule that only
// the patient changes it, while nobody has used it.
import { isJsonObject } from '#fhir/patch/json-tree.ts';
import { nameKey, systemKey } from '#fhir/search/extract/keys.ts';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import { conflict, ServiceError } from '#lib/errors.ts';
import type { SqlValues } from './search/sql/sql-values.ts';

/** The tag of a patient's report; the service sets it, and nobody else. */
export const PATIENT_REPORTED = {
  system: 'https://kedja.dev/codes/tag',
  code: 'patient-reported',
  display: 'Patient-reported',
} as const;

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

/** Whether an element of `meta.tag` is the tag. */
export function isReportTag(tag: unknown): boolean {
  return isJsonObject(tag) && tag['system'] === PATIENT_REPORTED.system && tag['code'] === PATIENT_REPORTED.code;
}

/** Whether a stored text is that of a report. */
export function isReport(content: string): boolean {
  if (content.length > MAX_STORED || !content.includes(PATIENT_REPORTED.code)) return false;
  const resource: unknown = JSON.parse(content);
  return isJsonObject(resource) && hasReportTag(resource);
}

/**
 * The keys by which the index finds what refers to a resource of the type. Audit events are not counted: they tell that
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
  if (isReport(content)) return conflict('Your report has been used by others, so it cannot be changed any more');
  return new ServiceError('forbidden', 'You may change what you have reported yourself, and nothing else');
}

/** The refusal of staff's change of a report. */
export function staffRefusal(): ServiceError {
  return new ServiceError('forbidden', 'This is reported by the patient: only the patient may change it');
}
