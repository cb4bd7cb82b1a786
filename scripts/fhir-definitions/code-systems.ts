// The codes of the code systems that HL7 publishes in full. Validation finds with them that a Coding names a code that
// its system does not have.
import type { SystemRow } from '#fhir/definitions/rows.ts';
import { allConcepts, byUrl, type CodeSystem, readAll } from './value-sets.ts';

/**
 * Code systems by URL. Supplements, fragments and systems without their codes are left out, because a code that is
 * absent from them may exist. Empty ones say that they are complete.
 */
export function compileCodeSystems(): Record<string, SystemRow> {
  const systems = [...byUrl(readAll<CodeSystem>('CodeSystem')).values()].filter(
    ({ content, concept = [] }) => content === 'complete' && concept.length > 0,
  );
  const rows = systems.map(({ url, version, caseSensitive, concept = [] }): [string, SystemRow] => {
    const listed = allConcepts(concept).map(({ code }) => code);
    const [edition, codes] = [version ?? '', listed.join('\n')];
    return [url, caseSensitive === false ? [edition, codes, 'folded'] : [edition, codes]];
  });
  return Object.fromEntries(rows.sort(([a], [b]) => (a < b ? -1 : 1)));
}
