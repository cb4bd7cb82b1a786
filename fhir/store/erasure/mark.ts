// What an erased resource leaves behind (docs/adr/0131): the mark of a deletion whose content names the erasure. So it
// answers 410, and its id is not used again.
import type { StoredVersion } from '../read/stored-version.ts';

/** How the content of an erased resource begins; migration 0270 has it too. */
const PREFIX = '{"erased":"';

/** The content of an erased resource. */
export function erasedContent(erasureGuid: string, resourceType: string): string {
  return `${PREFIX}${erasureGuid}","resourceType":"${resourceType}"}`;
}

export function isErased({ isDeleted, content }: Pick<StoredVersion, 'isDeleted' | 'content'>): boolean {
  return isDeleted && content.startsWith(PREFIX);
}

/** The SQL condition for a row of `fhir_resource`. */
export function erasedCondition(alias: string): string {
  return `(${alias}.deleted AND ${alias}.content LIKE '${PREFIX}%')`;
}
