// The primitive types of FHIR R5 (hl7.org/fhir/R5/datatypes.html#primitive): for each its JSON form, the rule of its
// values, and the message that states the rule. The rules follow the page's text where the published regexes are wrong
// (decimal, dateTime's zone).
import { isDate, isDateTime, isInstant } from './date-time.ts';

/**
 * The rule of one primitive type: its JSON type, a description of a valid value (reads after "must be"), and the check.
 */
export type PrimitiveRule =
  | {
      readonly json: 'string';
      readonly expected: string;
      readonly isValid: (value: string) => boolean;
      /** Advice on a valid value (reads after "should"); undefined when it follows R5's recommendation. */
      readonly advice?: (value: string) => string | undefined;
    }
  | { readonly json: 'number'; readonly expected: string; readonly isValid: (value: number) => boolean }
  | { readonly json: 'boolean'; readonly expected: string };

const MAX_STRING = 1_048_576;
const MAX_INT64 = 9_223_372_036_854_775_807n;
const ID = /^[A-Za-z0-9\-.]{1,64}$/;
const CODE = /^\S+(?: \S+)*$/;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d{1,9})?$/;
const OID = /^urn:oid:[0-2](?:\.(?:0|[1-9]\d*))+$/;
const UUID = /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const INT64 = /^(?:0|[-+]?[1-9]\d{0,18})$/;
const WHITESPACE = /\s/;
/** Nearly all texts, checked by one expression: printable ASCII that begins with a visible character. */
const PRINTABLE_ASCII = /^[\x21-\x7e][\t\n\r\x20-\x7e]*$/;
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
const NOT_BASE64 = /[^A-Za-z0-9+/]/;
/** The scheme of an absolute URI (RFC 3986, section 3.1). */
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: FHIR allows no control characters but tab, LF and CR
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/;

const text = (expected: string, isValid: (value: string) => boolean): PrimitiveRule => ({
  json: 'string',
  expected,
  isValid,
});
const number = (expected: string, isValid: (value: number) => boolean): PrimitiveRule => ({
  json: 'number',
  expected,
  isValid,
});
const isUri = (value: string): boolean =>
  VISIBLE_ASCII.test(value) || (value !== '' && !WHITESPACE.test(value) && isPlain(value));
const uri = text('a URI without spaces', isUri);
const string = {
  ...text('a text of 1 to 1 048 576 characters without NUL', isText),
  advice: adviceOnText,
};

const RULES = {
  base64Binary: text('base64 in groups of four characters, without spaces', isBase64),
  boolean: { json: 'boolean', expected: 'true or false' },
  canonical: text('an absolute canonical URL without spaces, or #id; a version stands behind |', isCanonical),
  code: text('a code without leading, trailing or double spaces', (value) => CODE.test(value) && isPlain(value)),
  date: text('a real date: YYYY, YYYY-MM or YYYY-MM-DD', isDate),
  dateTime: text('a real date (YYYY, YYYY-MM, YYYY-MM-DD) or a time with seconds and zone', isDateTime),
  decimal: number('a decimal number', Number.isFinite),
  id: text('an id of 1 to 64 letters, digits, hyphens and dots', isFhirId),
  instant: text('a real time with seconds and zone: YYYY-MM-DDThh:mm:ss+zz:zz', isInstant),
  integer: number('a whole number from -2147483648 to 2147483647', (value) => isInt32(value, -2_147_483_648)),
  integer64: text('a 64-bit whole number, written as a JSON string', isInt64),
  markdown: string,
  oid: text('an OID such as urn:oid:1.2.3', (value) => OID.test(value)),
  positiveInt: number('a whole number from 1 to 2147483647', (value) => isInt32(value, 1)),
  string,
  time: text('a time of day: hh:mm:ss', (value) => TIME.test(value)),
  unsignedInt: number('a whole number from 0 to 2147483647', (value) => isInt32(value, 0)),
  uri,
  url: text('a URL without spaces', isUri),
  uuid: text('a lower-case UUID such as urn:uuid:c757873d-ec9a-4326-a141-556f43239520', (value) => UUID.test(value)),
  xhtml: text('an XHTML div', (value) => value.trimStart().startsWith('<div') && isPlain(value)),
} as const satisfies Record<string, PrimitiveRule>;

