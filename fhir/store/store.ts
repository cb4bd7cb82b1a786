// The FHIR store as services use it: every operation takes the database or a transaction of the caller. So a service's
// own writes, the audit event and the resource commit together (docs/adr/0004).

import type { ResourceText } from '#fhir/resources/resource-text.ts';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import { type ParseOptions, parseSearch } from '#fhir/search/parse/parse.ts';
import { parseSystemSearch } from '#fhir/search/parse/parse-system.ts';
import type { SearchQuery } from '#fhir/search/parse/query.ts';
import { r5Terminology, type Terminology } from '#fhir/terminology/terminology.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Queryable, Transaction } from '#lib/db/database.ts';
import type { Issue } from '#lib/errors.ts';
import {
  type BulkInput,
  type BulkItem,
  type BulkMayChange,
  type BulkOutcome,
  bulkWrite,
  prepareItem,
} from '../bulk/bulk-write.ts';
import type { Access } from './access.ts';
import { type HistoryQuery, type HistoryResult, readHistory } from './history/history.ts';
import { readSystemHistory, type SystemHistoryQuery } from './history/system-history.ts';
import { type EverythingQuery, type EverythingResult, readEverything } from './read/everything.ts';
import { findCurrent, type ResourceAddress, readCurrent, readVersion, type VersionAddress } from './read/lookup.ts';
import type { StoredVersion } from './read/stored-version.ts';
import { type ExplainedSearch, explainSearch } from './search/explain.ts';
import { resolveQuery } from './search/resolve.ts';
import { type SearchResult, searchResources } from './search/search.ts';
import type { SearchOptions } from './search/search-sql.ts';
import { searchSystem } from './search/system-search.ts';
import { readOnce, type StoreThreads } from './threads.ts';
import { findOne, lockConditions, lockResources } from './write/conditional.ts';
import { type DeleteOutcome, deleteMany } from './write/delete-many.ts';
import { type ManyOutcome, type UpdateManyOptions, updateMany } from './write/update-many.ts';
import {
  type CreateInput,
  createCheck,
  createMany,
  createResource,
  type DeleteInput,
  deleteResource,
  type UpdateInput,
  updateResource,
  type WriteDependencies,
  type WriteOutcome,
} from './write/write.ts';

