// FHIR as the applications of lib/http say it.
import type { FhirWire } from '../http/fhir-wire.ts';
import { isResourceType } from './definitions/definitions.ts';
import { outcomeOfError } from './operation-outcome.ts';
import { isFhirId } from './primitives.ts';
import { resourceKey } from './search/keys.ts';

export const fhirWire: FhirWire = {
  errorBody: outcomeOfError,
  keyOf: (type, id) => (isResourceType(type) && isFhirId(id) ? resourceKey(id) : undefined),
};
