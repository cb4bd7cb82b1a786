// One batch of an import. Each line of NDJSON is validated by itself. The valid resources are written together, in one
// transaction with the progress of the import. Invalid lines are reported by number and left out.

import type { BulkItem, BulkMayChange } from '#fhir/bulk/bulk-write.ts';
import { isAddressableId } from '#fhir/primitives/primitives.ts';
import { type ResourceText, readResourceText } from '#fhir/resources/resource-text.ts';
import type { IdGuard } from '#fhir/rest/id-guard.ts';
import { requireWhole } from '#fhir/rest/subset.ts';
import type { WorkerThreads } from '#fhir/rest/threads/worker-threads.ts';
import { reporterOf } from '#fhir/store/patient-reported.ts';
import { isUnprotected } from '#fhir/store/protected-identity.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import { decide } from '#lib/auth/permissions.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { Transaction } from '#lib/db/database.ts';
import { correctableIssues, type Issue, ServiceError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import { createSlices } from '#lib/jobs/slices.ts';
import { decodeUtf8 } from '#lib/json/utf8.ts';
import { DEFINITION_TYPES, UNWRITTEN_TYPES } from '../shared/definition-types.ts';
import { accessOf, hasRight, ownerOf, policyOf } from '../shared/policies.ts';
import type { ImportLine } from './lines.ts';

export interface LineIssue {
  readonly line: number;
  /** `Patient/1`, if the line has a type and an id. */
  readonly resource: string;
  readonly issues: readonly Issue[];
}

/** How many resources were created, updated, unchanged and refused. */
export type ImportCounts = Readonly<Record<'created' | 'updated' | 'unchanged' | 'faults', number>>;

export const NO_COUNTS: ImportCounts = { created: 0, updated: 0, unchanged: 0, faults: 0 };

export interface ImportContext {
  readonly store: FhirStore;
  readonly principal: Principal;
  readonly guardIds?: IdGuard | undefined;
  /** All work is done on the event loop when left out. */
  readonly workerThreads?: WorkerThreads | undefined;
}

interface ValidLine {
  readonly line: number;
  readonly item: BulkItem;
}

export interface PreparedBatch {
  readonly valid: readonly ValidLine[];
  readonly refused: readonly LineIssue[];
}

/** Reads and validates the lines, in slices. Empty lines are skipped. */
export async function prepareBatch(lines: readonly ImportLine[], context: ImportContext): Promise<PreparedBatch> {
  const [valid, refused]: [ValidLine[], LineIssue[]] = [[], []];
  const slices = createSlices();
  for (const { line, bytes } of lines) {
    await slices.rest();
    let source: ResourceText | undefined;
    try {
      source = await readLine(bytes, context);
      if (source !== undefined) valid.push(await validateLine(line, source, context));
    } catch (error) {
      refused.push({ line, resource: nameOf(source), issues: correctableIssues(error) });
    }
  }
  return { valid, refused };
}

/**
 * Validates a line with the thread time and memory of a request. Returns undefined for a short empty line.
 * @throws ServiceError `invalid_request`
 */
async function readLine(bytes: Buffer, { workerThreads, principal }: ImportContext): Promise<ResourceText | undefined> {
  const budget = workerThreads?.patientBudget(principal.id);
  if (workerThreads !== undefined && budget !== undefined && workerThreads.isLongBody(bytes.length, false))
    return workerThreads.read(bytes, budget);
  const text = decodeUtf8(bytes);
  if (text.trim() === '') return undefined;
  const source = readResourceText(text);
  return workerThreads === undefined || budget === undefined ? source : workerThreads.share(source, budget);
}

/**
 * Returns the batch without the lines whose ids belong to somebody else.
 * @throws ServiceError `upstream_unavailable`
 */
export async function refuseTakenIds(
  batch: PreparedBatch,
  { principal, guardIds }: ImportContext,
): Promise<PreparedBatch> {
  const addresses = batch.valid.map(({ item: { source, id } }) => ({ resourceType: source.resourceType, id }));
  const taken = await guardIds?.findRefused(principal, addresses);
  if (taken === undefined || taken.size === 0) return batch;
  const isRefused = ({ item: { source, id } }: ValidLine) => taken.has(`${source.resourceType}/${id}`);
  const refused = batch.valid.filter(isRefused).map(({ line, item }) => ({
    line,
    resource: nameOf(item.source),
    issues: correctableIssues(notYours(item)),
  }));
  return { valid: batch.valid.filter((each) => !isRefused(each)), refused: [...batch.refused, ...refused] };
}

/** @throws ServiceError for a resource that cannot be imported */
async function validateLine(
  line: number,
  source: ResourceText,
  { store, principal }: ImportContext,
): Promise<ValidLine> {
  const { resourceType, resource } = source;
  requireType(resourceType, store);
  if (!mayWrite(principal, resourceType)) {
    throw new ServiceError('forbidden', `You may not create and update a ${resourceType}`);
  }
  requireWhole(source);
  const given = resource['id'];
  if (given !== undefined && (typeof given !== 'string' || !isAddressableId(given))) {
    throw new ServiceError(
      'unprocessable',
      'The id must be 1 to 64 letters, digits, hyphens and dots, and neither . nor ..',
    );
  }
  const id = given ?? newGuid();
  const item = await store.prepareBulk({ source, id, organisation: ownerOf(resource, principal) });
  return { line, item };
}

function requireType(resourceType: string, { parameters }: FhirStore): void {
  if (parameters.resourceTypes.has(resourceType) && !UNWRITTEN_TYPES.has(resourceType)) return;
  throw new ServiceError('unprocessable', `${resourceType} is no type of resource that can be imported`);
}

function mayWrite(principal: Principal, resourceType: string): boolean {
  // Patients report through the FHIR API, where what they write is completed (docs/adr/0072).
  if (principal.patientGuid !== undefined) return false;
  if (decide(policyOf(resourceType).write, principal) !== 'allowed') return false;
  return hasRight(principal, resourceType, 'c') && hasRight(principal, resourceType, 'u');
}

export interface WrittenBatch {
  readonly counts: ImportCounts;
  readonly refused: readonly LineIssue[];
  readonly patients: ReadonlySet<string>;
}

/**
 * Writes the valid resources. When several lines have the same type and id, later lines are later versions.
 * @throws DatabaseError for a unique violation: another transaction created one of the resources; the caller tries
 * again
 */
export async function writeBatch(
  tx: Transaction,
  { valid, refused: known }: PreparedBatch,
  context: ImportContext,
): Promise<WrittenBatch> {
  const counts = { ...NO_COUNTS };
  const refused = [...known];
  const refusedLines = new Set<number>();
  const refuse = ({ line, item }: ValidLine, error: unknown) => {
    refusedLines.add(line);
    refused.push({ line, resource: nameOf(item.source), issues: correctableIssues(error) });
  };
  const [single, many] = [valid.filter(({ item }) => isSingle(item)), valid.filter(({ item }) => !isSingle(item))];
  for (const each of single) {
    try {
      counts[await writeSingly(tx, each.item, context)] += 1;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status >= 500) throw error;
      refuse(each, error);
    }
  }
  for (const wave of wavesOf(many)) {
    const { hidden, erased } = await writeWave(tx, wave, { counts, context });
    for (const each of wave) {
      if (hidden.has(each.item)) refuse(each, notYours(each.item));
      else if (erased.has(each.item)) refuse(each, wasErased(each.item));
    }
  }
  counts.faults = refused.length;
  const patients = new Set(valid.flatMap((each) => (refusedLines.has(each.line) ? [] : each.item.patients)));
  return { counts, refused: refused.toSorted((a, b) => a.line - b.line), patients };
}