export interface FhirStore {
  readonly parameters: SearchParameters;
  /** Where resources of these types are read, for statements of others: see ./computed-rows.ts. */
  from(db: Queryable, types: Iterable<string>): Queryable;
  /**
   * What every write does first, for callers who want to know before they open a transaction.
   * @throws ServiceError `unprocessable`
   */
  check(source: ResourceText): Promise<void> | undefined;
  /** @throws ServiceError `unprocessable`, `conflict` */
  create(db: Queryable, input: CreateInput): Promise<StoredVersion>;
  /**
   * Stores those whose id is not taken, in few statements, and answers them; `whenRead` is called when the inputs may
   * be released.
   * @throws ServiceError `unprocessable`
   */
  createMany(db: Queryable, inputs: readonly CreateInput[], whenRead?: () => void): Promise<StoredVersion[]>;
  /**
   * What {@link FhirStore.writeBulk} takes: the resource checked and read for the index. A long one (without `index`)
   * is to be written by {@link FhirStore.update}, for which it has been read. @throws ServiceError `unprocessable`
   */
  prepareBulk(input: BulkInput): Promise<BulkItem>;
  /**
   * Creates or updates many resources by COPY, no two of the same address; those that define search parameters are
   * written one by one instead. Fails by a unique violation when another makes one of them at the same time.
   */
  writeBulk(tx: Transaction, items: readonly BulkItem[], mayChange: BulkMayChange): Promise<BulkOutcome>;
  /**
   * The one resource that fulfils the condition of a conditional write; others with the same condition wait until the
   * transaction ends. @throws ServiceError `precondition_failed` when several do
   */
  resolve(tx: Transaction, condition: SearchQuery, options: SearchOptions): Promise<StoredVersion | undefined>;
  /**
   * The same without making anybody wait: what fulfils the condition now.
   * @throws ServiceError `precondition_failed`
   */
  findOne(db: Queryable, condition: SearchQuery, options: SearchOptions): Promise<StoredVersion | undefined>;
  /**
   * Locks conditions to resolve, and resources to change, until the transaction ends. A transaction that needs several
   * calls it first, so that no two transactions deadlock.
   */
  reserve(
    tx: Transaction,
    wanted: { readonly conditions: readonly SearchQuery[]; readonly resources: readonly ResourceAddress[] },
  ): Promise<void>;
  /** @throws ServiceError `unprocessable`, `invalid_request`, `not_found`, `precondition_failed` */
  update(tx: Transaction, input: UpdateInput): Promise<WriteOutcome>;
  /** Updates many in few statements, each checked by itself: see {@link updateMany}. */
  updateMany(tx: Transaction, inputs: readonly UpdateInput[], options: UpdateManyOptions): Promise<ManyOutcome[]>;
  /** Deletes many in few statements, each checked by itself: see {@link deleteMany}. */
  deleteMany(tx: Transaction, inputs: readonly DeleteInput[]): Promise<DeleteOutcome[]>;
  /** Undefined when there was nothing to delete. @throws ServiceError `not_found`, `precondition_failed` */
  delete(tx: Transaction, input: DeleteInput): Promise<StoredVersion | undefined>;
  /** @throws ServiceError `not_found`, `deleted` */
  read(db: Queryable, address: ResourceAddress, access: Access): Promise<StoredVersion>;
  /**
   * The current version, a deletion's mark too, locked until the transaction ends; undefined when there is none to see.
   */
  lock(tx: Transaction, address: ResourceAddress, access: Access): Promise<StoredVersion | undefined>;
  /** @throws ServiceError `not_found`, `deleted` */
  vread(db: Queryable, address: VersionAddress, access: Access): Promise<StoredVersion>;
  /** @throws ServiceError `not_found`, `invalid_request` */
  history(db: Queryable, query: HistoryQuery, access: Access): Promise<HistoryResult>;
  /** The versions of all resources of several types. @throws ServiceError `invalid_request` */
  systemHistory(db: Queryable, query: SystemHistoryQuery, access: Access): Promise<HistoryResult>;
  /** The resources in a patient's compartment, and those they refer to. @throws ServiceError `invalid_request` */
  everything(db: Queryable, query: EverythingQuery, access: Access): Promise<EverythingResult>;
  /** @throws ServiceError `validation_error` naming each parameter that cannot be read */
  parse(
    resourceType: string,
    given: Iterable<readonly [string, string]>,
    options?: Omit<ParseOptions, 'parameters'>,
  ): SearchQuery;
  /**
   * The search with value sets, hierarchies and lists looked up: code that writes its conditions as SQL needs it so.
   * @throws ServiceError `validation_error` for a value set, code or list that is not there
   */
  lookUp(db: Queryable, query: SearchQuery, options: Pick<SearchOptions, 'access'>): Promise<SearchQuery>;
  /** @throws ServiceError `invalid_request`, `validation_error` for a value set, code or list that is not there */
  search(db: Queryable, query: SearchQuery, options: SearchOptions): Promise<SearchResult>;
  /** The same search of several types. @throws ServiceError `validation_error` */
  parseSystem(
    types: readonly string[],
    given: Iterable<readonly [string, string]>,
    options?: Omit<ParseOptions, 'parameters'>,
  ): SearchQuery[];
  /** @throws ServiceError as `search` */
  searchSystem(db: Queryable, queries: readonly SearchQuery[], options: SearchOptions): Promise<SearchResult>;
  /**
   * The search, and its statements with their plans.
   * @throws ServiceError as `search`; `unprocessable` when it takes too long
   */
  explain(database: Database, query: SearchQuery, options: SearchOptions): Promise<ExplainedSearch>;
  /** The same for a search of several types. @throws ServiceError as `explain` */
  explainSystem(database: Database, queries: readonly SearchQuery[], options: SearchOptions): Promise<ExplainedSearch>;
}

