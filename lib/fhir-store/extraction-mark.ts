// What a resource's row says of its index rows: which code and which definitions made them (docs/adr/0013).
import { extractionDigest } from '#lib/fhir/search/extraction-digest.ts';
import { nameKey } from '#lib/fhir/search/keys.ts';

/** The mark of rows that were read by the definitions of this number ({@link SearchValues.extraction}) and the code of this process. */
export function extractionMark(extraction: number): number {
  return nameKey(`${extractionDigest()} ${extraction}`);
}
