// Reindexes a batch of stored resources, in the order of their keys. A batch locks its
// resources first, so that it waits for whoever is writing one, sees what was written, and is not overtaken
// (docs/adr/0004). Long resources are fetched and read one by one, in threads where there are any; the others in
// slices.

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
  /** The same of a long one, by its text. */
  readonly readLong: (text: string) => Promise<SearchValues>;
}

/** The threads for long resources; undefined where all is read at once. */
export type IndexThreads = Pick<StoreThreads, 'indexAgain'> | undefined;

/** Reads whole resources by what the overlay holds at the time, or one parameter of a user alone. */
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
  /** The last `rid` that is done; null at the beginning. */
  readonly after: string | null;
  /** The last `rid` of all. */
  readonly until: string;
  readonly size: number;
  readonly reader: IndexReader;
  /**
   * Only the rows of these parameters are replaced, which is then all that `reader` may answer; every row when left
   * out.
   */
  readonly keys?: readonly number[];
}

export interface BatchOutcome {
  readonly resources: number;
  /** Where the next batch begins; null when this one found nothing. */
  readonly last: string | null;
}

interface LockedRow {
  readonly rid: string;
  readonly deleted: boolean;
  /** Null of a long one. */
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

/** Of a resource that is locked. */
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
    // The words follow in the background.
    removals.push(queued('array_fill($1::int, ARRAY[cardinality($2::uuid[])])', '$2::uuid[]'));
  }
  const text = `WITH ${[owners, ...removals, ...parts].join(',\n')} SELECT`;
  return { statement: { name: `fhir_reindex_${keys === undefined ? 'all' : 'keys'}_${tables}`, text }, values };
}

/**
 * Says by what all the rows were read. Those of some parameters alone leave the rest as it was, and the mark with it.
 */
function markUpdate(index: SearchValues, values: unknown[]): string {
  const mark = `$${values.push(extractionMark(index))}::int`;
  return `marked AS (UPDATE fhir_resource SET extraction = ${mark}
    WHERE type = $1::int AND rid = ANY($2::uuid[]) AND extraction IS DISTINCT FROM ${mark})`;
}