export type PrimitiveType = keyof typeof RULES;

const BY_NAME: ReadonlyMap<string, PrimitiveRule> = new Map(Object.entries(RULES));

/** The rule of a primitive type; undefined for any other name. */
export function primitiveRule(type: string): PrimitiveRule | undefined {
  return BY_NAME.get(type);
}

/** Whether the name is that of an R5 primitive type. */
export function isPrimitiveType(type: string): type is PrimitiveType {
  return BY_NAME.has(type);
}

/** What is wrong with the value as this primitive type, in words that follow a path; undefined when it is valid. */
export function primitiveIssue(type: PrimitiveType, value: unknown): string | undefined {
  return primitiveValueIssue(RULES[type], value);
}

/** The same with the rule itself. */
export function primitiveValueIssue(rule: PrimitiveRule, value: unknown): string | undefined {
  if (isValidValue(rule, value)) return undefined;
  if (typeof value === rule.json) return `must be ${rule.expected}`;
  return `must be a JSON ${rule.json} (${rule.expected}), not ${jsonTypeName(value)}`;
}

function isValidValue(rule: PrimitiveRule, value: unknown): boolean {
  if (rule.json === 'string') return typeof value === 'string' && rule.isValid(value);
  if (rule.json === 'number') return typeof value === 'number' && rule.isValid(value);
  return typeof value === 'boolean';
}

/** Whether the text may be the id of a resource: `[A-Za-z0-9\-.]{1,64}` (decision G1). */
export function isFhirId(value: string): boolean {
  return ID.test(value);
}

/**
 * Whether a resource with that id has an address: clients read the ids `.` and `..` as steps of a path (RFC 3986 §3.3).
 */
export function isAddressableId(value: string): boolean {
  return ID.test(value) && value !== '.' && value !== '..';
}

/** The name of a JSON value's type in a message: `an array`, `null`, `a string` … */
export function jsonTypeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Whether the text begins with a scheme, as absolute URIs do. */
export function isAbsoluteUri(value: string): boolean {
  return SCHEME.test(value);
}

/** Whether a `urn:oid:` or `urn:uuid:` URI is well formed (hl7.org/fhir/R5/datatypes.html#uri). */
export function isValidUrn(value: string): boolean {
  if (value.startsWith('urn:oid:')) return OID.test(value);
  return !value.startsWith('urn:uuid:') || UUID.test(value);
}

function isCanonical(value: string): boolean {
  return isUri(value) && !value.endsWith('|') && (value.startsWith('#') || isAbsoluteUri(value));
}

/** Whether a text can be JSON and be stored by PostgreSQL. `adviceOnText` reports what R5 only recommends. */
function isText(value: string): boolean {
  if (value.length > MAX_STRING) return false;
  return PRINTABLE_ASCII.test(value) || (value !== '' && !value.includes('\0') && value.isWellFormed());
}

/** R5: a string SHOULD hold no control characters, and SHOULD hold a visible character. */
function adviceOnText(value: string): string | undefined {
  if (PRINTABLE_ASCII.test(value)) return undefined;
  if (CONTROL.test(value)) return 'hold no control characters besides tab, line feed and carriage return';
  return value.trim() === '' ? 'hold at least one visible character' : undefined;
}

/** No control characters and no lone surrogates, which PostgreSQL and UTF-8 cannot hold. */
function isPlain(value: string): boolean {
  return PRINTABLE_ASCII.test(value) || (!CONTROL.test(value) && value.isWellFormed());
}

function isInt32(value: number, minimum: number): boolean {
  return Number.isInteger(value) && value >= minimum && value <= 2_147_483_647;
}

function isInt64(value: string): boolean {
  if (!INT64.test(value)) return false;
  const parsed = BigInt(value);
  return parsed <= MAX_INT64 && parsed >= -MAX_INT64 - 1n;
}

function isBase64(value: string): boolean {
  if (value === '' || value.length % 4 !== 0) return false;
  const padding = value.endsWith('==') ? 2 : value.endsWith('=') ? 1 : 0;
  return !NOT_BASE64.test(padding === 0 ? value : value.slice(0, -padding));
}
