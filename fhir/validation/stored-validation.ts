// Validation rules of a store beyond R5's own. Users' profiles hold (decision E3), and an active SearchParameter must
// be usable (decision E2). A StructureDefinition must have expressions that run in linear time (docs/adr/0043). It also
// reports the issues of a StructureDefinition's snapshot.
import type { Issue } from '#lib/errors.ts';
import { expressionIssues } from '../fhirpath/pattern-calls.ts';
import type { CustomProfiles } from '../profiles/custom.ts';
import { readStructure } from '../profiles/snapshot/structure.ts';
import { readCustomParameter } from '../search/parameters/custom-parameter.ts';
import type { SearchParameters } from '../search/parameters/definitions.ts';
import { EXPRESSION_MS, type ExpressionTime, type ValueSetLookup } from './context.ts';
import { MAX_ISSUES } from './issue-list.ts';
import { objectsIn } from './rules/predicates.ts';
import { hasErrors, validateResource } from './validate.ts';

type Json = Readonly<Record<string, unknown>>;

export type Validate = (resource: Json, follows?: readonly string[], expressions?: ExpressionTime) => readonly Issue[];

type StoredProfiles = Pick<CustomProfiles, 'find' | 'problemOf' | 'problemsOf'>;

/** The issues of a resource, warnings included. */
export function createValidate(
  official: SearchParameters,
  { profiles, valueSets }: { readonly profiles: StoredProfiles; readonly valueSets: ValueSetLookup },
): Validate {
  return (resource, follows = [], expressions = { leftMs: EXPRESSION_MS }) => {
    const issues = validateResource(resource, { profiles, valueSets, follows, expressions });
    const problems = hasErrors(issues) ? [] : definitionIssues(resource, profiles);
    return [...issues, ...problems, ...readCustomParameter(resource, official).issues];
  };
}

/**
 * The issues of a StructureDefinition. One that cannot be used may be stored, as its bases may come later. An
 * expression without a time bound is refused.
 */
function definitionIssues(resource: Json, profiles: StoredProfiles): Issue[] {
  const structure = readStructure(resource);
  if (structure === undefined || !structure.isProfile) return [];
  const costly = costlyExpressions(resource);
  if (costly.length > 0) return costly;
  return profiles
    .problemsOf(structure)
    .slice(0, MAX_ISSUES)
    .map((problem) => ({
      message: `This profile cannot be used: ${problem}`,
      field: 'StructureDefinition',
      code: 'not-supported',
      severity: 'warning',
    }));
}

/** The constraints whose expressions cannot be evaluated in linear time, each with its place. */
function costlyExpressions(resource: Json): Issue[] {
  const issues: Issue[] = [];
  for (const view of ['snapshot', 'differential']) {
    const elements = objectsIn({ element: [], ...objectIn(resource, view) }, 'element');
    for (const [at, element] of elements.entries()) {
      for (const [place, { key, expression }] of objectsIn(element, 'constraint').entries()) {
        if (typeof expression !== 'string') continue;
        const field = `StructureDefinition.${view}.element[${at}].constraint[${place}].expression`;
        for (const issue of expressionIssues(expression)) {
          issues.push({ message: `${field}: the constraint ${String(key)}: ${issue}`, field, code: 'not-supported' });
          if (issues.length === MAX_ISSUES) return issues;
        }
      }
    }
  }
  return issues;
}

function objectIn(resource: Json, name: string): Json {
  const value = resource[name];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
