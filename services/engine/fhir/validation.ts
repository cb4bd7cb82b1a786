// What the engine asks of a resource beyond R5's own rules: an active SearchParameter must be one that can be used (decision E2).
import type { Fault } from '#lib/errors.ts';
import { readCustomParameter } from '#lib/fhir/search/custom-parameter.ts';
import type { SearchParameters } from '#lib/fhir/search/definitions.ts';
import { validateResource } from '#lib/fhir/validate.ts';

export type Validate = (resource: Readonly<Record<string, unknown>>) => readonly Fault[];

/** Every fault of a resource, warnings too. */
export function createValidate(official: SearchParameters): Validate {
  return (resource) => [...validateResource(resource), ...readCustomParameter(resource, official).faults];
}
