// Whose records a caller of dispatch sees, and to which organisation a new one belongs (decision G12).
import type { Principal } from '#lib/auth/principal.ts';
import { dataScopeOf, ownerOrganisation } from '#lib/auth/whose-data.ts';
import type { Access } from '#lib/fhir-store/access.ts';
import { type FhirObject, idOfReference, objectsOf } from './json.ts';

/** One rule for all types: a patient sees their compartment, others what belongs to their organisations. */
export function accessOf(principal: Principal): Access {
  const scope = dataScopeOf(principal);
  return () => scope;
}

/** The elements in which a resource names the organisation it belongs to. */
const OWNER_ELEMENTS = ['managingOrganization', 'custodian', 'manager', 'controller'];

/** @throws ServiceError `forbidden` for a caller who works nowhere */
export function ownerOf(resource: FhirObject, principal: Principal): string {
  const named = OWNER_ELEMENTS.flatMap((element) => {
    const value = resource[element];
    return (Array.isArray(value) ? objectsOf(value) : [value]).map((item) => idOfReference(item, 'Organization'));
  }).find((id) => id !== undefined);
  return ownerOrganisation(principal, named);
}
