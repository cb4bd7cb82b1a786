// Limits on the depth and the number of values of a JSON body, checked in one pass over its bytes before parsing
// (docs/adr/0040). Parsing allocates an object for each bracket, and later code recurses as deep as the body nests.

import { type ServiceError, tooCostly } from '../../errors.ts';
import type { Slices } from '../../jobs/slices.ts';
import { BACKSLASH, COLON, COMMA, QUOTE } from '../../json-characters.ts';

export interface JsonLimits {
  /** Levels of nested objects and arrays. */
  readonly depth: number;
  /** Members and elements in total. */
  readonly values: number;
}

/** For callers without credentials: the public forms are flat and short. */
export const OPEN_JSON: JsonLimits = { depth: 16, values: 1000 };
/** For our own schemas, which nest less than ten levels and whose longest lists have a thousand items. */
export const PLAIN_JSON: JsonLimits = { depth: 64, values: 50_000 };
/** Each group of a Questionnaire takes four levels, and so does each nested answer. */
const FHIR_DEPTH = 256;
/** A code of a code system takes 13 bytes and two values. Hardly any FHIR content is denser. */
const VALUES_PER_MEBIBYTE = 200_000;

/** The limits for FHIR bodies of up to so many bytes. */
export function fhirLimitsFor(bytes: number): JsonLimits {
  return { depth: FHIR_DEPTH, values: VALUES_PER_MEBIBYTE * Math.max(1, Math.ceil(bytes / (1024 * 1024))) };
}

/** The action for each byte outside strings. */
const SKIP = 0;
const STRING = 1;
const SEPARATE = 2;
const NAME = 3;
const OPEN = 4;
const CLOSE = 5;
const ACTIONS = actions();

function actions(): Uint8Array {
  const table = new Uint8Array(256);
  table[QUOTE] = STRING;
  table[COMMA] = SEPARATE;
  table[COLON] = NAME;
  for (const open of '{[') table[open.charCodeAt(0)] = OPEN;
  for (const close of '}]') table[close.charCodeAt(0)] = CLOSE;
  return table;
}

/** Counts depth and values of a body that arrives in chunks. */
export class JsonMeter {
  readonly #limits: JsonLimits;
  #depth = 0;
  #values = 1;
  #members = 0;
  #isInString = false;
  /** The next byte is escaped by a backslash. */
  #isEscaped = false;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  /** Members of objects so far, with repeated ones. */
  get members(): number {
    return this.#members;
  }

  /**
   * Takes the next bytes. Bytes that are not JSON may pass, because the parser refuses them.
   * @throws ServiceError `invalid_request`, naming the limit, at the byte that exceeds it
   */
  take(bytes: Uint8Array): void {
    const { depth: deepest, values: most } = this.#limits;
    let at = this.#isInString ? this.#endOfString(bytes, 0) + 1 : 0;
    let depth = this.#depth;
    let values = this.#values;
    let members = this.#members;
    for (; at < bytes.length; at += 1) {
      switch (ACTIONS[bytes[at] ?? 0]) {
        case SKIP:
          break;
        case STRING:
          at = this.#endOfString(bytes, at + 1);
          break;
        case SEPARATE:
          values += 1;
          if (values > most) throw tooMany(this.#limits);
          break;
        case NAME:
          members += 1;
          break;
        case OPEN:
          depth += 1;
          values += 1;
          if (depth > deepest) throw tooDeep(this.#limits);
          if (values > most) throw tooMany(this.#limits);
          break;
        case CLOSE:
          depth -= 1;
          break;
      }
    }
    this.#depth = depth;
    this.#values = values;
    this.#members = members;
  }

  /** The index of the closing quote; the length of the bytes when it is not among them. */
  #endOfString(bytes: Uint8Array, start: number): number {
    const { length } = bytes;
    let at = start;
    if (this.#isEscaped) at += 1;
    while (at < length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    this.#isInString = at >= length;
    this.#isEscaped = at > length;
    return at;
  }
}

/**
 * Refuses a body that nests too deep or holds too many values. Returns the number of members of its objects, with
 * repeated ones.
 * @throws ServiceError `invalid_request`, naming the limit
 */
export function requireModestJson(bytes: Uint8Array, limits: JsonLimits): number {
  const meter = new JsonMeter(limits);
  meter.take(bytes);
  return meter.members;
}

/** Bytes to check before a pause. */
const PIECE = 128 * 1024;

/** The same for a long body, in slices. @throws ServiceError as {@link requireModestJson} */
export async function requireJsonLimitsInSlices(
  bytes: Uint8Array,
  limits: JsonLimits,
  slices: Slices,
): Promise<number> {
  const meter = new JsonMeter(limits);
  for (let start = 0; start < bytes.length; start += PIECE) {
    meter.take(bytes.subarray(start, start + PIECE));
    await slices.rest();
  }
  return meter.members;
}

/** Values to visit between two readings of the clock. */
const STRIDE = 2_000;

/** As {@link countMembers} for a value of any size, in slices. */
export async function countMembersInSlices(value: unknown, slices: Slices): Promise<number> {
  let count = 0;
  let visited = 0;
  const open: object[] = typeof value === 'object' && value !== null ? [value] : [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const isList = Array.isArray(next);
    const items: readonly unknown[] = Object.values(next);
    for (const item of items) {
      if (!isList) count += 1;
      if (typeof item === 'object' && item !== null) open.push(item);
      visited += 1;
      if (visited % STRIDE === 0) await slices.rest();
    }
  }
  return count;
}

/**
 * The number of members in a parsed value. It is less than the number in the text where a member was repeated. The
 * depth is checked before.
 */
export function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countMembers(item);
    return count;
  }
  // A parsed object has no inherited members, and `for in` builds no list of names.
  for (const name in value) count += 1 + countMembers(Reflect.get(value, name));
  return count;
}

function tooDeep({ depth }: JsonLimits): ServiceError {
  return tooCostly(`The body nests deeper than ${depth} levels`);
}

function tooMany({ values }: JsonLimits): ServiceError {
  return tooCostly(`The body holds more than ${values} members and elements`);
}
