// SQL of sorting and keyset pagination: the sort value of a resource, ORDER BY, and the condition to begin after the
// cursor.

import type { DerivedKey } from '#fhir/search/extract/derived-keys.ts';
import { isCanonicalOnly } from '#fhir/search/parse/parse-criterion.ts';
import type { SortKey, SortType } from '#fhir/search/parse/query.ts';
import type { Cursor } from '../cursor.ts';
import { ofParameter } from './param-sql.ts';
import type { SqlType, SqlValues } from './sql-values.ts';

/** What a text of the rows `s` is sorted by: most texts by what they are searched by (docs/adr/0053). */
export const SORTED_TEXT = sortedText('s');

/** The same of other rows, as the index of texts in order has it. */
export function sortedText(alias: string): string {
  return `coalesce(${alias}.sort, ${alias}.value)`;
}

/**
 * The value by which `alias` is sorted: the smallest of its values, the largest when descending. `isUnknown`: tables
 * without statistics, of which the planner might look through all values of the parameter for each resource.
 */
export function sortExpression(
  { parameter, isDescending }: SortKey,
  alias: string,
  values: SqlValues,
  isUnknown = false,
): string {
  if (parameter.code === '_lastUpdated') return `${alias}.updated_at`;
  if (parameter.code === '_id') return `coalesce(${alias}.id, ${alias}.rid::text)`;
  const [table, column, extra = ''] = isCanonicalOnly(parameter) ? sortColumn('uri') : sortColumn(parameter.type);
  const pick = isDescending ? 'max' : 'min';
  const sorted = parameter.type === 'string' ? SORTED_TEXT : `s.${column}`;
  const rows = isUnknown
    ? `(SELECT s.* FROM ${table} s WHERE s.rid = ${alias}.rid OFFSET 0) s WHERE`
    : `${table} s WHERE s.rid = ${alias}.rid AND`;
  const of = (derived?: DerivedKey) =>
    `(SELECT ${pick}(${sorted}) FROM ${rows} ${ofParameter(parameter, 's', { values, derived })}${extra})`;
  if (parameter.type !== 'quantity') return of();
  // What UCUM knows is sorted in base units, the rest as written.
  return `coalesce(${of('canonical')}, ${of()})`;
}

/** The table and the column of the values that a parameter of the type is sorted by; `condition` is on its rows `s`. */
export function sortColumn(type: SortType): [table: string, column: string, condition?: string] {
  switch (type) {
    case 'date':
      return ['fhir_date', 'low'];
    case 'number':
    case 'quantity':
      return ['fhir_quantity', 'low'];
    case 'string':
      return ['fhir_string', 'value', ' AND s.exact IS NOT NULL'];
    case 'uri':
      return ['fhir_uri', 'value'];
    // Neither the order of ids nor that of addresses means anything, but it keeps together what refers to the same.
    case 'reference':
      return ['fhir_reference', 'target::text COLLATE "C"'];
    case 'token':
      return ['fhir_token', 'code'];
    default:
      return type satisfies never;
  }
}

const SQL_TYPES: Readonly<Record<SortType, SqlType>> = {
  date: 'bigint',
  number: 'float8',
  quantity: 'float8',
  string: 'text',
  uri: 'text',
  reference: 'text',
  token: 'text',
};

/** The type of the values that a key sorts by. */
export function sortType({ parameter }: SortKey): SqlType {
  return parameter.code === '_lastUpdated' ? 'timestamptz' : SQL_TYPES[parameter.type];
}

/** Resources without a value come last, whatever the direction; ties are settled by the key. */
export function orderBy(sort: readonly SortKey[], alias: string): string {
  const keys = sort.map((key, index) => `${alias}.s${index} ${key.isDescending ? 'DESC' : 'ASC'} NULLS LAST`);
  return [...keys, `${alias}.rid`].join(', ');
}

/** Whether a row of `alias` (columns s0, s1, …, rid) comes after the cursor. */
export function afterCursor(
  sort: readonly SortKey[],
  cursor: Pick<Cursor, 'rid' | 'sort'>,
  alias: string,
  values: SqlValues,
): string {
  return afterValues(sort, cursor, alias, { values, tie: `${alias}.rid > ${values.bind(cursor.rid, 'uuid')}` });
}

/** The same where what has equal sort values is distinguished by another condition. */
export function afterValues(
  sort: readonly SortKey[],
  cursor: Pick<Cursor, 'sort'>,
  alias: string,
  { values, tie }: { readonly values: SqlValues; readonly tie: string },
): string {
  let condition = tie;
  for (let index = sort.length - 1; index >= 0; index -= 1) {
    const key = sort[index];
    if (key === undefined) continue;
    const column = `${alias}.s${index}`;
    const last = cursor.sort[index] ?? null;
    if (last === null) condition = `(${column} IS NULL AND ${condition})`;
    else {
      const value = values.bind(last, sortType(key));
      const further = `${column} ${key.isDescending ? '<' : '>'} ${value} OR ${column} IS NULL`;
      condition = `(${further} OR (${column} = ${value} AND ${condition}))`;
    }
  }
  return condition;
}
