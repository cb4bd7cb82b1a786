// The options of the FHIR REST plugin: types and interactions, permissions, access to records, operations, and steps
// that a service adds to a write.

import type { ResourceText } from '#fhir/resources/resource-text.ts';
import type { Access } from '#fhir/store/access.ts';
import type { ResourceAddress } from '#fhir/store/read/lookup.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import type { RowCondition } from '#fhir/store/search/search-sql.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import type { PublishedDefinitions } from '#fhir/terminology/published.ts';
import type { AccessLog } from '#lib/audit/access-log.ts';
import type { Permission } from '#lib/auth/permissions.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { AccessPurpose, ScopeAction } from '#lib/auth/scopes.ts';
import type { Database, Queryable, Transaction } from '#lib/db/database.ts';
import type { Issue } from '#lib/errors.ts';
import type { ReadReplicas } from '#lib/replicas/read-replicas.ts';
import type { IdGuard } from './id-guard.ts';
import type { FhirCall, FhirResponse } from './interactions/call.ts';
import type { WorkerThreads } from './threads/worker-threads.ts';

/** Interactions by their names in a CapabilityStatement (hl7.org/fhir/R5/valueset-type-restful-interaction.html). */
export const INTERACTIONS = [
  'read',
  'vread',
  'create',
  'update',
  'patch',
  'delete',
  'history-instance',
  'history-type',
  'search-type',
] as const;
export type Interaction = (typeof INTERACTIONS)[number];

/** What the interaction does to the records that it reaches. */
export function purposeOf(interaction: Interaction): AccessPurpose {
  if (interaction === 'update' || interaction === 'patch') return 'change';
  return interaction === 'delete' ? 'delete' : 'read';
}

type Json = Readonly<Record<string, unknown>>;

export type InteractionPermissions = Partial<Readonly<Record<Interaction, Permission>>>;

export interface FhirTypeOptions {
  readonly type: string;
  readonly interactions: readonly Interaction[];
  /** Permission for read, vread, history and search. */
  readonly read: Permission;
  /** Permission for create, update, patch and delete. */
  readonly write: Permission;
  /** Permission for one of these interactions, in place of the above: for callers who may have it and no other. */
  readonly permissions?: InteractionPermissions;
  /**
   * Whether update, patch and delete may name their resource by a condition (hl7.org/fhir/R5/http.html#cond-update).
   */
  readonly hasConditional?: boolean;
  readonly search?: FhirSearchOptions;
}

/** What a type's search takes beyond FHIR. */
export interface FhirSearchOptions {
  /** `page` and `per_page` (1–200), and `_offset`. */
  readonly hasPages?: boolean;
  /** Other names of its search parameters: `patient_guid` → `patient`. */
  readonly aliases?: ReadonlyMap<string, string>;
  /** Parameters that `condition` reads. */
  readonly ownNames?: ReadonlySet<string>;
  /**
   * A further condition on what is found, from all parameters given.
   * @throws ServiceError for a value it cannot read
   */
  readonly condition?: (given: URLSearchParams) => RowCondition | undefined;
}

/** What an operation is called with. */
export interface OperationInput {
  /** Of the instance, empty where there is none. */
  readonly id: string;
  readonly body: ResourceText | undefined;
  /** What {@link ServedOperation.runNow} threw for the same request. */
  readonly thrown?: unknown;
}

/** An operation at one address: of the system, of a type or of an instance. */
export interface ServedOperation {
  /** Without the `$`. */
  readonly name: string;
  /** Undefined: of the system. */
  readonly type: FhirTypeOptions | undefined;
  readonly isOfInstance: boolean;
  /** Whether its address is of the system, though `type` says what right it needs. */
  readonly isOfSystem?: boolean;
  readonly methods: readonly ('GET' | 'POST')[];
  readonly summary: string;
  readonly permission: Permission;
  /** What of the type the caller must have a right to; undefined when the operation checks that itself. */
  readonly interaction?: Interaction;
  /** Whether `permission` takes the place of that interaction's: a key's scopes are checked all the same. */
  readonly isOwnPermission?: boolean;
  /** Whether it writes. */
  readonly changes?: boolean;
  /** Whether a Parameters in the body holds what else is in the query. */
  readonly takesParameters?: boolean;
  /**
   * For an operation that responds alike to everybody who sends the same in the same language. It is a number that
   * changes whenever its responses may have changed. They are kept until then.
   */
  readonly state?: () => number;
  /**
   * The text of the response to a GET of the type, of such an operation, where it can be computed at once. Undefined
   * where only `run` can respond. `query` is the query string without `?`. Bytes are UTF-8, and valid until the next
   * call. What it throws is given to `run`.
   */
  readonly runNow?: (query: string, acceptLanguage: string | undefined) => string | Buffer | undefined;
  readonly run: (call: FhirCall, input: OperationInput) => Promise<FhirResponse>;
  /** The same with a large body, in a thread; it takes none when left out. */
  readonly runLong?: (
    call: FhirCall,
    input: { readonly id: string; readonly bytes: Uint8Array },
  ) => Promise<FhirResponse>;
}

/** A change about to be made. */
export interface PlannedWrite {
  readonly interaction: 'create' | 'update' | 'delete';
  readonly resourceType: string;
  /** Undefined for a create. */
  readonly id: string | undefined;
  /** Undefined for a delete. */
  readonly resource: Json | undefined;
}

