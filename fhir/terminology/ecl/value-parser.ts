// Parses comparisons with values: dates, texts, numbers, truth values and expressions.
import type { Scanner } from './scanner.ts';
import type { ComparedValue, Comparison, SearchTerm, TimeFilter } from './syntax.ts';

/** One item, or several in brackets. */
export function listOf<T>(scanner: Scanner, read: () => T): T[] {
  if (!scanner.eat('(')) return [read()];
  const found = [read()];
  while (!scanner.eat(')')) found.push(read());
  return found;
}

const TIME = /"(?:[1-9]\d{3}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))?"/y;

export function timeFilter(scanner: Scanner, compared: Comparison): TimeFilter {
  const values = listOf(scanner, () => {
    scanner.skip();
    const text = scanner.take(TIME);
    if (text === undefined) throw scanner.error('a date as "YYYYMMDD"');
    return text.slice(1, -1);
  });
  return { kind: 'time', comparison: compared, values };
}

export function searchTerms(scanner: Scanner): SearchTerm[] {
  return listOf(scanner, () => searchTerm(scanner));
}

const TEXT = /"((?:[^"\\]|\\["\\*])*)"/y;

function searchTerm(scanner: Scanner): SearchTerm {
  const kind = scanner.eatWord(['match', 'wild']);
  if (kind !== undefined) scanner.expect(':');
  scanner.skip();
  const at = scanner.position;
  const text = scanner.take(TEXT)?.slice(1, -1);
  if (text === undefined) throw scanner.error('a text in quotation marks');
  if (kind === 'wild') return { kind: 'wild', parts: wildParts(text) };
  const words = unescaped(text)
    .trim()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) throw scanner.error('a word in the quotation marks', at);
  return { kind: 'match', words };
}

/** The parts around each `*` that is not escaped. */
function wildParts(text: string): string[] {
  const parts = [''];
  for (const [piece] of text.matchAll(/\\.|\*|[^\\*]+/gs)) {
    if (piece === '*') parts.push('');
    else parts[parts.length - 1] += unescaped(piece);
  }
  return parts;
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/gs, '$1');
}

const COMPARISONS: readonly Comparison[] = ['<=', '>=', '!=', '=', '<', '>'];

export function comparison(scanner: Scanner): Comparison {
  if (scanner.eat('<>')) return '!=';
  if (scanner.eatWord(['not']) !== undefined) {
    scanner.expect('=');
    return '!=';
  }
  const found = COMPARISONS.find((each) => scanner.eat(each));
  if (found === undefined) throw scanner.error('a comparison such as =');
  return found;
}

/** Whether the comparison that comes next is `!=`. */
export function isNot(scanner: Scanner): boolean {
  scanner.skip();
  const at = scanner.position;
  return isUnequal(scanner, comparison(scanner), at);
}

function isUnequal(scanner: Scanner, compared: Comparison, at: number): boolean {
  if (compared !== '=' && compared !== '!=') throw scanner.error('= or !=', at);
  return compared === '!=';
}

const NUMBER = /#[-+]?(?:0|[1-9]\d*)(?:\.\d+)?/y;

/** @param hasTimes whether dates are values, too: those of fields of reference sets */
export function comparedValue(scanner: Scanner, hasTimes: boolean): ComparedValue {
  scanner.skip();
  const at = scanner.position;
  const compared = comparison(scanner);
  scanner.skip();
  if (scanner.isNext('#')) {
    const text = scanner.take(NUMBER);
    if (text === undefined) throw scanner.error('a number');
    return { kind: 'number', comparison: compared, value: Number(text.slice(1)) };
  }
  const isOrdered = compared !== '=' && compared !== '!=';
  if (hasTimes && isOrdered) return timeFilter(scanner, compared);
  const negated = isUnequal(scanner, compared, at);
  const truth = scanner.eatWord(['true', 'false']);
  if (truth !== undefined) return { kind: 'boolean', isNot: negated, value: truth === 'true' };
  if (isText(scanner)) return { kind: 'text', isNot: negated, terms: searchTerms(scanner) };
  return { kind: 'expression', isNot: negated, of: scanner.subExpression() };
}

const TEXT_START = /\(?[ \t\r\n]*(?:"|(?:match|wild)[ \t\r\n]*:)/iy;
/** An identifier of another scheme in quotation marks. */
const QUOTED_IDENTIFIER = /"[A-Za-z][A-Za-z0-9-]*#[^"\\]+"/y;

function isText(scanner: Scanner): boolean {
  scanner.skip();
  const start = scanner.at;
  const found = scanner.take(QUOTED_IDENTIFIER) === undefined && scanner.take(TEXT_START) !== undefined;
  scanner.at = start;
  return found;
}
