// R5 resources as TypeScript types. They come from `@types/fhir` and are imported as `import type { Patient } from
// 'fhir/r5.js'`. The bare `fhir/r5` does not resolve under Node's rules; the package has types only, so nothing is
// loaded at run time. Input from a client has such a type only after validateResource.
import type { FhirResource } from 'fhir/r5.js';

export type ResourceType = FhirResource['resourceType'];

/** The type of a resource by its name: `ResourceOf<'Patient'>`. */
export type ResourceOf<T extends ResourceType> = Extract<FhirResource, { resourceType: T }>;

/** Narrows a validated resource to the type that its `resourceType` names. */
export function isResourceOf<T extends ResourceType>(resource: unknown, type: T): resource is ResourceOf<T> {
  return (
    typeof resource === 'object' && resource !== null && 'resourceType' in resource && resource.resourceType === type
  );
}
