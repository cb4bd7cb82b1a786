// The filters of a value set's definition over a code system that is there (hl7.org/fhir/R5/valueset-filter-operator.html).
import { type CodeSystem, type Concept, withAncestors, withDescendants } from './code-system.ts';
import { TerminologyFault } from './fault.ts';
import { type Json, text } from './json.ts';

/** The codes that fulfil every filter. @throws TerminologyFault for one that cannot be computed */
export function filterConcepts(system: CodeSystem, filters: readonly Json[]): Set<string> {
  let codes = new Set(system.concepts.keys());
  for (const filter of filters) codes = codes.intersection(filtered(system, filter));
  return codes;
}

function filtered(system: CodeSystem, filter: Json): Set<string> {
  const property = text(filter['property']) ?? '';
  const op = text(filter['op']) ?? '';
  const value = text(filter['value']) ?? '';
  if (property === 'concept' || property === 'code') {
    const byPlace = placed(system, op, value);
    if (byPlace !== undefined) return byPlace;
  }
  const holds = propertyTest(op, value);
  if (holds === undefined) {
    throw new TerminologyFault('not-supported', `the filter ${property} ${op} ${value} cannot be computed here`);
  }
  const found = [...system.concepts].filter(([code, concept]) => holds(valuesOf(code, concept, property)));
  return new Set(found.map(([code]) => code));
}

/** By the place in the hierarchy; undefined for an operator that does not ask for it. */
function placed(system: CodeSystem, op: string, value: string): Set<string> | undefined {
  switch (op) {
    case 'is-a':
      return withDescendants(known(system, value), value);
    case 'descendent-of':
      return without(withDescendants(known(system, value), value), value);
    case 'is-not-a':
      return new Set(system.concepts.keys()).difference(withDescendants(known(system, value), value));
    case 'generalizes':
      return withAncestors(known(system, value), value);
    case 'child-of':
      return new Set(known(system, value).concepts.get(value)?.children);
    case 'descendent-leaf': {
      const below = without(withDescendants(known(system, value), value), value);
      return new Set([...below].filter((code) => system.concepts.get(code)?.children.length === 0));
    }
    default:
      return undefined;
  }
}

function known(system: CodeSystem, code: string): CodeSystem {
  if (system.concepts.has(code)) return system;
  throw new TerminologyFault('code-invalid', `${system.url} has no code ${code}, which a filter asks for`);
}

function without(codes: Set<string>, code: string): Set<string> {
  codes.delete(code);
  return codes;
}

/** Regular expressions of strangers are not run: some never end. */
function propertyTest(op: string, value: string): ((values: readonly string[]) => boolean) | undefined {
  const listed = new Set(value.split(',').map((item) => item.trim()));
  switch (op) {
    case '=':
      return (values) => values.includes(value);
    case 'in':
      return (values) => values.some((item) => listed.has(item));
    case 'not-in':
      return (values) => !values.some((item) => listed.has(item));
    case 'exists':
      return (values) => values.length > 0 === (value === 'true');
    default:
      return undefined;
  }
}

function valuesOf(code: string, concept: Concept, property: string): readonly string[] {
  switch (property) {
    case 'concept':
    case 'code':
      return [code];
    case 'parent':
      return concept.parents;
    case 'child':
      return concept.children;
    default:
      return concept.properties.get(property) ?? [];
  }
}
