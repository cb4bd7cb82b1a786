// Many new resources in one statement: one multi-row insert for the versions and one for each index table.
import type { SearchValues } from '#lib/fhir/search/extract.ts';
import { INDEX_TABLES, indexColumns } from './index-tables.ts';
import type { VersionValues, WriteStatement } from './write-sql.ts';

export interface NewVersion {
  readonly version: VersionValues;
  readonly index: SearchValues;
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
  const indexes = entries.map(({ index }) => indexColumns(index));
  for (const [position, { table, columns }] of INDEX_TABLES.entries()) {
    const filled = indexes.map((index) => index[position]);
    const owners = entries.flatMap(({ version }, entry) => (filled[entry]?.[0] ?? []).map(() => version));
    if (owners.length === 0) continue;
    const list = columns.map(([name]) => name).join(', ');
    const arrays = [
      bind(
        owners.map(({ type }) => type),
        'int',
      ),
      bind(
        owners.map(({ rid }) => rid),
        'uuid',
      ),
      ...columns.map(([, type], column) =>
        bind(
          filled.flatMap((rows) => rows?.[column] ?? []),
          type,
        ),
      ),
    ];
    parts.push(`in_${table} AS (INSERT INTO ${table} (type, rid, ${list})
       SELECT type, rid, ${list} FROM unnest(${arrays.join(', ')}) AS u(type, rid, ${list}) JOIN written USING (type, rid))`);
  }
  const tables = INDEX_TABLES.map((_, position) => (indexes.some((index) => index[position] !== undefined) ? 1 : 0));
  const text = `WITH ${parts.join(',\n')} SELECT type, rid FROM written`;
  return { statement: { name: `fhir_insert_many_${tables.join('')}`, text }, values };
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
