// Reindexes a batch of stored resources, in the order of their keys. It locks the resources first. So it waits for
// writes that are running, sees their versions, and no write overtakes it (docs/adr/0004). Long resources are read
// one by one, in threads if there are any; the others are read in slices.

import { extractParameter, extractSearchValues } from '#fhir/search/extract/extract.ts';
import { nameKey } from '#fhir/search/extract/keys.ts';
import type { SearchValues } from '#fhir/search/extract/search-values.ts';
import type { CustomParameter } from '#fhir/search/parameters/custom-parameter.ts';
import { toSearchParameter } from '#fhir/search/parameters/overlay.ts';
import type { Transaction } from '#lib/db/database.ts';
import { createSlices } from '#lib/jobs/slices.ts';
import { LONG, LONG_BATCH, type StoreThreads } from '../threads.ts';
import { type Indexed, indexInserts, queued, type WriteStatement } from '../write/write-sql.ts';
import { extractionMark } from './extraction-mark.ts';
import { INDEX_TABLES, indexTexts } from './index-tables.ts';
import type { ParameterOverlay } from './parameter-overlay.ts';

type Json = Readonly<Record<string, unknown>>;

/** Extracts the index values of a resource. */
export interface IndexReader {
  readonly read: (resource: Json) => SearchValues;
  /** The same for a long resource, by its text. */
  readonly readLong: (text: string) => Promise<SearchValues>;
}

/** The threads for long resources; undefined where there are none. */
export type IndexThreads = Pick<StoreThreads, 'indexAgain'> | undefined;

/**
 * Creates the reader of whole resources by the overlay's definitions at that time, or of a single parameter of a user.
 */
export function indexReader(
  { parameters, content }: Pick<ParameterOverlay, 'parameters' | 'content'>,
  workerThreads: IndexThreads,
  parameter?: CustomParameter,
): IndexReader {
  const one = parameter && toSearchParameter(parameter);
  const read = (resource: Json): SearchValues =>
    one === undefined ? extractSearchValues(resource, parameters) : extractParameter(resource, one, parameters);
  return {
    read,
    readLong: async (text) => {
      if (workerThreads === undefined) return read(JSON.parse(text));
      const by = { content: content() };
      return workerThreads.indexAgain(text, parameter ? { kind: 'one', parameter, ...by } : { kind: 'all', ...by });
    },
  };
}

export interface ReindexBatch {
  readonly resourceType: string;
  /** The key of the last resource that is done; null at the beginning. */
  readonly after: string | null;
  /** The key of the last resource to do. */
  readonly until: string;
  readonly size: number;
  readonly reader: IndexReader;
  /** Replaces only the rows of these parameters, and `reader` returns only those. All rows when left out. */
  readonly keys?: readonly number[];
}

export interface BatchOutcome {
  readonly resources: number;
  /** The key after which the next batch begins; null when this one found nothing. */
  readonly last: string | null;
}

interface LockedRow {
  readonly rid: string;
  readonly deleted: boolean;
  /** Null for a long resource, which is read by itself. */
  readonly content: string | null;
}

const COLUMNS = `rid, deleted, CASE WHEN octet_length(content) <= ${LONG} THEN content END AS content`;

/** Replaces the index rows of the next resources of a type. */
export async function reindexBatch(tx: Transaction, batch: ReindexBatch): Promise<BatchOutcome> {
  const type = nameKey(batch.resourceType);
  const { rows } = await tx.query<LockedRow>(
    `SELECT ${COLUMNS} FROM fhir_resource WHERE type = $1 AND rid <= $3${batch.after === null ? '' : ' AND rid > $4'}
     ORDER BY rid LIMIT $2 FOR NO KEY UPDATE`,
    [type, batch.size, batch.until, ...(batch.after === null ? [] : [batch.after])],
  );
  await replaceRows(tx, type, rows, batch);
  return { resources: rows.length, last: rows.at(-1)?.rid ?? null };
}

