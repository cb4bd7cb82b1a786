// The request (FhirCall) and response (FhirResponse) of a FHIR interaction, apart from HTTP. Routes and the entries of
// bundles both create a FhirCall, so that both get the same response (hl7.org/fhir/R5/http.html#transaction).

import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import type { CreateInput, UpdateInput, WriteOutcome } from '#fhir/store/write/write.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { Database, Queryable, Transaction } from '#lib/db/database.ts';
import type { Reader } from '#lib/replicas/read-replicas.ts';
import type { ResponseText } from '../response-text.ts';

/** What a client would rather have back (RFC 7240; hl7.org/fhir/R5/http.html#ops). */
export interface Preferences {
  readonly result: 'minimal' | 'representation' | 'OperationOutcome';
  readonly isStrict: boolean;
  /** Those of the client's own that are known, with their values. */
  readonly asked: readonly (readonly [name: 'return' | 'handling', value: string])[];
}

/** Under which conditions an interaction is to take place; texts as in the headers of the same names. */
export interface Conditions {
  readonly ifMatch?: string;
  readonly ifNoneMatch?: string;
  readonly ifModifiedSince?: string;
  readonly ifNoneExist?: string;
}

/** Single creates and updates of several calls in common transactions (./write/write-groups.ts). */
export interface WriteGroups {
  /** Resolves when the resource and its audit event are on disk. @throws ServiceError as the store's `create` does */
  create(call: FhirCall, input: CreateInput): Promise<WriteOutcome>;
  /** The same of an update. @throws ServiceError as the store's `update` does */
  update(call: FhirCall, input: UpdateInput): Promise<WriteOutcome>;
}

/** Where a call's statements run: each write in a transaction of its own, or all in the one of a transaction bundle. */
export interface ExecutionContext {
  readonly db: Queryable;
  /** The transaction that the call is part of. */
  readonly within: Transaction | undefined;
  /**
   * Where single writes go together with others'; undefined where each has a transaction of its own, or all share one.
   */
  readonly groups: WriteGroups | undefined;
  /** Who reads, where that may be from a standby; undefined where everything is read from `db`. */
  readonly reader?: Reader | undefined;
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

export interface FhirCall {
  readonly principal: Principal;
  /** Where the request came from, for the audit record. */
  readonly origin: { readonly address: string; readonly requestId: string };
  readonly query: URLSearchParams;
  readonly preferences: Preferences;
  readonly conditions: Conditions;
  readonly execution: ExecutionContext;
  /** The languages that the client wants, as in `Accept-Language`. */
  readonly acceptLanguage?: string | undefined;
}

export interface FhirResponse {
  readonly status: 200 | 201 | 204 | 304;
  /** Gives `ETag` and `Last-Modified`. */
  readonly version?: StoredVersion;
  /** Where the version written is to be found. */
  readonly location?: string;
  /** A create that made nothing, as the resource was there: the response says where it is all the same. */
  readonly isFound?: boolean;
  /** A write whose references the service has checked: nobody asks whether they are here. */
  readonly hasCheckedReferences?: true;
  /** The body; none when left out. */
  readonly text?: ResponseText;
  /** Sent in place of the text: the content of a Binary. */
  readonly native?: { readonly contentType: string; readonly bytes: Buffer; readonly context?: string };
}

/** Each call's writes in a transaction of their own, or together with those of other calls in one of the groups. */
export function ownTransactions(
  database: Database,
  { groups, reader }: Pick<ExecutionContext, 'groups' | 'reader'>,
): ExecutionContext {
  return { db: database, within: undefined, groups, reader, transaction: (work) => database.transaction(work) };
}

/** Everything in a transaction that is open already. */
export function oneTransaction(tx: Transaction): ExecutionContext {
  return { db: tx, within: tx, groups: undefined, transaction: (work) => work(tx) };
}
