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

/** The context in which entries are parsed. */
export interface EntryContext extends RouteContext {
  readonly operations: Operations;
}

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A parsed entry: an interaction, or a call of an operation. */
export type EntryRequest = BundleRequest | OperationRequest;

export interface OperationRequest {
  /** From 0. */
  readonly index: number;
  readonly method: Method;
  readonly operation: EntryOperation;
  readonly query: URLSearchParams;
  readonly conditions: Conditions;
  /** The body of the call. */
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
  /** Limits a search to this compartment. */
  readonly compartment?: Compartment;
  readonly conditions: Conditions;
  readonly fullUrl: string | undefined;
  /** Whether the condition of the entry has found the id: the resource itself may have none. */
  readonly isIdResolved?: boolean;
  /** The resource to write, or the patch. */
  readonly source: ResourceText | undefined;
}

export function isOperation(request: EntryRequest): request is OperationRequest {
  return 'operation' in request;
}

/** Whether the entry writes nothing. */
export function isReading(request: EntryRequest): boolean {
  if (isOperation(request)) return !request.operation.changes;
  return request.method === 'GET' || request.method === 'HEAD';
}

export function isInteraction(request: EntryRequest): request is BundleRequest {
  return !isOperation(request);
}

/** An operation, or an interaction with the whole system, as an entry calls it. */
export interface EntryOperation {
  /** As in the address: `Patient/$everything`. */
  readonly name: string;
  readonly changes: boolean;
  /** Set for a search of all types, or of all types in a compartment. `interaction`: it reads the history of all. */
  readonly searched?: { readonly compartment: Compartment | undefined; readonly interaction?: string };
  /** The resource on which it is called. */
  readonly instance?: ResourceAddress;
  /** @throws ServiceError `forbidden` */
  readonly requireRight: (principal: Principal) => void;
  readonly run: (call: FhirCall, body: ResourceText | undefined) => Promise<FhirResponse>;
}

export function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message, { issues: [{ message, code: 'structure' }] });
}
