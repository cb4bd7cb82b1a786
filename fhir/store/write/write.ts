// Creates, updates and deletes resources (hl7.org/fhir/R5/http.html; decisions E1, E3): validates them, then writes
// them with all index rows in one statement. Row locks, the primary key and an advisory lock settle races.

import type { ResourceText } from '#fhir/resources/resource-text.ts';
import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import type { SearchValues } from '#fhir/search/extract/search-values.ts';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import type { Clock } from '#lib/clock.ts';
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { type Issue, messageOf, notFound, ServiceError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import { createSlices, mapInSlices } from '#lib/jobs/slices.ts';
import { type Access, type AccessFilter, seenBy } from '../access.ts';
import { patientRefusal, reporterOf, staffRefusal } from '../patient-reported.ts';
import { findCurrent, type ResourceAddress, requireNotErased } from '../read/lookup.ts';
import type { StoredVersion } from '../read/stored-version.ts';
import { type ChangeConditions, requireConditions } from '../read/version-match.ts';
import { batchSize, isLong, type StoreThreads } from '../threads.ts';
import { firstVersion, laterThan, nextVersion } from './new-version.ts';
import {
  deleteStatement,
  insertNewStatement,
  insertStatement,
  replaceStatement,
  type WriteStatement,
} from './write-sql.ts';

export interface WriteDependencies {
  readonly parameters: SearchParameters;
  readonly clock: Clock;
  /** Validates on the event loop and returns undefined, or in a thread. @throws ServiceError `unprocessable` */
  readonly check: Check;
  /** Threads for resources that would hold up the event loop; without them all work runs on it. */
  readonly workerThreads?: StoreThreads | undefined;
}

export type Check = (source: ResourceText) => Promise<void> | undefined;

export interface CreateInput {
  readonly source: ResourceText;
  /** Guid of the organisation to which the record belongs; null when it belongs to nobody. */
  readonly organisation: string | null;
  /** An id chosen by the caller (a guid); a new one is made when left out. */
  readonly id?: string;
  /** Whether the id was generated just now: nobody else can have it. */
  readonly isNewId?: boolean;
  /** Whether an update creates the resource. When left out, it is so if the text has the id. */
  readonly isPut?: boolean;
}

export interface UpdateInput extends ResourceAddress, ChangeConditions {
  readonly source: ResourceText;
  /** The owner of a new record; an existing record keeps its organisation. */
  readonly organisation: string | null;
  /** Gives the record to another organisation. */
  readonly moveTo?: string | null;
  readonly access: Access;
  /** Whether a missing resource may be created (default true). */
  readonly mayCreate?: boolean;
  /** Whether the text may have no id: it then gets that of the address. */
  readonly takesIdOfAddress?: boolean;
  /** Whether a patch produced the text: histories say so. */
  readonly isPatch?: boolean;
}

export interface DeleteInput extends ResourceAddress, ChangeConditions {
  readonly access: Access;
}

export interface WriteOutcome {
  readonly kind: 'created' | 'updated';
  readonly version: StoredVersion;
}

interface CheckOptions {
  readonly workerThreads?: StoreThreads | undefined;
  /** The issues for which a valid resource is refused all the same. */
  readonly refuse?: ((source: ResourceText) => readonly Issue[]) | undefined;
}

/**
 * Creates the check that every resource passes before it is written. A resource that has passed is not checked again.
 * Issues of severity `error`, or without one, refuse it.
 */
export function createCheck(
  validate: (resource: Readonly<Record<string, unknown>>) => readonly Issue[],
  { workerThreads, refuse = () => [] }: CheckOptions = {},
): Check {
  const passed = new WeakSet<ResourceText>();
  const requireNoErrors = (source: ResourceText, found: readonly Issue[]): void => {
    const issues = [...found, ...refuse(source)];
    const errors = issues.filter((issue) => issue.severity === undefined || issue.severity === 'error');
    if (errors.length > 0) {
      throw new ServiceError('unprocessable', messageOf(errors), { issues });
    }
    passed.add(source);
  };
  return (source) => {
    if (passed.has(source)) return undefined;
    const issues = workerThreads === undefined ? validate(source.resource) : workerThreads.checkNow(source);
    if (issues === undefined) return workerThreads?.check(source).then((found) => requireNoErrors(source, found));
    requireNoErrors(source, issues);
    return undefined;
  };
}

/**
 * Stores a new resource as version 1; the id in its text is not used.
 * @throws ServiceError `unprocessable`; `conflict` when `id` is taken
 */
export async function createResource(
  db: Queryable,
  input: CreateInput,
  deps: WriteDependencies,
): Promise<StoredVersion> {
  await deps.check(input.source);
  const id = input.id ?? newGuid();
  const address = { resourceType: input.source.resourceType, id };
  const read = await readInThread(input.source, id, deps);
  const created = await insertVersion(db, { input: { ...input, ...address }, read }, deps);
  if (created === undefined) throw new ServiceError('conflict', `${address.resourceType}/${id} exists already`);
  return created;
}

/** The most resources in one statement. */
const MANY = 500;

/**
 * Stores many new resources in few statements, and returns them in the order given. Those whose id is taken are left
 * out.
 * @param whenRead called when the inputs are not needed any more, while the database still works. Parsed resources that
 * survive garbage collections are the costliest part of a write, so the caller may release them.
 * @throws ServiceError `unprocessable` naming the first resource that has errors
 */
export async function createMany(
  db: Queryable,
  inputs: readonly CreateInput[],
  deps: WriteDependencies,
  whenRead: () => void = () => {},
): Promise<StoredVersion[]> {
  const slices = createSlices();
  for (const { source } of inputs) {
    await deps.check(source);
    await slices.rest();
  }
  const stored: StoredVersion[] = [];
  const areNew = inputs.every(({ id, isNewId }) => id === undefined || isNewId === true);
  const count = inputs.length;
  for (let start = 0; start < count; ) {
    const end = start + batchSize(inputs, start, MANY);
    const { write, versions } = await firstVersions(inputs.slice(start, end), areNew, deps);
    start = end;
    if (start >= count) whenRead();
    const { rows } = await db.query<{ rid: string; type: number }>(write.statement, write.values);
    if (areNew) {
      for (const version of versions) stored.push(version);
      continue;
    }
    const written = new Set(rows.map(({ rid, type }) => `${type} ${rid}`));
    for (const version of versions) {
      if (written.has(`${nameKey(version.resourceType)} ${resourceKey(version.id)}`)) stored.push(version);
    }
  }
  return stored;
}

/** Writes the statement for some inputs in a function of its own, so that what only it needs can be released. */
async function firstVersions(
  given: readonly CreateInput[],
  areNew: boolean,
  deps: WriteDependencies,
): Promise<{ readonly write: WriteStatement; readonly versions: readonly StoredVersion[] }> {
  const inputs = areNew ? given.map(withId) : uniqueById(given);
  const [only, ...others] = inputs;
  const read = only === undefined || others.length > 0 ? undefined : await readInThread(only.source, only.id, deps);
  const batch = await mapInSlices(inputs, (input) => firstVersion(addressed(input), deps, read));
  const entries = batch.map(({ entry }) => entry);
  return {
    write: areNew ? insertNewStatement(entries) : insertStatement(entries),
    versions: batch.map(({ version }) => version),
  };
}

/** The index values of a long resource; undefined for one that is read on the event loop. */
async function readInThread(
  source: ResourceText,
  id: string,
  { workerThreads }: WriteDependencies,
): Promise<SearchValues | undefined> {
  return workerThreads !== undefined && isLong(source) ? workerThreads.index(source, id) : undefined;
}

function addressed(input: CreateInput & { readonly id: string }) {
  return { ...input, resourceType: input.source.resourceType };
}

function withId(input: CreateInput): CreateInput & { readonly id: string } {
  return { ...input, id: input.id ?? newGuid() };
}

/** The first input of each id; inputs without an id get a new one. */
function uniqueById(inputs: readonly CreateInput[]): (CreateInput & { readonly id: string })[] {
  const byAddress = new Map<string, CreateInput & { readonly id: string }>();
  for (const input of inputs) {
    const each = withId(input);
    const address = `${each.source.resourceType}/${each.id}`;
    if (!byAddress.has(address)) byAddress.set(address, each);
  }
  return [...byAddress.values()];
}

/**
 * Replaces a resource, or creates it when it does not exist or was deleted: its versions then go on counting.
 * @throws ServiceError `unprocessable`; `invalid_request` when the id in the text is another; `not_found` when the
 * caller may not see it or `mayCreate` is false; `precondition_failed`
 */
export async function updateResource(
  tx: Transaction,
  input: UpdateInput,
  deps: WriteDependencies,
): Promise<WriteOutcome> {
  requireSameId(input);
  await deps.check(input.source);
  const read = await readInThread(input.source, input.id, deps);
  let current = await requireForChange(tx, input);
  if (current === undefined && input.mayCreate === false) throw notFound(`${input.resourceType}/${input.id}`);
  if (current === undefined) {
    requireConditions(input, undefined);
    const created = await insertVersion(tx, { input, read }, deps);
    if (created !== undefined) return { kind: 'created', version: created };
    current = await requireForChange(tx, input);
    if (current === undefined)
      throw new ServiceError('conflict', `${input.resourceType}/${input.id} was just made by another`);
  }
  requireNotErased(current);
  requireConditions(input, current);
  requireNoReport(input.access(input.resourceType), current);
  const version = await replaceVersion(tx, { input, read, current }, deps);
  return { kind: current.isDeleted ? 'created' : 'updated', version };
}

/**
 * Deletes a resource; returns undefined when there is nothing to delete: it never existed, is deleted already, or is
 * hidden from the caller. The caller gets the same response for each (docs/adr/0059).
 * @throws ServiceError `precondition_failed`; `forbidden` for what the caller sees and another owns
 */
export async function deleteResource(
  tx: Transaction,
  input: DeleteInput,
  deps: WriteDependencies,
): Promise<StoredVersion | undefined> {
  const current = await findForChange(tx, input);
  const refusal = current === HIDDEN ? await refusedChange(tx, input) : undefined;
  if (refusal !== undefined && refusal.code !== 'not_found') throw refusal;
  if (current === undefined || current === HIDDEN || current.isDeleted) {
    requireConditions(input, undefined);
    return undefined;
  }
  requireConditions(input, current);
  requireNoReport(input.access(input.resourceType), current);
  const lastUpdated = laterThan(current, deps.clock);
  const version = current.version + 1;
  const key = { type: nameKey(input.resourceType), rid: resourceKey(input.id) };
  const { statement, values } = deleteStatement([{ ...key, version, updatedAt: lastUpdated }]);
  await tx.query(statement, values);
  return { ...current, version, lastUpdated, isDeleted: true };
}

type Change = ResourceAddress & ChangeConditions & { readonly access: Access };

/** The resource exists, and the caller may not see it. */
const HIDDEN = 'hidden';

/** The locked current version. @throws ServiceError as {@link refusedChange} */
async function requireForChange(tx: Transaction, input: Change): Promise<StoredVersion | undefined> {
  const current = await findForChange(tx, input);
  if (current === HIDDEN) throw await refusedChange(tx, input);
  return current;
}

/**
 * The locked current version.
 * @throws ServiceError `precondition_failed` for a condition on a version of what is hidden
 */
async function findForChange(tx: Transaction, input: Change): Promise<StoredVersion | typeof HIDDEN | undefined> {
  const { resourceType, id, access } = input;
  const address = { resourceType, id };
  const visible = await findCurrent(tx, address, access, 'update');
  if (visible !== undefined || access(resourceType).kind === 'all') return visible;
  const hidden = await findCurrent(tx, address, () => ({ kind: 'all' }));
  if (hidden === undefined) return undefined;
  // Another request of the same caller or organisation may have created it just now.
  const made = await findCurrent(tx, address, access, 'update');
  if (made !== undefined) return made;
  // The resource is hidden, so a condition on its version fails as if there were none.
  requireConditions(input, undefined);
  return HIDDEN;
}

/**
 * The error for a change of a resource that the caller's access leaves out. It is `not_found`, `forbidden`, or
 * `conflict` for a patient's report that has been used.
 */
export async function refusedChange(
  tx: Queryable,
  { resourceType, id, access }: ResourceAddress & { readonly access: Access },
): Promise<ServiceError> {
  const filter = access(resourceType);
  if (filter.kind !== 'reported') return hiddenFailure({ resourceType, id }, access);
  const seen = await findCurrent(tx, { resourceType, id }, () => seenBy(filter));
  return seen === undefined ? notFound(`${resourceType}/${id}`) : patientRefusal(seen.content);
}

/** @throws ServiceError `forbidden` for a patient's or provider's report, when the caller may not change those */
export function requireNoReport(filter: AccessFilter, { content }: Pick<StoredVersion, 'content'>): void {
  const keepsReports = (filter.kind === 'all' || filter.kind === 'organisations') && filter.keepsReports === true;
  const reporter = keepsReports ? reporterOf(content) : undefined;
  if (reporter !== undefined) throw staffRefusal(reporter);
}

/** The error for a change of a resource that the caller's access leaves out, where no patient asks. */
export function hiddenFailure({ resourceType, id }: ResourceAddress, access: Access): ServiceError {
  if (!mayReadOthers({ resourceType, access })) return notFound(`${resourceType}/${id}`);
  const message = `${resourceType}/${id} is not your organisation's: only its owner and administrators may change it`;
  return new ServiceError('forbidden', message);
}

/** Whether the caller may read records of other owners. */
function mayReadOthers({ resourceType, access }: Pick<Change, 'resourceType' | 'access'>): boolean {
  const filter = access(resourceType);
  return filter.kind === 'organisations' && filter.mayReadOthers === true;
}

/** An input, with what a thread has read of it. */
interface WriteInput<Input> {
  readonly input: Input;
  readonly read: SearchValues | undefined;
}

async function insertVersion(
  db: Queryable,
  { input, read }: WriteInput<CreateInput & ResourceAddress>,
  deps: WriteDependencies,
): Promise<StoredVersion | undefined> {
  const { entry, version } = firstVersion(input, deps, read);
  const { statement, values } = insertStatement([entry]);
  const { rowCount } = await db.query(statement, values);
  return rowCount === 1 ? version : undefined;
}

async function replaceVersion(
  tx: Transaction,
  { input, read, current }: WriteInput<UpdateInput> & { readonly current: StoredVersion },
  deps: WriteDependencies,
): Promise<StoredVersion> {
  const draft = { ...input, organisation: ownerAfter(input, current) };
  const { entry, version } = nextVersion({ draft, read }, current, deps);
  const { statement, values } = replaceStatement([entry]);
  await tx.query(statement, values);
  return version;
}

/** The owner of the record after the update. */
export function ownerAfter({ moveTo }: UpdateInput, current: StoredVersion): string | null {
  return moveTo === undefined ? current.organisation : moveTo;
}

/** @throws ServiceError `invalid_request` */
export function requireSameId({ source, resourceType, id, takesIdOfAddress }: UpdateInput): void {
  const given = source.resource['id'];
  if (given === id || (given === undefined && takesIdOfAddress === true)) return;
  const message = `The resource's id must be the one in the address: ${resourceType}/${id}`;
  throw new ServiceError('invalid_request', message, {
    issues: [{ message, field: `${resourceType}.id`, code: 'value' }],
  });
}
