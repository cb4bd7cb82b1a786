// Finds members and elements in JSON text by offset, so that a client's text is kept byte for byte (decimals, member
// order; RFC 8259). The text must already have passed JSON.parse: the scanner reads only brackets, strings and commas.
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  MINUS,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  ZERO,
} from '#lib/json-characters.ts';
import { type FoundNumber, isLossyNumber } from './written-numbers.ts';

/** The most number texts that are noted; later numbers are validated by their value alone. */
const MAX_NOTED = 100_000;

/** One value in a text: `text.slice(start, end)` is its JSON. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One member of an object: `start` is the index of the key's quote, `end` the one after the value. */
export interface MemberSpan extends Span {
  readonly key: string;
  readonly valueStart: number;
}

/** Totals of a scan over all levels: the number of object members, and the nesting depth. */
export interface ScanTotals {
  members: number;
  depth: number;
  numbers: number;
  /** The numbers whose text holds more than their value. */
  readonly lossyNumbers: FoundNumber[];
}

export function noTotals(): ScanTotals {
  return { members: 0, depth: 0, numbers: 0, lossyNumbers: [] };
}

/** Skips a member's value that begins at `at`, and returns the index after it. */
type Skip = (text: string, at: number, totals: ScanTotals, key: string) => number;

/** The members of the object that begins at `offset`, or after the white space there, in order and with duplicates. */
export function scanMembers(
  text: string,
  offset: number,
  totals: ScanTotals = noTotals(),
  skip: Skip = skipMember,
): MemberSpan[] {
  const members: MemberSpan[] = [];
  let at = skipSpace(text, skipSpace(text, offset) + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const keyEnd = skipString(text, at);
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const key = decodeString(text, at, keyEnd);
    const end = skip(text, valueStart, totals, key);
    totals.members += 1;
    members.push({ key, start: at, valueStart, end });
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }
  return members;
}

/** A value, and its members when it is an object. */
export interface ValueSpan extends Span {
  readonly members: readonly MemberSpan[] | undefined;
}

/**
 * The members of an object, and a member of each element in one of its lists. Undefined for an element that is not an
 * object or lacks the member.
 */
export interface ListedMembers {
  readonly members: MemberSpan[];
  readonly listed: readonly (ValueSpan | undefined)[];
}

/** As `scanMembers`; the scan also notes the value under `key` in each element of the list `name`. */
export function scanListed(
  text: string,
  { name, key }: { readonly name: string; readonly key: string },
  totals: ScanTotals,
): ListedMembers {
  const listed: (ValueSpan | undefined)[] = [];
  const members = scanMembers(text, 0, totals, (_text, at, _totals, member) =>
    member === name && text.charCodeAt(at) === OPEN_BRACKET
      ? scanUnder(text, at, { key, totals, listed })
      : skipValue(text, at, totals),
  );
  return { members, listed };
}

interface Listing {
  readonly key: string;
  readonly totals: ScanTotals;
  readonly listed: (ValueSpan | undefined)[];
}

/** Skips the list that begins at `start`, and returns the index after it. */
function scanUnder(text: string, start: number, { key, totals, listed }: Listing): number {
  let at = skipSpace(text, start + 1);
  while (at < text.length && text.charCodeAt(at) !== CLOSE_BRACKET) {
    const element = scanElementFor(text, at, key, totals);
    listed.push(element.value);
    at = skipSpace(text, element.end);
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }
  return at + 1;
}

/** The depth of the elements of a member's list, and of the values in these elements. */
const [IN_LIST, IN_ELEMENT, IN_VALUE] = [1, 2, 3];

function scanElementFor(
  text: string,
  offset: number,
  wanted: string,
  totals: ScanTotals,
): { readonly value: ValueSpan | undefined; readonly end: number } {
  if (text.charCodeAt(offset) !== OPEN_BRACE)
    return { value: undefined, end: skipValue(text, offset, totals, IN_LIST) };
  let value: ValueSpan | undefined;
  let at = skipSpace(text, offset + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const keyEnd = skipString(text, at);
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    totals.members += 1;
    if (decodeString(text, at, keyEnd) === wanted) {
      value = scanValue(text, start, totals);
      at = value.end;
    } else at = skipValue(text, start, totals, IN_ELEMENT);
    at = skipSpace(text, at);
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }
  return { value, end: at + 1 };
}

function scanValue(text: string, start: number, totals: ScanTotals): ValueSpan {
  if (text.charCodeAt(start) !== OPEN_BRACE) {
    return { start, end: skipValue(text, start, totals, IN_ELEMENT), members: undefined };
  }
  const members = scanMembers(text, start, totals, (_text, at) => skipValue(text, at, totals, IN_VALUE));
  return { start, end: skipSpace(text, members.at(-1)?.end ?? start + 1) + 1, members };
}

/** The index of the first character from `at` on that is not white space. */
function skipSpace(text: string, at: number): number {
  let index = at;
  for (;;) {
    const code = text.charCodeAt(index);
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return index;
    index += 1;
  }
}

/** The index after the string whose opening quote is at `at`. */
function skipString(text: string, at: number): number {
  let from = at + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return text.length;
    let before = quote - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((quote - before) % 2 === 1) return quote + 1;
    from = quote + 1;
  }
}

/** The content of the string between two indexes, which include its quotes. */
function decodeString(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end - 1);
  return raw.includes('\\') ? String(JSON.parse(`"${raw}"`)) : raw;
}

function skipMember(text: string, at: number, totals: ScanTotals): number {
  return skipValue(text, at, totals);
}

/** @param depth the number of objects and lists around it, without the outermost one */
function skipValue(text: string, at: number, totals: ScanTotals, depth = 0): number {
  const first = text.charCodeAt(at);
  if (first === QUOTE) return skipString(text, at);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipNested(text, at, totals, depth);
  if (isNumberStart(first)) return skipNumber(text, at, totals);
  return scalarEnd(text, at);
}

function skipNumber(text: string, at: number, totals: ScanTotals): number {
  const end = scalarEnd(text, at);
  if (end - at > 1 && totals.lossyNumbers.length < MAX_NOTED) {
    const number = text.slice(at, end);
    if (isLossyNumber(number)) totals.lossyNumbers.push({ ordinal: totals.numbers, text: number });
  }
  totals.numbers += 1;
  return end;
}

function scalarEnd(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length && !isScalarEnd(text.charCodeAt(end))) end += 1;
  return end;
}

function isNumberStart(code: number): boolean {
  return code === MINUS || (code >= ZERO && code < COLON);
}

function skipNested(text: string, at: number, totals: ScanTotals, around: number): number {
  let depth = around + 1;
  if (depth > totals.depth) totals.depth = depth;
  let index = at + 1;
  while (depth > around && index < text.length) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      index = skipString(text, index);
      continue;
    }
    if (isNumberStart(code)) {
      index = skipNumber(text, index, totals);
      continue;
    }
    if (code === COLON) totals.members += 1;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      if (depth > totals.depth) totals.depth = depth;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
    index += 1;
  }
  return index;
}

function isScalarEnd(code: number): boolean {
  return code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || code <= 32;
}