/** The owner of a definition's url is checked for each, unless an administrator writes. */
function isSingle({ source: { resourceType, resource }, organisation, index }: BulkItem): boolean {
  if (index === undefined || DEFINITION_TYPES.has(resourceType)) return true;
  return organisation !== null && policyOf(resourceType).isOpen && resource['url'] !== undefined;
}

/** Splits the lines into runs in which each type and id occurs once. */
function wavesOf(valid: readonly ValidLine[]): ValidLine[][] {
  const times = new Map<string, number>();
  const waves: ValidLine[][] = [];
  for (const each of valid) {
    const address = `${each.item.type} ${each.item.rid}`;
    const wave = times.get(address) ?? 0;
    times.set(address, wave + 1);
    waves[wave] ??= [];
    waves[wave].push(each);
  }
  return waves;
}

async function writeWave(
  tx: Transaction,
  wave: readonly ValidLine[],
  { counts, context }: { counts: Record<keyof ImportCounts, number>; context: ImportContext },
): Promise<{ readonly hidden: ReadonlySet<BulkItem>; readonly erased: ReadonlySet<BulkItem> }> {
  const access = accessOf(context.principal, 'change');
  const hidden: BulkItem[] = [];
  const erased: BulkItem[] = [];
  // The access to an existing resource depends on its type.
  const parts = Map.groupBy(wave, ({ item: { source } }) => {
    return JSON.stringify(access(source.resourceType));
  });
  for (const part of parts.values()) {
    const [first] = part;
    if (first === undefined) continue;
    const { resourceType } = first.item.source;
    const seen = access(resourceType);
    const filter = seen.kind === 'secured' ? seen.base : seen;
    const mayChange: BulkMayChange = ({ organisation, content }) => {
      if (filter.kind === 'unprotected') return isUnprotected(filter, JSON.parse(content), organisation);
      if (filter.kind !== 'all' && filter.kind !== 'organisations') return false;
      const isOwner = filter.kind === 'all' || (organisation !== null && filter.guids.includes(organisation));
      return isOwner && (filter.keepsReports !== true || reporterOf(content) === undefined);
    };
    const outcome = await context.store.writeBulk(
      tx,
      part.map(({ item }) => item),
      mayChange,
    );
    counts.created += outcome.created;
    counts.updated += outcome.updated;
    counts.unchanged += outcome.unchanged;
    hidden.push(...outcome.hidden);
    erased.push(...outcome.erased);
  }
  return { hidden: new Set(hidden), erased: new Set(erased) };
}

async function writeSingly(
  tx: Transaction,
  { source, id, organisation }: BulkItem,
  { store, principal }: ImportContext,
): Promise<'created' | 'updated'> {
  const address = { resourceType: source.resourceType, id };
  const access = accessOf(principal, 'change');
  const { kind } = await store.update(tx, { ...address, source, organisation, access, takesIdOfAddress: true });
  return kind;
}

function notYours({ source, id }: BulkItem): ServiceError {
  return new ServiceError('not_found', `${source.resourceType}/${id} cannot be changed by you: it belongs to others`);
}

function wasErased({ source, id }: BulkItem): ServiceError {
  return new ServiceError('deleted', `${source.resourceType}/${id} has been erased: it is not written again`);
}

function nameOf(source: ResourceText | undefined): string {
  if (source === undefined) return '';
  const { id } = source.resource;
  return typeof id === 'string' ? `${source.resourceType}/${id}` : source.resourceType;
}

export function addCounts(a: ImportCounts, b: ImportCounts): ImportCounts {
  return {
    created: a.created + b.created,
    updated: a.updated + b.updated,
    unchanged: a.unchanged + b.unchanged,
    faults: a.faults + b.faults,
  };
}
