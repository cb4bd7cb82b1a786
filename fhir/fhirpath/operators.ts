// The FHIRPath operators that invariants use (hl7.org/fhirpath/N1/#operations): logic in three values, equality and
// order of plain values.
import {
  type Compiled,
  Declined,
  FALSE,
  type Items,
  isPlain,
  ofTruth,
  plainItems,
  SYSTEM_BOOLEAN,
  TRUE,
  truth,
} from './items.ts';

type Operator = (left: Items, right: Items) => Items;
type LazyOperator = (left: Items, right: () => Items) => Items;

function operatorOf(operator: string, left: Compiled, right: Compiled): LazyOperator {
  const logical = LOGICAL.get(operator);
  if (logical !== undefined) return logical;
  const compare = COMPARISONS.get(operator);
  if (compare === undefined || !isPlain(left) || !isPlain(right)) throw new Declined();
  return (a, b) => compare(a, b());
}

/**
 * Compiles `left operator right`. The right side runs only when its value is needed.
 * @throws Declined for any other operator
 */
export function compileBinary(operator: string, left: Compiled, right: Compiled): Compiled {
  if (operator === '|') return compileUnion(left, right);
  if (operator === '+') return compileSum(left, right);
  const apply = operatorOf(operator, left, right);
  const run = (focus: Items, frame: Parameters<Compiled['run']>[1]): Items =>
    apply(left.run(focus, frame), () => right.run(focus, frame));
  return { run, types: SYSTEM_BOOLEAN };
}

function compileSum(left: Compiled, right: Compiled): Compiled {
  const run: Compiled['run'] = (focus, frame) => {
    const [first] = left.run(focus, frame);
    const [second] = right.run(focus, frame);
    if (typeof first !== 'number' || typeof second !== 'number') throw new Declined();
    return [first + second];
  };
  return { run, types: left.types };
}

function compileUnion(left: Compiled, right: Compiled): Compiled {
  if (!isPlain(left) || !isPlain(right)) throw new Declined();
  const run = (focus: Items, frame: Parameters<Compiled['run']>[1]): Items => [
    ...new Set([...plainItems(left.run(focus, frame)), ...plainItems(right.run(focus, frame))]),
  ];
  return { run, types: left.types };
}

const LOGICAL: ReadonlyMap<string, LazyOperator> = new Map<string, LazyOperator>([
  [
    'and',
    (left, right) => {
      const first = truth(left);
      if (first === false) return FALSE;
      const second = truth(right());
      return second === false ? FALSE : ofTruth(first === undefined ? undefined : second);
    },
  ],
  [
    'or',
    (left, right) => {
      const first = truth(left);
      if (first === true) return TRUE;
      const second = truth(right());
      return second === true ? TRUE : ofTruth(first === undefined ? undefined : second);
    },
  ],
  [
    'xor',
    (left, right) => {
      const first = truth(left);
      const second = truth(right());
      return ofTruth(first === undefined || second === undefined ? undefined : first !== second);
    },
  ],
  [
    'implies',
    (left, right) => {
      const first = truth(left);
      if (first === false) return TRUE;
      const second = truth(right());
      return second === true ? TRUE : ofTruth(first === undefined ? undefined : second);
    },
  ],
]);

const COMPARISONS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['=', (left, right) => ofTruth(equal(left, right))],
  [
    '!=',
    (left, right) => {
      const same = equal(left, right);
      return ofTruth(same === undefined ? undefined : !same);
    },
  ],
  [
    'in',
    (left, right) => {
      if (left.length > 1) throw new Declined();
      return left.length === 0 ? [] : ofTruth(plainItems(right).includes(plainItems(left)[0]));
    },
  ],
  ['<', (left, right) => numeric(left, right, (a, b) => a < b)],
  ['>', (left, right) => numeric(left, right, (a, b) => a > b)],
  ['<=', (left, right) => numeric(left, right, (a, b) => a <= b)],
  ['>=', (left, right) => numeric(left, right, (a, b) => a >= b)],
]);

function equal(left: Items, right: Items): boolean | undefined {
  if (left.length === 0 || right.length === 0) return undefined;
  const first = plainItems(left);
  const second = plainItems(right);
  return first.length === second.length && first.every((item, index) => item === second[index]);
}

function numeric(left: Items, right: Items, compare: (a: number, b: number) => boolean): Items {
  if (left.length === 0 || right.length === 0) return [];
  const [a] = left;
  const [b] = right;
  if (left.length > 1 || right.length > 1 || typeof a !== 'number' || typeof b !== 'number') throw new Declined();
  return ofTruth(compare(a, b));
}
