// Full text search: words of the narrative or of the whole resource, by their stems in Swedish and in English
// (hl7.org/fhir/R5/search.html#content, #text; docs/adr/0016).
import { nameKey } from '#fhir/search/extract/keys.ts';
import { foldText } from '#fhir/search/extract/words.ts';
import type { Criterion } from '#fhir/search/parse/query.ts';
import type { IndexRows } from '../../access.ts';
import type { SqlValues } from './sql-values.ts';
import { anyOf } from './text-sql.ts';

/** The languages whose stems are indexed: names of PostgreSQL's own configurations. */
export const LANGUAGES = ['swedish', 'english'] as const;

/**
 * The index rows with all the words of one of the texts; quotes keep words together, `-` excludes one, `or` is
 * between.
 */
export function wordsIndexRows(
  { resourceType, isNarrative, texts }: Extract<Criterion, { kind: 'words' }>,
  values: SqlValues,
): IndexRows {
  const column = isNarrative ? 'i.narrative' : 'i.content';
  const conditions = texts.map((text) => {
    const asked = values.bind(foldText(text), 'text');
    const queries = LANGUAGES.map((language) => `websearch_to_tsquery('${language}', ${asked})`);
    return `${column} @@ (${queries.join(' || ')})`;
  });
  return { table: 'fhir_text', condition: `i.type = ${values.key(nameKey(resourceType))} AND ${anyOf(conditions)}` };
}
