// The includes that a capability statement claims
// (hl7.org/fhir/R5/capabilitystatement-definitions.html#CapabilityStatement.rest.resource.searchInclude).
import type { SearchParameter, SearchParameters } from '../parameters/definitions.ts';

/** What `_include` takes in a search of the type: `Patient:organization`. */
export function includesOf(type: string, parameters: SearchParameters): string[] {
  return referencesOf(type, parameters).map(({ code }) => `${type}:${code}`);
}

/**
 * What `_revinclude` takes in a search of the type, from these types. References that may lead anywhere are left out:
 * they would stand with every type.
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
