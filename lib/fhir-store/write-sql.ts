// The statements that write: a version and all its index rows in one statement, hence one round trip, whatever their number.
import type { PreparedStatement } from '#lib/db/database.ts';
import type { SearchValues } from '#lib/fhir/search/extract.ts';
import { INDEX_TABLES, type IndexColumns, indexColumns } from './index-tables.ts';

export interface VersionValues {
  readonly type: number;
  readonly rid: string;
  readonly version: number;
  readonly updatedAt: Date;
  readonly organisation: string | null;
  /** The id where it is not `rid`. */
  readonly id: string | null;
  readonly content: string;
}

export interface WriteStatement {
  readonly statement: PreparedStatement;
  readonly values: readonly unknown[];
}

const HEAD_VALUES = 8;
const prepared = new Map<string, PreparedStatement>();

/**
 * Inserts version 1 with its index rows; answers no row, and writes nothing, when the resource is already there. (The index is
 * written before the resource's row in the text of the statement only; both see the same snapshot.)
 */
export function insertStatement(version: VersionValues, index: SearchValues): WriteStatement {
  return indexedStatement('insert', version, index, () => [
    `written AS (INSERT INTO fhir_resource (type, rid, version, updated_at, organisation, id, content)
       VALUES ($1::int, $2::uuid, $3::int, $4::timestamptz, $5::uuid, $6::text, $7::text)
       ON CONFLICT (type, rid) DO NOTHING RETURNING type, rid)`,
  ]);
}

/** Moves the current version (which the caller has locked) into the history and puts the new one with its index rows in its place. */
export function replaceStatement(version: VersionValues, index: SearchValues): WriteStatement {
  return indexedStatement('replace', version, index, () => [
    HISTORY,
    ...removals(),
    `written AS (UPDATE fhir_resource SET version = $3::int, updated_at = $4::timestamptz, organisation = $5::uuid,
       deleted = false, id = $6::text, content = $7::text WHERE type = $1::int AND rid = $2::uuid RETURNING type, rid)`,
  ]);
}

/** Moves the current version into the history and marks the resource as deleted; its text stays with the mark. */
export function deleteStatement(type: number, rid: string, version: number, updatedAt: Date): WriteStatement {
  const parts = [HISTORY, ...removals()];
  const text = `WITH ${parts.join(',\n')}
    UPDATE fhir_resource SET version = $3::int, updated_at = $4::timestamptz, deleted = true
    WHERE type = $1::int AND rid = $2::uuid`;
  return { statement: { name: 'fhir_delete', text }, values: [type, rid, version, updatedAt] };
}

const HISTORY = `history AS (INSERT INTO fhir_history (type, rid, version, updated_at, organisation, deleted, id, content)
  SELECT type, rid, version, updated_at, organisation, deleted, id, content FROM fhir_resource
  WHERE type = $1::int AND rid = $2::uuid)`;

/**
 * Notes what is `written` without knowing the latest definitions of search parameters, by the version at the placeholder. Whatever
 * statement cannot yet see a new version here ends before that version's job begins (./parameter-job.ts).
 */
export function lateInsert(placeholder: string): string {
  return `late AS (INSERT INTO fhir_late_index (type, rid) SELECT type, rid FROM written
    WHERE (SELECT extraction FROM fhir_search_version) <> ${placeholder}::bigint)`;
}

function removals(): string[] {
  return INDEX_TABLES.map(
    ({ table }) => `no_${table} AS (DELETE FROM ${table} WHERE rid = $2::uuid AND type = $1::int)`,
  );
}

function indexedStatement(
  name: string,
  version: VersionValues,
  index: SearchValues,
  parts: () => string[],
): WriteStatement {
  const columns = indexColumns(index);
  const key = `fhir_${name}_${columns.map((column) => (column === undefined ? 0 : 1)).join('')}`;
  let statement = prepared.get(key);
  if (statement === undefined) {
    statement = {
      name: key,
      text: `WITH ${[...parts(), ...indexInserts(columns), lateInsert('$8')].join(',\n')} SELECT rid FROM written`,
    };
    prepared.set(key, statement);
  }
  const { type, rid, updatedAt, organisation, id, content } = version;
  const head = [type, rid, version.version, updatedAt, organisation, id, content, index.extraction];
  return { statement, values: [...head, ...columns.flatMap((arrays) => arrays ?? [])] };
}

function indexInserts(columns: IndexColumns): string[] {
  let placeholder = HEAD_VALUES;
  return INDEX_TABLES.flatMap(({ table, columns: names }, position) => {
    if (columns[position] === undefined) return [];
    const arrays = names.map(([, type]) => {
      placeholder += 1;
      return `$${placeholder}::${type}[]`;
    });
    const list = names.map(([column]) => column).join(', ');
    return [
      `in_${table} AS (INSERT INTO ${table} (type, rid, ${list})
         SELECT written.type, written.rid, ${list} FROM written, unnest(${arrays.join(', ')}) AS u(${list}))`,
    ];
  });
}
