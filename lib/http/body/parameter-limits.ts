// Limits on the number of parameters in a query or form, checked before it is parsed (docs/adr/0040).
import { tooCostly } from '../../errors.ts';

const AMPERSAND = 0x26;
const COMMA = 0x2c;

/** Parameters. People fill in tens, and a long search has some hundreds. */
const MAX_PARAMETERS = 500;
/** Comma-separated values of all parameters together (`_id=a,b,…`). */
const MAX_ALTERNATIVES = 10_000;

/**
 * Checks the text of a query, or of a form as browsers send it.
 * @throws ServiceError `invalid_request`, naming the limit
 */
export function requireFewParameters(text: string): void {
  let parameters = 1;
  let alternatives = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === AMPERSAND) parameters += 1;
    else if (code === COMMA || (code === 0x25 && isEncodedComma(text, at))) alternatives += 1;
  }
  if (parameters > MAX_PARAMETERS) throw tooCostly(`There are more than ${MAX_PARAMETERS} parameters`);
  if (alternatives > MAX_ALTERNATIVES) throw tooCostly(`There are more than ${MAX_ALTERNATIVES} values between commas`);
}

function isEncodedComma(text: string, at: number): boolean {
  return text[at + 1] === '2' && (text[at + 2] === 'C' || text[at + 2] === 'c');
}