export interface ReportToComplete {
  readonly source: ResourceText;
  readonly interaction: 'create' | 'update' | 'patch';
  /** The version that it replaces, where that is locked already. */
  readonly current?: StoredVersion | undefined;
  /** Whether another service may be asked: not while a transaction is open. */
  readonly mayAsk: boolean;
}

/** A resource that is to be stored, and the organisation that it belongs to; null for none. */
export interface Placed {
  readonly source: ResourceText;
  readonly organisation: string | null;
  /**
   * What is created in the same transaction, of the same owner, such as the Provenance of a provider's report. The
   * service has then checked the references of the resource, and nobody asks whether they are here.
   */
  readonly companion?: ((written: ResourceAddress) => ResourceText) | undefined;
  /** Called in the transaction, after the resource and its companion. */
  readonly written?: ((tx: Transaction, address: ResourceAddress) => Promise<void>) | undefined;
  /** What an update may replace, in place of what the caller may change otherwise. */
  readonly access?: Access | undefined;
}

export interface SnapshotMaker {
  /** The definition with its snapshot. */
  readonly fill: (definition: Json) => { readonly definition: Json; readonly problems: readonly string[] };
  /** An official definition by its canonical URL. */
  readonly official: (canonical: string) => Json | undefined;
}

export interface FhirRestOptions {
  /** Whether reads may come from standbys, and take the position of a write; they do not when left out. */
  readonly hasPositions?: boolean;
  readonly database: Database;
  /** Standbys of the database, for reads outside of transactions; none when left out. */
  readonly replicas?: ReadReplicas | undefined;
  readonly store: FhirStore;
  /** Records reads and changes. An unpacker with `entriesOfAccess` turns them into audit events. */
  readonly accessLog: AccessLog;
  /** The public address of the routes, without a slash at the end: `https://example.org/engine/api/v1`. */
  readonly baseUrl: string;
  readonly types: readonly FhirTypeOptions[];
  /** Whether the scopes of a caller who is an API key allow the action; true for all others. */
  readonly hasRight: (principal: Principal, resourceType: string, action: ScopeAction) => boolean;
  /** Whose records the caller sees, for each type. @throws ServiceError to refuse the interaction */
  readonly access: (principal: Principal, interaction: Interaction) => Access;
  /** The organisation that a new record belongs to; null for what belongs to nobody. @throws ServiceError to refuse */
  readonly ownerOrganisation: (resource: Json, principal: Principal) => string | null;
  /**
   * Completes what patients write about themselves (docs/adr/0072), and providers about requests (docs/adr/0078);
   * undefined for other callers. Without it they write as others do. @throws ServiceError to refuse
   */
  readonly completeReport?: (
    db: Queryable,
    principal: Principal,
    report: ReportToComplete,
  ) => Promise<Placed | undefined>;
  /**
   * Called in the transaction of deletions, of bundles too, by whatever way the resources were named. The versions have
   * the text of before.
   */
  readonly deleted?: (tx: Transaction, principal: Principal, versions: readonly StoredVersion[]) => Promise<void>;
  /** Asks what `completeReport` needs for the resources of a transaction, before that is open. @throws ServiceError */
  readonly prepareReports?: (principal: Principal, sources: readonly ResourceText[]) => Promise<void>;
  /** Asked before a resource may be made under an id of the caller's choice. */
  readonly guardIds?: IdGuard | undefined;
  /**
   * Whether a literal reference to a resource of this server must point to one that is there and that the caller sees
   * (default false).
   */
  readonly checksReferences?: boolean;
  /**
   * Takes batches, transactions and $validate from every caller with the permission; each entry of a bundle is checked
   * by itself. Not beside `planWrite`.
   */
  readonly system?: {
    readonly permission: Permission;
    /**
     * All errors of a resource, warnings too; `follows` are canonical URLs of profiles that it must follow besides
     * those it claims.
     */
    readonly validate: (resource: Json, follows?: readonly string[]) => readonly Issue[];
    /**
     * Fills in the snapshot of a StructureDefinition, and reports what prevents it; none: there is no $snapshot.
     */
    readonly snapshots?: SnapshotMaker;
  };
  /** Definitions that are there without having been stored: they are read by id and found by `url` and `_id`. */
  readonly published?: PublishedDefinitions;
  /** Threads for what would hold up the event loop; all is done at once when left out. */
  readonly workerThreads?: WorkerThreads | undefined;
  /** How long the reads of one bundle may take together, in milliseconds (default 30,000). */
  readonly bundleReadMs?: number;
  /** The service's own operations, beside those that all have; where there is a `system`. */
  readonly operations?: readonly ServedOperation[];
  /**
   * Prepares what else belongs to a write, before its transaction is opened: here a service may ask another one. The
   * steps it answers run in the transaction. @throws ServiceError to refuse
   */
  readonly planWrite?: (write: PlannedWrite, principal: Principal) => Promise<WriteSteps>;
}

/** What a service does in the transaction of a write; a transaction that is tried again runs them again. */
export interface WriteSteps {
  /** @throws ServiceError to refuse */
  readonly before?: (tx: Transaction) => Promise<void>;
  /** Feed entries, outgoing messages; not called when nothing was written. */
  readonly after?: (tx: Transaction, version: StoredVersion) => Promise<void>;
}
