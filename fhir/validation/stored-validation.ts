// What a store asks of a resource beyond R5's own rules: the profiles that users define (decision E3), an active
// SearchParameter that can be used (decision E2), a StructureDefinition that can be evaluated (docs/adr/0043); and what
// a StructureDefinition would come to.
import type { Issue } from '#lib/errors.ts';
import { expressionIssues } from '../fhirpath/pattern-calls.ts';
import type { CustomProfiles } from '../profiles/custom.ts';
import { readStructure } from '../profiles/snapshot/structure.ts';
import { readCustomParameter } from '../search/parameters/custom-parameter.ts';
import type { SearchParameters } from '../search/parameters/definitions.ts';
import { EXPRESSION_MS, type ExpressionTime, type ValueSetLookup } from './context.ts';
import { MAX_ISSUES } from './issue-list.ts';
import { objectsIn } from './rules/test-parts.ts';
import { hasErrors, validateResource } from './validate.ts';

type Json = Readonly<Record<string, unknown>>;

export type Validate = (resource: Json, follows?: readonly string[], expressions?: ExpressionTime) => readonly Issue[];

type StoredProfiles = Pick<CustomProfiles, 'find' | 'problemOf' | 'problemsOf'>;

/** The errors of a resource, warnings too. */
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
 * A definition that cannot be used may be stored all the same: what it needs may come later. What takes any time never
 * becomes better.
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

/** The constraints whose expressions cannot be evaluated in linear time, each by its place. */
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
