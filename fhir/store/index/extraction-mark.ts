// The extraction mark in a resource's row: which code and which search parameters produced its index rows
// (docs/adr/0013).

import { EXTRACTION_DIGEST } from '#fhir/search/extract/generated/extraction-digest.ts';
import { nameKey } from '#fhir/search/extract/keys.ts';
import type { SearchValues } from '#fhir/search/extract/search-values.ts';

/** The mark of rows that were extracted by this process's code, with these definitions and under this base. */
export function extractionMark({
  extraction,
  baseUrl,
  sortLanguage,
}: Pick<SearchValues, 'extraction' | 'baseUrl' | 'sortLanguage'>): number {
  return nameKey(`${EXTRACTION_DIGEST} ${extraction} ${baseUrl ?? ''} ${sortLanguage}`);
}
