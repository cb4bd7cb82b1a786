// Whether a text is a code of the Unified Code for Units of Measure (ucum.org), case-sensitive as it is written there.
import { ucum } from './utilities.ts';

const MAX_LENGTH = 100;
/** Results in the cache; it is bounded, as clients may send any number of codes. */
const MAX_CACHED = 5000;
const results = new Map<string, boolean>();

/** Whether the text is a UCUM code; texts over 100 characters are not. */
export function isUcumCode(code: string): boolean {
  if (code.length > MAX_LENGTH) return false;
  const known = results.get(code);
  if (known !== undefined) return known;
  const { status, ucumCode } = ucum().validateUnitString(code, false);
  const isCode = status === 'valid' && ucumCode === code;
  if (results.size >= MAX_CACHED) results.clear();
  results.set(code, isCode);
  return isCode;
}
