// The types of parsed bundle entries: interactions and operations (hl7.org/fhir/R5/bundle.html#request).

import type { ResourceText } from '#fhir/resources/resource-text.ts';
import type { Compartment } from '#fhir/search/parse/query.ts';
import type { ResourceAddress } from '#fhir/store/read/lookup.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { ServiceError } from '#lib/errors.ts';
import type { RouteContext } from '../context.ts';
import type { Conditions, FhirCall, FhirResponse } from '../interactions/call.ts';
import type { FhirTypeOptions, Interaction } from '../options.ts';
import type { Operations } from '../routes/operations.ts';

/** What entries are read with. */
export interface EntryContext extends RouteContext {
  readonly operations: Operations;
}

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What an entry asks for: an interaction, or a call of an operation. */
export type EntryRequest = BundleRequest | OperationRequest;

export interface OperationRequest {
  /** From 0. */
  readonly index: number;
  readonly method: Method;
  readonly operation: EntryOperation;
  readonly query: URLSearchParams;
  readonly conditions: Conditions;
  /** What it is called with. */
  readonly source: ResourceText | undefined;
}

export interface BundleRequest {
  /** From 0. */
  readonly index: number;
  readonly method: Method;
  readonly interaction: Interaction;
  readonly type: FhirTypeOptions;
  /** Undefined for a create, a search, a type's history and conditional interactions. */
  readonly id: string | undefined;
  readonly version: string | undefined;
  readonly query: URLSearchParams;
  /** Only what lies in it is searched. */
  readonly compartment?: Compartment;
  readonly conditions: Conditions;
  readonly fullUrl: string | undefined;
  /** The id was found by the condition of the entry: the resource itself may have none. */
  readonly isIdResolved?: boolean;
  /** What is written, or the patch. */
  readonly source: ResourceText | undefined;
}

export function isOperation(request: EntryRequest): request is OperationRequest {
  return 'operation' in request;
}

/** Whether it writes nothing. */
export function isReading(request: EntryRequest): boolean {
  if (isOperation(request)) return !request.operation.changes;
  return request.method === 'GET' || request.method === 'HEAD';
}

export function isInteraction(request: EntryRequest): request is BundleRequest {
  return !isOperation(request);
}

/** What an entry calls that is no interaction with one type: an operation, or what reaches over the whole system. */
export interface EntryOperation {
  /** As the address has it: `Patient/$everything`. */
  readonly name: string;
  readonly changes: boolean;
  /** It searches all types, or all of a compartment; `interaction`: it shows the history of all. */
  readonly searched?: { readonly compartment: Compartment | undefined; readonly interaction?: string };
  /** The resource that it is called on. */
  readonly instance?: ResourceAddress;
  /** @throws ServiceError `forbidden` */
  readonly requireRight: (principal: Principal) => void;
  readonly run: (call: FhirCall, body: ResourceText | undefined) => Promise<FhirResponse>;
}

export function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message, { issues: [{ message, code: 'structure' }] });
}
