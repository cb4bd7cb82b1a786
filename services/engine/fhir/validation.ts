// What the engine asks of a resource beyond R5's own rules: the profiles that users define (decision E3), an active SearchParameter that can
// be used (decision E2); and what a StructureDefinition would come to.
import type { Fault } from '#lib/errors.ts';
import type { CustomProfiles } from '#lib/fhir/profiles/custom.ts';
import { readStructure } from '#lib/fhir/profiles/structure.ts';
import { readCustomParameter } from '#lib/fhir/search/custom-parameter.ts';
import type { SearchParameters } from '#lib/fhir/search/definitions.ts';
import { hasErrors, validateResource } from '#lib/fhir/validate.ts';
import type { ValueSetLookup } from '#lib/fhir/validation/context.ts';

type Json = Readonly<Record<string, unknown>>;

export type Validate = (resource: Json, follows?: readonly string[]) => readonly Fault[];

/** Every fault of a resource, warnings too. */
export function createValidate(
  official: SearchParameters,
  { profiles, valueSets }: { readonly profiles: CustomProfiles; readonly valueSets: ValueSetLookup },
): Validate {
  return (resource, follows = []) => {
    const faults = validateResource(resource, { profiles, valueSets, follows });
    const problems = hasErrors(faults) ? [] : profileProblems(resource, profiles);
    return [...faults, ...problems, ...readCustomParameter(resource, official).faults];
  };
}

/** A definition that cannot be used may be stored all the same: what it needs may come later. */
function profileProblems(resource: Json, profiles: CustomProfiles): Fault[] {
  const structure = readStructure(resource);
  if (structure === undefined || !structure.isProfile) return [];
  return profiles.problemsOf(structure).map((problem) => ({
    message: `This profile cannot be used: ${problem}`,
    field: 'StructureDefinition',
    issue: 'not-supported',
    severity: 'warning',
  }));
}
