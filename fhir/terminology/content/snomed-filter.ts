// Filters that only SNOMED CT has: expression constraints and membership of a reference set
// (hl7.org/fhir/R5/snomedct.html).
import { evaluateExpression } from '../ecl/evaluate.ts';
import { parseExpression } from '../ecl/parser.ts';
import { type Bitset, fullBitset } from '../model/bitset.ts';
import type { CodeSystemModel } from '../model/code-system-model.ts';
import type { Steps } from './unfinished.ts';

export const SNOMED = 'http://snomed.info/sct';

interface FilterParts {
  readonly property: string;
  readonly op: string;
  readonly value: string;
}

/**
 * The concepts of such a filter; undefined for any other one.
 * @throws TerminologyError for an expression that is not valid
 */
export function snomedFilter(model: CodeSystemModel, { property, op, value }: FilterParts): Steps<Bitset> | undefined {
  if (model.meta.url !== SNOMED) return undefined;
  if (property === 'constraint' && op === '=') return evaluateExpression(parseExpression(value), model);
  const isOfConcept = property === 'concept' || property === 'code';
  if (isOfConcept && op === 'in' && model.refsets.find(value) !== undefined)
    return evaluateExpression(parseExpression(`^ ${value}`), model);
  // Whether expressions are codes too: none are listed in either case.
  return property === 'expressions' && op === '=' ? all(model) : undefined;
}

// biome-ignore lint/correctness/useYield: it is as short as the others are long
function* all({ size }: CodeSystemModel): Steps<Bitset> {
  return fullBitset(size);
}
