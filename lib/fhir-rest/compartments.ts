// Which types lie in which compartments, as addresses name them: `/Patient/{id}/Observation` (hl7.org/fhir/R5/compartmentdefinition.html).
import { notFound } from '#lib/errors.ts';
import type { RouteContext } from './context.ts';
import { unknownOperation } from './instance-address.ts';
import type { FhirTypeOptions } from './options.ts';

/** The types that have a compartment. */
export const COMPARTMENTS: ReadonlySet<string> = new Set([
  'Patient',
  'Encounter',
  'Practitioner',
  'Device',
  'RelatedPerson',
]);

/** The type to be searched within a compartment. @throws ServiceError `not_found` for what does not lie in such */
export function requireInCompartment(compartment: string, name: string, { options }: RouteContext): FhirTypeOptions {
  const type = options.types.find((each) => each.type === name);
  const isIn = options.store.parameters.compartmentParameters(compartment, name).some((code) => code !== '{def}');
  if (type?.interactions.includes('search-type') === true && isIn) return type;
  if (!/^[A-Z]/.test(name)) throw unknownOperation(`/${compartment}/…/${name}`);
  throw notFound(`${name} in the compartment of a ${compartment}`);
}
