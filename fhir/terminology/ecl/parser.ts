// Parses an expression constraint: sub-expressions with their operators, and what joins them. Refinements are in
// ./refinement-parser.ts, filters in ./filter-parser.ts.
import { conceptFilters, descriptionFilters, historyProfile, memberFilters } from './filter-parser.ts';
import { alternateIdentifier, conceptReference, fieldName } from './identifiers.ts';
import { binaryOperator, refuseFurther } from './operators.ts';
import { refinement } from './refinement-parser.ts';
import { Scanner } from './scanner.ts';
import type { Expression, HierarchyOperator } from './syntax.ts';

/** @throws TerminologyError naming the character at which the text is not valid */
export function parseExpression(text: string): Expression {
  const scanner = new Scanner(text, { expression, subExpression });
  const found = expression(scanner);
  scanner.skip();
  if (!scanner.isAtEnd) throw scanner.error('the end, or an operator,');
  return found;
}

function expression(scanner: Scanner): Expression {
  const first = subExpression(scanner);
  if (scanner.eat(':')) return { kind: 'refined', of: first, refinement: refinement(scanner) };
  if (scanner.isNext('.')) return dotted(scanner, first);
  const operator = binaryOperator(scanner);
  if (operator === undefined) return first;
  const second = subExpression(scanner);
  if (operator === 'minus') {
    refuseFurther(scanner, undefined);
    return { kind: 'minus', from: first, without: second };
  }
  const parts = [first, second];
  while (refuseFurther(scanner, operator)) parts.push(subExpression(scanner));
  return { kind: operator, parts };
}

function dotted(scanner: Scanner, first: Expression): Expression {
  let found = first;
  for (let chain = 1; scanner.eat('.'); chain += 1) {
    scanner.requireShort(chain);
    found = { kind: 'dotted', of: found, attribute: subExpression(scanner) };
  }
  return found;
}

/** `<<! ` before `<<`, and so on: the longest goes first. */
const SYMBOLS: readonly (readonly [symbol: string, operator: HierarchyOperator])[] = [
  ['<<!', 'childOrSelfOf'],
  ['>>!', 'parentOrSelfOf'],
  ['!!>', 'top'],
  ['!!<', 'bottom'],
  ['<<', 'descendantOrSelfOf'],
  ['<!', 'childOf'],
  ['>>', 'ancestorOrSelfOf'],
  ['>!', 'parentOf'],
  ['<', 'descendantOf'],
  ['>', 'ancestorOf'],
];

const WORDS: Readonly<Record<string, HierarchyOperator>> = {
  childof: 'childOf',
  childorselfof: 'childOrSelfOf',
  descendantof: 'descendantOf',
  descendantorselfof: 'descendantOrSelfOf',
  parentof: 'parentOf',
  parentorselfof: 'parentOrSelfOf',
  ancestorof: 'ancestorOf',
  ancestororselfof: 'ancestorOrSelfOf',
  top: 'top',
  bottom: 'bottom',
};

const OPERATOR_WORDS = Object.keys(WORDS);

function hierarchyOperator(scanner: Scanner): HierarchyOperator | undefined {
  const symbol = SYMBOLS.find(([each]) => scanner.eat(each));
  if (symbol !== undefined) return symbol[1];
  return scanner.attempt(() => {
    const word = scanner.eatWord(OPERATOR_WORDS);
    // `top#1` would be an identifier of another scheme.
    return word === undefined || scanner.text.startsWith('#', scanner.at) ? undefined : WORDS[word];
  });
}

function subExpression(scanner: Scanner): Expression {
  const operator = hierarchyOperator(scanner);
  let found = membersOrFocus(scanner);
  if (operator !== undefined) found = { kind: 'related', operator, of: found };
  for (let chain = 1; scanner.isNext('{{'); chain += 1) {
    scanner.requireShort(chain);
    const history = historyProfile(scanner);
    if (history !== undefined) return { kind: 'history', of: found, profile: history };
    const filters = conceptFilters(scanner);
    if (filters !== undefined) found = { kind: 'concepts', of: found, filters };
    else found = { kind: 'descriptions', of: found, filters: descriptionFilters(scanner) };
  }
  return found;
}

function membersOrFocus(scanner: Scanner): Expression {
  scanner.skip();
  const at = scanner.position;
  if (!scanner.eat('^') && scanner.eatWord(['memberof']) === undefined) return focus(scanner);
  const fields = scanner.eat('[') ? fieldNames(scanner) : ['referencedComponentId'];
  const of = focus(scanner);
  const filters = [];
  for (let more = memberFilters(scanner); more !== undefined; more = memberFilters(scanner)) filters.push(...more);
  return { kind: 'members', of, fields, filters, at };
}

function fieldNames(scanner: Scanner): string[] {
  const names: string[] = [];
  if (scanner.eat('*')) names.push('*');
  else
    do {
      names.push(fieldName(scanner));
    } while (scanner.eat(','));
  scanner.expect(']');
  return names;
}

function focus(scanner: Scanner): Expression {
  if (scanner.eat('(')) {
    const inner = scanner.nested(() => expression(scanner));
    scanner.expect(')');
    return inner;
  }
  if (scanner.eat('*')) return { kind: 'any' };
  const found = conceptReference(scanner) ?? alternateIdentifier(scanner);
  if (found !== undefined) return found;
  if (scanner.eatWord(['any']) !== undefined) return { kind: 'any' };
  throw scanner.error('a concept');
}
