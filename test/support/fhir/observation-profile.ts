// Builds profiles of Observation.

/** A StructureDefinition of a profile; `element` is its differential. */
export function observationProfile(names: { id?: string; url: string; name: string }, element: readonly object[]) {
  return {
    resourceType: 'StructureDefinition',
    ...names,
    status: 'active',
    kind: 'resource',
    abstract: false,
    type: 'Observation',
    baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Observation',
    derivation: 'constraint',
    differential: { element },
  };
}