/** Replaces the index rows of named resources of a type. */
export async function reindexResources(
  tx: Transaction,
  { resourceType, rids, reader }: Pick<ReindexBatch, 'resourceType' | 'reader'> & { readonly rids: readonly string[] },
): Promise<void> {
  const type = nameKey(resourceType);
  const { rows } = await tx.query<LockedRow>(
    `SELECT ${COLUMNS} FROM fhir_resource WHERE type = $1 AND rid = ANY($2::uuid[]) ORDER BY rid FOR NO KEY UPDATE`,
    [type, rids],
  );
  await replaceRows(tx, type, rows, { reader });
}

async function replaceRows(
  tx: Transaction,
  type: number,
  rows: readonly LockedRow[],
  { reader, keys }: Pick<ReindexBatch, 'reader' | 'keys'>,
): Promise<void> {
  const slices = createSlices();
  let [entries, length]: [Indexed[], number] = [[], 0];
  const write = async (): Promise<void> => {
    if (entries.length === 0) return;
    const { statement, values } = replaceStatement(type, entries, keys);
    [entries, length] = [[], 0];
    await tx.query(statement, values);
  };
  // A deleted resource has no index rows.
  for (const { rid, content } of rows.filter(({ deleted }) => !deleted)) {
    const version = { type, rid };
    if (content === null) {
      await write();
      entries.push({ version, index: await reader.readLong(await textOf(tx, version)) });
      await write();
    } else {
      entries.push({ version, index: reader.read(JSON.parse(content)) });
      length += content.length;
      if (length > LONG_BATCH) await write();
      await slices.rest();
    }
  }
  await write();
}

/** The text of a locked resource. */
async function textOf(tx: Transaction, { type, rid }: Indexed['version']): Promise<string> {
  const { rows } = await tx.query<{ content: string }>(
    'SELECT content FROM fhir_resource WHERE type = $1 AND rid = $2',
    [type, rid],
  );
  return rows[0]?.content ?? '{}';
}

function replaceStatement(
  type: number,
  entries: readonly Indexed[],
  keys: readonly number[] | undefined,
): WriteStatement {
  const values: unknown[] = [type, entries.map(({ version }) => version.rid), ...(keys === undefined ? [] : [keys])];
  const ofKeys = keys === undefined ? '' : ' AND param = ANY($3::int[])';
  const removals = INDEX_TABLES.map(
    ({ table }) => `no_${table} AS (DELETE FROM ${table} WHERE rid = ANY($2::uuid[]) AND type = $1::int${ofKeys})`,
  );
  const owners =
    'owners AS (SELECT $1::int AS type, rid, place FROM unnest($2::uuid[]) WITH ORDINALITY AS o(rid, place))';
  const { parts, tables } = indexInserts(indexTexts(entries.map(({ index }) => index)), values, 'owners');
  const [first] = entries;
  if (keys === undefined && first !== undefined) {
    removals.push(markUpdate(first.index, values));
    // The full text index follows in the background.
    removals.push(queued('array_fill($1::int, ARRAY[cardinality($2::uuid[])])', '$2::uuid[]'));
  }
  const text = `WITH ${[owners, ...removals, ...parts].join(',\n')} SELECT`;
  return { statement: { name: `fhir_reindex_${keys === undefined ? 'all' : 'keys'}_${tables}`, text }, values };
}

/**
 * Sets the extraction mark when all rows are replaced. A replacement of some parameters leaves the other rows, and the
 * mark, as they are.
 */
function markUpdate(index: SearchValues, values: unknown[]): string {
  const mark = `$${values.push(extractionMark(index))}::int`;
  return `marked AS (UPDATE fhir_resource SET extraction = ${mark}
    WHERE type = $1::int AND rid = ANY($2::uuid[]) AND extraction IS DISTINCT FROM ${mark})`;
}
