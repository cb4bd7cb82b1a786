// Bulk write: many resources at once by COPY into the store's tables (docs/adr/0015). Each gets the same rows as a
// single write, in a fraction of the time. What is there already gets a new version, unless it is the same; the whole
// batch is one transaction of the caller.

import { type ResourceText, spliceMeta } from '#fhir/resources/resource-text.ts';
import { extractSearchValues } from '#fhir/search/extract/extract.ts';
import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import { copyLine } from '#lib/db/copy.ts';
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { createSlices, mapInSlices, sortInSlices } from '#lib/jobs/slices.ts';
import { isErased } from '../store/erasure/mark.ts';
import { extractionMark } from '../store/index/extraction-mark.ts';
import { INDEX_TABLES } from '../store/index/index-tables.ts';
import { TEXT_BATCH } from '../store/index/text-index.ts';
import { isLong } from '../store/threads.ts';
import { isPut } from '../store/write/new-version.ts';
import type { WriteDependencies } from '../store/write/write.ts';
import { queued } from '../store/write/write-sql.ts';
import { type IndexLines, indexLines } from './index-lines.ts';

export interface BulkInput {
  readonly source: ResourceText;
  readonly id: string;
  /** To whom the record belongs when it is new; one that is there stays with its organisation. */
  readonly organisation: string | null;
}

/** A resource that has passed its check, with what the index is to hold of it. */
export interface BulkItem extends BulkInput {
  readonly type: number;
  readonly rid: string;
  /** Undefined for a long resource, which is written by itself. */
  readonly index: IndexLines | undefined;
  /** In whose compartments it is. */
  readonly patients: readonly string[];
  /** By which definitions the index was read. */
  readonly extraction: number;
  /** See ../store/index/extraction-mark.ts. */
  readonly mark: number;
}

export interface BulkOutcome {
  readonly created: number;
  readonly updated: number;
  /** The same was there already, but for its `meta.versionId` and `lastUpdated`. */
  readonly unchanged: number;
  /** What the caller may not change: there, and seen by others alone. */
  readonly hidden: readonly BulkItem[];
  /** What was erased (docs/adr/0131), and is not written again. */
  readonly erased: readonly BulkItem[];
}

/** Whether the caller may give a new version to the stored record. */
export type BulkMayChange = (current: { readonly organisation: string | null; readonly content: string }) => boolean;

/** A resource that is there. */
interface LockedRow {
  readonly type: number;
  readonly rid: string;
  readonly version: number;
  readonly updated_at: Date;
  readonly organisation: string | null;
  readonly deleted: boolean;
  readonly content: string;
}

interface Version {
  readonly item: BulkItem;
  readonly version: number;
  readonly updatedAt: Date;
  readonly organisation: string | null;
  readonly content: string;
}

const RESOURCE = {
  table: 'fhir_resource',
  columns: ['type', 'rid', 'version', 'updated_at', 'organisation', 'id', 'content', 'extraction'],
};

/** Checked and read at once, or in a thread. @throws ServiceError `unprocessable` naming the errors of the resource */
export async function prepareItem(
  input: BulkInput,
  { check, parameters, workerThreads }: Pick<WriteDependencies, 'check' | 'parameters' | 'workerThreads'>,
): Promise<BulkItem> {
  const { source, id } = input;
  await check(source);
  const key = { type: nameKey(source.resourceType), rid: resourceKey(id) };
  const read = workerThreads !== undefined && isLong(source) ? await workerThreads.index(source, id) : undefined;
  const values = read ?? extractSearchValues({ ...source.resource, id }, parameters);
  const { patients, extraction } = values;
  const index = read === undefined ? indexLines(key, values) : undefined;
  return { ...input, ...key, index, patients, extraction, mark: extractionMark(values) };
}

/**
 * Writes the items, of which no two may have the same address and none is long. A writer who makes one of them at the
 * same time makes the transaction fail by a unique violation: it is to be tried again.
 * @param mayChange whether the caller may give a new version to what is there
 */
export async function bulkWrite(
  tx: Transaction,
  items: readonly BulkItem[],
  { clock, mayChange }: Pick<WriteDependencies, 'clock'> & { mayChange: BulkMayChange },
): Promise<BulkOutcome> {
  if (items.length === 0) return { created: 0, updated: 0, unchanged: 0, hidden: [], erased: [] };
  const known = await lockKnown(tx, items);
  const now = clock.now();
  const [fresh, changed]: [Version[], Version[]] = [[], []];
  const [hidden, erased]: [BulkItem[], BulkItem[]] = [[], []];
  const slices = createSlices();
  for (const item of items) {
    await slices.rest();
    const row = known.get(keyOf(item));
    if (row === undefined) fresh.push(firstVersion(item, new Date(now)));
    else if (isErased({ isDeleted: row.deleted, content: row.content })) erased.push(item);
    else if (!mayChange(row)) hidden.push(item);
    else if (row.deleted || row.content !== contentOf(item, row.version, row.updated_at)) {
      changed.push(nextVersion(item, row, now));
    }
  }
  await replaceKnown(tx, changed);
  await tx.copy(RESOURCE, await mapInSlices(fresh.toSorted(byKey), resourceLine));
  await copyIndex(tx, [...fresh, ...changed]);
  await noteLate(tx, [...fresh, ...changed]);
  await queueWords(tx, [...fresh, ...changed]);
  const unchanged = items.length - fresh.length - changed.length - hidden.length - erased.length;
  return { created: fresh.length, updated: changed.length, unchanged, hidden, erased };
}

function keyOf({ type, rid }: { readonly type: number; readonly rid: string }): string {
  return `${type} ${rid}`;
}

