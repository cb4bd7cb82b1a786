// The FHIR parts of an HTTP application, passed to it because lib/http knows no FHIR.
import type { ServiceError } from '../errors.ts';

export interface FhirWire {
  /** The body of an error on a FHIR address: an OperationOutcome (hl7.org/fhir/R5/operationoutcome.html). */
  errorBody(error: ServiceError): object;
  /**
   * The name of a resource in logs when its id is no UUID: the key under which it is stored. An id that a client chose
   * may be a personal number. Undefined where `type` is no resource type or `id` no valid id.
   */
  keyOf(type: string, id: string): string | undefined;
}
