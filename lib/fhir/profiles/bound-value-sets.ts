// The value sets that profiles of users ask for, in bindings and in the expressions of their constraints: what has to be looked up before
// anything is checked against them.
import { r5Definitions } from '../definitions/definitions.ts';
import { officialCodes } from '../validation/known-codes.ts';
import type { ElementJson, Structure } from './structure.ts';

const MEMBER_OF = /memberOf\(\s*'([^']+)'\s*\)/g;

/** The canonicals of all that are none of R5's own, each once. */
export function boundValueSets(structures: readonly Structure[]): string[] {
  const named = new Set<string>();
  for (const { snapshot = [], differential = [] } of structures) {
    for (const element of [...snapshot, ...differential]) for (const each of setsOf(element)) named.add(each);
  }
  const definitions = r5Definitions();
  return [...named].filter((canonical) => officialCodes(definitions, canonical) === undefined);
}

function setsOf({ binding, constraint = [] }: ElementJson): string[] {
  const asked = constraint.flatMap(({ expression = '' }) =>
    [...expression.matchAll(MEMBER_OF)].map(([, canonical = '']) => canonical),
  );
  const isChecked = binding?.strength === 'required' || binding?.strength === 'extensible';
  return isChecked && binding.valueSet !== undefined ? [...asked, binding.valueSet] : asked;
}