/** Locks in the order of keys, as every statement that locks several rows does: so there are no deadlocks. */
async function lockKnown(tx: Queryable, items: readonly BulkItem[]): Promise<ReadonlyMap<string, LockedRow>> {
  const { rows } = await tx.query<LockedRow>(
    {
      name: 'fhir_bulk_lock',
      text: `SELECT r.type, r.rid, r.version, r.updated_at, r.organisation, r.deleted, r.content
        FROM unnest($1::int[], $2::uuid[]) AS wanted(type, rid) JOIN fhir_resource r USING (type, rid)
        ORDER BY r.type, r.rid FOR UPDATE OF r`,
    },
    [items.map(({ type }) => type), items.map(({ rid }) => rid)],
  );
  return new Map(rows.map((row) => [keyOf(row), row]));
}

function contentOf({ source, id }: BulkItem, version: number, updatedAt: Date): string {
  return spliceMeta(source, { id, versionId: String(version), lastUpdated: updatedAt.toISOString() });
}

function firstVersion(item: BulkItem, updatedAt: Date): Version {
  const { organisation } = item;
  return { item, version: 1, updatedAt, organisation, content: contentOf(item, 1, updatedAt) };
}

/** Times of versions never go backwards, even when clocks of nodes differ. */
function nextVersion(item: BulkItem, row: LockedRow, now: number): Version {
  const updatedAt = new Date(Math.max(now, row.updated_at.getTime()));
  const version = row.version + 1;
  return { item, version, updatedAt, organisation: row.organisation, content: contentOf(item, version, updatedAt) };
}

function byKey({ item: a }: Version, { item: b }: Version): number {
  return a.type - b.type || (a.rid < b.rid ? -1 : 1);
}

function resourceLine({ item, version, updatedAt, organisation, content }: Version): string {
  const { type, rid, id } = item;
  const shown = rid === id && !isPut(item) ? null : id;
  return copyLine([type, rid, version, updatedAt, organisation, shown, content, item.mark]);
}

/** Moves what is there into the history, takes it out of the index, and puts the new version in its place. */
async function replaceKnown(tx: Queryable, changed: readonly Version[]): Promise<void> {
  if (changed.length === 0) return;
  const removals = INDEX_TABLES.map(
    ({ table }) => `no_${table} AS (DELETE FROM ${table} d USING keys k WHERE d.rid = k.rid AND d.type = k.type)`,
  );
  const history = 'type, rid, version, updated_at, organisation, deleted, id, content, patched';
  await tx.query(
    {
      name: 'fhir_bulk_replace',
      // Keys without the contents: ../store/write/write-sql.ts says why.
      text: `WITH keys AS (SELECT * FROM unnest($1::int[], $2::uuid[]) AS k(type, rid)),
        history AS (INSERT INTO fhir_history (${history}) SELECT ${history
          .split(', ')
          .map((column) => `r.${column}`)
          .join(', ')} FROM fhir_resource r JOIN keys USING (type, rid)),
        ${removals.join(',\n')}
        UPDATE fhir_resource r SET version = g.version, updated_at = g.updated_at, deleted = false, id = g.id, content = g.content,
          extraction = g.extraction, patched = NULL
        FROM unnest($1::int[], $2::uuid[], $3::int[], $4::timestamptz[], $5::text[], $6::text[], $7::int[])
          AS g(type, rid, version, updated_at, id, content, extraction)
        WHERE r.type = g.type AND r.rid = g.rid`,
    },
    [
      changed.map(({ item }) => item.type),
      changed.map(({ item }) => item.rid),
      changed.map(({ version }) => version),
      changed.map(({ updatedAt }) => updatedAt),
      changed.map(({ item }) => (item.rid === item.id ? null : item.id)),
      changed.map(({ content }) => content),
      changed.map(({ item }) => item.mark),
    ],
  );
}

/**
 * In the order of the lines, which is nearly that of the index over the values: neighbours are put into the same pages
 * of it.
 */
async function copyIndex(tx: Transaction, versions: readonly Version[]): Promise<void> {
  for (const [position, { table, columns }] of INDEX_TABLES.entries()) {
    const lines: string[] = [];
    for (const { item } of versions) for (const line of item.index?.[position] ?? []) lines.push(line);
    await tx.copy({ table, columns: [...columns.map(([name]) => name), 'rid', 'type'] }, await sortInSlices(lines));
  }
}

/**
 * As `lateInsert` does (../store/write/write-sql.ts): what was read by older definitions of search parameters is
 * indexed again.
 */
async function noteLate(tx: Queryable, versions: readonly Version[]): Promise<void> {
  for (const [extraction, late] of Map.groupBy(versions, ({ item }) => item.extraction)) {
    await tx.query(
      {
        name: 'fhir_bulk_late',
        text: `INSERT INTO fhir_late_index (type, rid) SELECT * FROM unnest($1::int[], $2::uuid[])
          WHERE (SELECT extraction FROM fhir_search_version) <> $3::bigint`,
      },
      [late.map(({ item }) => item.type), late.map(({ item }) => item.rid), extraction],
    );
  }
}

/**
 * As `queued` does (../store/write/write-sql.ts), in rows of no more resources than a step of the index of words is
 * meant to take at once.
 */
async function queueWords(tx: Queryable, versions: readonly Version[]): Promise<void> {
  for (let start = 0; start < versions.length; start += TEXT_BATCH) {
    const some = versions.slice(start, start + TEXT_BATCH).map(({ item }) => item);
    await tx.query({ name: 'fhir_bulk_queue', text: `WITH ${queued()} SELECT` }, [
      some.map(({ type }) => type),
      some.map(({ rid }) => rid),
    ]);
  }
}
