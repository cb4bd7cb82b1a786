// Lists the includes that a CapabilityStatement claims
// (hl7.org/fhir/R5/capabilitystatement-definitions.html#CapabilityStatement.rest.resource.searchInclude).
import type { SearchParameter, SearchParameters } from '../parameters/definitions.ts';

/** The values of `_include` in a search of the type: `Patient:organization`. */
export function includesOf(type: string, parameters: SearchParameters): string[] {
  return referencesOf(type, parameters).map(({ code }) => `${type}:${code}`);
}

/**
 * The values of `_revinclude` in a search of the type, from these types. References to any type are left out: every
 * type would list them.
 */
export function revIncludesOf(type: string, sources: Iterable<string>, parameters: SearchParameters): string[] {
  return [...sources].flatMap((source) =>
    referencesOf(source, parameters)
      .filter(({ targets }) => targets.includes(type))
      .map(({ code }) => `${source}:${code}`),
  );
}

function referencesOf(type: string, parameters: SearchParameters): SearchParameter[] {
  return [...parameters.forType(type).values()].filter((each) => each.type === 'reference' && each.branches.length > 0);
}
