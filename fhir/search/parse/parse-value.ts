// Parses the values of search parameters (hl7.org/fhir/R5/search.html#ptypes): escapes, prefixes, tokens, dates,
// numbers, references.
import { canonicalRange, UCUM } from '#fhir/ucum/canonical-quantity.ts';
import { parseDateTimePeriod } from '../../primitives/date-time.ts';
import { decimalBounds } from '../../primitives/decimal-bounds.ts';
import { isFhirId } from '../../primitives/primitives.ts';
import { parseReference, unversionedUrl } from '../../resources/references.ts';
import { exactText, normaliseContact } from '../extract/normalise.ts';
import type { SearchParameter, SearchParameters } from '../parameters/definitions.ts';
import {
  PREFIXES,
  type Prefix,
  type QuantitySearchValue,
  type RangeValue,
  type ReferenceValue,
  type TokenValue,
} from './query.ts';

/** A value that cannot be parsed; the message follows the parameter's name. */
export class UnreadableValue extends Error {
  /** FHIR's issue-type: an invalid value, or a valid one that this server does not support. */
  readonly issue: 'value' | 'not-supported';

  constructor(message: string, issue: 'value' | 'not-supported' = 'value') {
    super(message);
    this.issue = issue;
  }
}

/** http://hl7.org/fhir/contact-point-system */
const CONTACT_SYSTEMS = ['phone', 'fax', 'email', 'pager', 'url', 'sms', 'other'];
const DECIMAL = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Splits at a separator unless a backslash precedes it; the backslashes stay. */
export function splitEscaped(text: string, separator: string): string[] {
  const parts: string[] = [''];
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (character === '\\') {
      parts.push((parts.pop() ?? '') + text.slice(index, index + 2));
      index += 1;
    } else if (character === separator) parts.push('');
    else parts.push((parts.pop() ?? '') + character);
  }
  return parts;
}

export function unescapeValue(text: string): string {
  return text.includes('\\') ? text.replace(/\\([\\,|$])/g, '$1') : text;
}

/** `code`, `system|code`, `system|` or `|code`. */
export function parseToken(text: string, parameter: SearchParameter): TokenValue {
  const parts = splitEscaped(text, '|').map(unescapeValue);
  const [first = '', second] = parts;
  if (parts.length > 2) throw new UnreadableValue('must be code, system|code, |code or system|');
  if (second === undefined) {
    if (first === '') throw new UnreadableValue('must not be empty');
    return { system: undefined, code: asIndexed(first, parameter) };
  }
  if (first === '' && second === '') throw new UnreadableValue('must name a system, a code or both');
  const code = second === '' ? undefined : asIndexed(second, parameter);
  return { system: isContact(parameter) ? contactSystem(first) : first, code };
}

function isContact({ branches }: SearchParameter): boolean {
  return branches.length > 0 && branches.every(([type]) => type === 'ContactPoint');
}

/**
 * R5 defines no system for contacts in searches: here it is the kind of contact, and empty means any.
 * @throws UnreadableValue
 */
function contactSystem(text: string): string | undefined {
  if (text === '') return undefined;
  if (CONTACT_SYSTEMS.includes(text)) return text;
  throw new UnreadableValue(`must be a number or address, or kind|value with a kind of ${CONTACT_SYSTEMS.join(', ')}`);
}

/** `system|type code|value` of `:of-type`, as one token whose code is `type code|value`. */
export function parseOfType(text: string): TokenValue {
  const [system = '', code = '', value = '', ...rest] = splitEscaped(text, '|').map(unescapeValue);
  if (code === '' || value === '' || rest.length > 0)
    throw new UnreadableValue('must be system|type code|identifier value');
  return { system: system === '' ? undefined : system, code: `${code}|${value}` };
}

/**
 * Converts a token to its form in the index: phone numbers and mail addresses lose their separators.
 * @throws UnreadableValue for a value that is not a boolean
 */
function asIndexed(code: string, parameter: SearchParameter): string {
  const { branches } = parameter;
  const isBoolean = branches.length > 0 && branches.every(([type]) => type === 'boolean' || type === '$isTrue');
  if (isBoolean && code !== 'true' && code !== 'false') throw new UnreadableValue('must be true or false');
  return isContact(parameter) ? normaliseContact(code) : code;
}

export function parseDate(text: string): RangeValue {
  const { prefix, rest } = takePrefix(text);
  // The "+" of a zone is a space when the client did not encode it.
  const period = parseDateTimePeriod(rest.replace(/ (?=\d\d:\d\d$)/, '+'));
  if (period === undefined)
    throw new UnreadableValue('must be a date or a time: YYYY, YYYY-MM, YYYY-MM-DD or with Thh:mm:ss and zone');
  return { prefix, low: period.start, high: period.end };
}

/** A number; without a system or code. */
export function parseNumber(text: string): QuantitySearchValue {
  const { prefix, rest } = takePrefix(text);
  if (!DECIMAL.test(rest)) throw new UnreadableValue('must be a number');
  const value = Number(rest);
  if (!Number.isFinite(value)) throw new UnreadableValue('is too large a number');
  return { prefix, value, ...decimalBounds(rest), system: undefined, code: undefined };
}

/** `number`, `number|system|code` or `number||unit or code`. */
export function parseQuantity(text: string): QuantitySearchValue {
  const [number = '', system, code, ...rest] = splitEscaped(text, '|').map(unescapeValue);
  if (rest.length > 0 || (system !== undefined && code === undefined)) {
    throw new UnreadableValue('must be number, number|system|code or number||unit');
  }
  const parsed = parseNumber(number);
  if (code === undefined || code === '') return parsed;
  const quantity = { ...parsed, system: system === '' ? undefined : system, code: exactText(code) };
  return system === UCUM ? withCanonical(quantity, code) : quantity;
}

/** The bounds keep the written precision: 5.4 mg is 0.00535 g to 0.00545 g. */
function withCanonical(quantity: QuantitySearchValue, code: string): QuantitySearchValue {
  const { prefix, value, low, high } = quantity;
  const exact = canonicalRange(value, value, code);
  const bounds = canonicalRange(low, high, code);
  if (exact === undefined || bounds === undefined) return quantity;
  return { ...quantity, canonical: { ...bounds, prefix, value: exact.low } };
}

interface ReferenceOptions extends Pick<SearchParameters, 'baseUrl'> {
  readonly parameter: SearchParameter;
  readonly modifierType?: string | undefined;
}

/** `id`, `Type/id` or a URL; `modifierType` is the type of `subject:Patient=id`, `baseUrl` the server's own. */
export function parseReferenceValue(
  text: string,
  { parameter, modifierType, baseUrl }: ReferenceOptions,
): ReferenceValue {
  const value = unescapeValue(text);
  if (isFhirId(value)) {
    return { kind: 'local', types: modifierType === undefined ? parameter.targets : [modifierType], id: value };
  }
  const address = parseReference(value, baseUrl);
  if (address?.kind === 'absolute' || address?.kind === 'uri') return { kind: 'url', url: unversionedUrl(address) };
  if (address?.kind !== 'relative') throw new UnreadableValue('must be an id, Type/id or a URL');
  if (modifierType !== undefined && modifierType !== address.type) {
    throw new UnreadableValue(`must refer to a ${modifierType}`);
  }
  return { kind: 'local', types: [address.type], id: address.id };
}

function takePrefix(text: string): { prefix: Prefix; rest: string } {
  const prefix = PREFIXES.find((known) => text.startsWith(known));
  return prefix === undefined ? { prefix: 'eq', rest: text } : { prefix, rest: text.slice(prefix.length) };
}
