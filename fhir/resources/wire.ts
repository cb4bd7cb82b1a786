// How lib/http writes errors and bodies of FHIR paths.
import type { FhirWire } from '#lib/http/fhir-wire.ts';
import { isResourceType } from '../definitions/definitions.ts';
import { isFhirId } from '../primitives/primitives.ts';
import { resourceKey } from '../search/extract/keys.ts';
import { outcomeOfError } from './operation-outcome.ts';

export const fhirWire: FhirWire = {
  errorBody: outcomeOfError,
  keyOf: (type, id) => (isResourceType(type) && isFhirId(id) ? resourceKey(id) : undefined),
};
