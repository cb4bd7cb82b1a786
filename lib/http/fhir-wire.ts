// What an application says in FHIR's terms. It is given to the application, which knows no FHIR of its own.
import type { ServiceError } from '../errors.ts';

export interface FhirWire {
  /** The body of an error on a FHIR address: an OperationOutcome (hl7.org/fhir/R5/operationoutcome.html). */
  errorBody(error: ServiceError): object;
  /**
   * By what logs name a resource whose id is no UUID, as an id that a client chose may be the number of a person: the
   * key under which it is stored. Undefined where `type` is no resource type or `id` no id.
   */
  keyOf(type: string, id: string): string | undefined;
}
