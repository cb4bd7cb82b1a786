// Many resources in one statement: one multi-row insert for new versions and one for each index table.
import type { SearchValues } from '#lib/fhir/search/extract.ts';
import { INDEX_TABLES, indexColumns } from './index-tables.ts';
import { lateInsert, type VersionValues, type WriteStatement } from './write-sql.ts';

/** A stored resource and what the index is to hold of it. */
export interface Indexed {
  readonly version: Pick<VersionValues, 'type' | 'rid'>;
  readonly index: SearchValues;
}
export interface NewVersion extends Indexed {
  readonly version: VersionValues;
}

const HEAD = [
  ['type', 'int'],
  ['rid', 'uuid'],
  ['version', 'int'],
  ['updated_at', 'timestamptz'],
  ['organisation', 'uuid'],
  ['id', 'text'],
  ['content', 'text'],
] as const;

/** Inserts those that are not there yet, with their index rows, and answers their keys. */
export function insertManyStatement(entries: readonly NewVersion[]): WriteStatement {
  const values: unknown[] = [];
  const bind = (array: readonly unknown[], type: string) => `$${values.push(array)}::${type}[]`;
  const head = headColumns(entries).map((column, index) => bind(column, HEAD[index]?.[1] ?? 'text'));
  const names = HEAD.map(([name]) => name).join(', ');
  const parts = [
    `written AS (INSERT INTO fhir_resource (${names}) SELECT * FROM unnest(${head.join(', ')})
       ON CONFLICT (type, rid) DO NOTHING RETURNING type, rid)`,
  ];
  const inserts = indexInserts(entries, bind, 'JOIN written USING (type, rid)');
  const late = lateInsert(`$${values.push(entries[0]?.index.extraction ?? 0)}`);
  const text = `WITH ${[...parts, ...inserts.parts, late].join(',\n')} SELECT type, rid FROM written`;
  return { statement: { name: `fhir_insert_many_${inserts.tables}`, text }, values };
}

/** One insert for each index table that gets a row; `tables` tells which these are. */
export function indexInserts(
  entries: readonly Indexed[],
  bind: (array: readonly unknown[], type: string) => string,
  join = '',
): { readonly parts: readonly string[]; readonly tables: string } {
  const indexes = entries.map(({ index }) => indexColumns(index));
  const tables = INDEX_TABLES.map((_, position) => (indexes.some((index) => index[position] !== undefined) ? 1 : 0));
  const parts = INDEX_TABLES.flatMap(({ table, columns }, position) => {
    const filled = indexes.map((index) => index[position]);
    const owners = entries.flatMap(({ version }, entry) => (filled[entry]?.[0] ?? []).map(() => version));
    if (owners.length === 0) return [];
    const list = columns.map(([name]) => name).join(', ');
    const types = owners.map(({ type }) => type);
    const rids = owners.map(({ rid }) => rid);
    const valuesOf = (column: number) => filled.flatMap((rows) => rows?.[column] ?? []);
    const arrays = [
      bind(types, 'int'),
      bind(rids, 'uuid'),
      ...columns.map(([, type], column) => bind(valuesOf(column), type)),
    ];
    return [
      `in_${table} AS (INSERT INTO ${table} (type, rid, ${list})
       SELECT type, rid, ${list} FROM unnest(${arrays.join(', ')}) AS u(type, rid, ${list}) ${join})`,
    ];
  });
  return { parts, tables: tables.join('') };
}

function headColumns(entries: readonly NewVersion[]): unknown[][] {
  const versions = entries.map(({ version }) => version);
  return [
    versions.map(({ type }) => type),
    versions.map(({ rid }) => rid),
    versions.map(({ version }) => version),
    versions.map(({ updatedAt }) => updatedAt),
    versions.map(({ organisation }) => organisation),
    versions.map(({ id }) => id),
    versions.map(({ content }) => content),
  ];
}
