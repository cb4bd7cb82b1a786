// The types of each compartment, as addresses name them: `/Patient/{id}/Observation`
// (hl7.org/fhir/R5/compartmentdefinition.html).
import { notFound, validationError } from '#lib/errors.ts';
import type { RouteContext } from '../context.ts';
import { notCalledThus } from '../http/instance-address.ts';
import type { FhirTypeOptions } from '../options.ts';

/** The types that have a compartment. */
export const COMPARTMENTS: ReadonlySet<string> = new Set([
  'Patient',
  'Encounter',
  'Practitioner',
  'Device',
  'RelatedPerson',
]);

/** The type that is searched within a compartment. @throws ServiceError `not_found` for a type outside of it */
export function requireInCompartment(compartment: string, name: string, { options }: RouteContext): FhirTypeOptions {
  const type = options.types.find((each) => each.type === name);
  const isIn = options.store.parameters.compartmentParameters(compartment, name).some((code) => code !== '{def}');
  if (type?.interactions.includes('search-type') === true && isIn) return type;
  if (!/^[A-Z]/.test(name)) throw notCalledThus(`/${compartment}/…/${name}`, name);
  throw notFound(`${name} in the compartment of a ${compartment}`);
}

/** In place of a type: all types of the compartment (hl7.org/fhir/R5/http.html#vsearch). */
export const ALL_TYPES = '*';

/** Whether resources of the type can be in such a compartment. The compartment's own type can. */
export function liesIn(compartment: string, type: string, { options }: RouteContext): boolean {
  return options.store.parameters.compartmentParameters(compartment, type).length > 0;
}

/**
 * The types that belong to a patient's record. AuditEvent is left out, since it grows with each access; it is included
 * only when `_type` (`asked`) names it.
 */
export function typesOfRecord(types: readonly string[], asked: readonly string[]): string[] {
  return types.filter((type) => asked.length > 0 || type !== 'AuditEvent');
}

/** @throws ServiceError `validation_error` naming each requested type that is in no such compartment */
export function requireAllIn(compartment: string, asked: readonly string[], context: RouteContext): void {
  const outside = asked.filter((type) => !liesIn(compartment, type, context));
  if (outside.length === 0) return;
  throw validationError(
    outside.map((type) => ({
      message: `_type names a type that lies in no compartment of a ${compartment}: ${type}`,
      field: '_type',
      code: 'value',
    })),
  );
}