export interface FhirStoreOptions {
  readonly parameters: SearchParameters;
  readonly clock: Clock;
  /** Names every error of a resource; one of severity `error` (or none given) refuses the write. */
  readonly validate: (resource: Readonly<Record<string, unknown>>) => readonly Issue[];
  /** Issues for which a valid resource is refused. */
  readonly refuse?: ((source: ResourceText) => readonly Issue[]) | undefined;
  /** For resources that would hold up the event loop; all are checked and read at once when left out. */
  readonly workerThreads?: StoreThreads | undefined;
  /** Of R5 and what is stored when left out. */
  readonly terminology?: Terminology;
}

let stores = 0;

/**
 * Creates the store. It has no state but counts by which it plans searches: any number of stores may use the same
 * tables.
 */
export function createFhirStore({
  parameters,
  clock,
  validate,
  refuse,
  workerThreads: threads,
  terminology = r5Terminology,
}: FhirStoreOptions): FhirStore {
  const workerThreads = threads && readOnce(threads);
  const lookUp = (db: Queryable, query: SearchQuery, { access }: Pick<SearchOptions, 'access'>) =>
    resolveQuery(query, { db, access, terminology, baseUrl: parameters.baseUrl, now: clock.now(), workerThreads });
  stores += 1;
  const name = String(stores);
  const ofStore = (options: SearchOptions): SearchOptions => ({ ...options, store: name });
  const lookUpAll = async (db: Queryable, queries: readonly SearchQuery[], options: SearchOptions) => {
    const found: SearchQuery[] = [];
    for (const query of queries) found.push(await lookUp(db, query, options));
    return found;
  };
  const reading = { parameters, workerThreads };
  const deps: WriteDependencies = {
    parameters,
    clock,
    check: createCheck(validate, { workerThreads, refuse }),
    workerThreads,
  };
  return {
    parameters,
    from: (db) => db,
    check: deps.check,
    create: (db, input) => createResource(db, input, deps),
    createMany: (db, inputs, whenRead) => createMany(db, inputs, deps, whenRead),
    prepareBulk: (input) => prepareItem(input, deps),
    writeBulk: (tx, items, mayChange) => bulkWrite(tx, items, { clock, mayChange }),
    resolve: async (tx, condition, options) => {
      // A statement of its own: the search after it must see what the holder of the lock has committed.
      await lockConditions(tx, [condition]);
      return findOne(tx, await lookUp(tx, condition, options), ofStore(options));
    },
    findOne: async (db, condition, options) => findOne(db, await lookUp(db, condition, options), ofStore(options)),
    reserve: async (tx, { conditions, resources }) => {
      await lockConditions(tx, conditions);
      await lockResources(tx, resources);
    },
    update: (tx, input) => updateResource(tx, input, deps),
    updateMany: (tx, inputs, options) => updateMany(tx, inputs, options, deps),
    deleteMany: (tx, inputs) => deleteMany(tx, inputs, deps),
    delete: (tx, input) => deleteResource(tx, input, deps),
    read: readCurrent,
    lock: (tx, address, access) => findCurrent(tx, address, access, 'update'),
    vread: (db, address, access) => readVersion(db, address, access, reading),
    history: (db, query, access) => readHistory(db, query, access, reading),
    systemHistory: (db, query, access) => readSystemHistory(db, query, access, reading),
    everything: readEverything,
    parse: (resourceType, given, options = {}) => parseSearch(resourceType, given, { ...options, parameters }),
    lookUp,
    search: async (db, query, options) => searchResources(db, await lookUp(db, query, options), ofStore(options)),
    parseSystem: (types, given, options = {}) => parseSystemSearch(types, [...given], { ...options, parameters }),
    searchSystem: async (db, queries, options) => searchSystem(db, await lookUpAll(db, queries, options), options),
    explain: async (database, query, options) => {
      const found = await lookUp(database, query, options);
      return explainSearch(database, (db) => searchResources(db, found, ofStore(options)));
    },
    explainSystem: async (database, queries, options) => {
      const found = await lookUpAll(database, queries, options);
      return explainSearch(database, (db) => searchSystem(db, found, options));
    },
  };
}
