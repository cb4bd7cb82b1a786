// Parses the refinement of an expression constraint: attributes with their groups, cardinalities and values.
import { binaryOperator, refuseFurther } from './operators.ts';
import type { Scanner } from './scanner.ts';
import type { Cardinality, Refinement } from './syntax.ts';
import { comparedValue } from './value-parser.ts';

export function refinement(scanner: Scanner): Refinement {
  return joined(scanner, () => subRefinement(scanner));
}

/** The attributes of a group. */
function attributeSet(scanner: Scanner): Refinement {
  return joined(scanner, () => subAttributeSet(scanner));
}

function joined(scanner: Scanner, part: () => Refinement): Refinement {
  const first = part();
  const operator = scanner.attempt(() => {
    const found = binaryOperator(scanner);
    return found === 'minus' ? undefined : found;
  });
  if (operator === undefined) return first;
  const parts = [first, part()];
  while (refuseFurther(scanner, operator)) parts.push(part());
  return { kind: operator, parts };
}

function subRefinement(scanner: Scanner): Refinement {
  if (isParenthesised(scanner)) return parenthesised(scanner, refinement);
  const cardinality = readCardinality(scanner);
  if (!scanner.eat('{')) return attribute(scanner, cardinality);
  const of = scanner.nested(() => attributeSet(scanner));
  scanner.expect('}');
  return { kind: 'group', cardinality: cardinality ?? AT_LEAST_ONE, of };
}

function subAttributeSet(scanner: Scanner): Refinement {
  if (isParenthesised(scanner)) return parenthesised(scanner, attributeSet);
  return attribute(scanner, readCardinality(scanner));
}

function parenthesised(scanner: Scanner, read: (scanner: Scanner) => Refinement): Refinement {
  scanner.expect('(');
  const found = scanner.nested(() => read(scanner));
  scanner.expect(')');
  return found;
}

/** What follows the brackets around the name of an attribute. */
const AFTER_NAME = /(?:=|!=|<|>|\{\{|not\b)/iy;

/** Whether brackets come next that do not belong to the name of an attribute: `(a = b OR c = d)`. */
function isParenthesised(scanner: Scanner): boolean {
  if (!scanner.isNext('(')) return false;
  const start = scanner.at;
  const end = endOfBrackets(scanner.text, start);
  if (end === -1) throw scanner.error('the end of the brackets', start + 1);
  scanner.at = end + 1;
  scanner.skip();
  const isName = scanner.take(AFTER_NAME) !== undefined;
  scanner.at = start;
  return !isName;
}

/** Terms, texts and comments, in which brackets do not count. */
const SKIPPED = /\|[^|]*\||"(?:[^"\\]|\\.)*"|\/\*.*?\*\//sy;

const STARTS = /^(?:[|"]|\/\*)/;

/** The index of the bracket that closes the one at `start`; -1 for none. Cached for each text. */
function endOfBrackets(text: string, start: number): number {
  if (lastEnds?.text !== text) lastEnds = { text, ends: allEnds(text) };
  return lastEnds.ends.get(start) ?? -1;
}

let lastEnds: { readonly text: string; readonly ends: ReadonlyMap<number, number> } | undefined;

function allEnds(text: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    SKIPPED.lastIndex = at;
    const skipped = SKIPPED.exec(text)?.[0];
    if (skipped !== undefined) at += skipped.length - 1;
    // One that has no end: nothing that follows is valid.
    else if (STARTS.test(text.slice(at, at + 2))) return ends;
    else if (text[at] === '(') open.push(at);
    else if (text[at] === ')') {
      const start = open.pop();
      if (start !== undefined) ends.set(start, at);
    }
  }
  return ends;
}

const AT_LEAST_ONE: Cardinality = { min: 1, max: Number.POSITIVE_INFINITY };

function readCardinality(scanner: Scanner): Cardinality | undefined {
  if (!scanner.eat('[')) return undefined;
  const start = scanner.position;
  const min = wholeNumber(scanner);
  if (!scanner.eat('..') && scanner.eatWord(['to']) === undefined) throw scanner.error('.. or to');
  const isMany = scanner.eat('*') || scanner.eatWord(['many']) !== undefined;
  const max = isMany ? Number.POSITIVE_INFINITY : wholeNumber(scanner);
  scanner.expect(']');
  if (min > max) throw scanner.error('a cardinality whose end is not below its beginning', start);
  return { min, max };
}

function wholeNumber(scanner: Scanner): number {
  const { position } = scanner;
  const digits = scanner.digits();
  if (digits === undefined || !/^(?:0|[1-9]\d{0,8})$/.test(digits)) throw scanner.error('a whole number', position);
  return Number(digits);
}

function attribute(scanner: Scanner, cardinality = AT_LEAST_ONE): Refinement {
  scanner.skip();
  const at = scanner.position;
  const isReverse = eatReverse(scanner);
  const name = scanner.subExpression();
  return { kind: 'attribute', cardinality, isReverse, name, value: comparedValue(scanner, false), at };
}

/** `R` is written in upper case; it may begin an identifier of another scheme. */
const REVERSE = /R(?![A-Za-z]|[A-Za-z0-9-]*#)/y;

function eatReverse(scanner: Scanner): boolean {
  if (scanner.eatWord(['reverseof']) !== undefined) return true;
  scanner.skip();
  return scanner.take(REVERSE) !== undefined;
}
