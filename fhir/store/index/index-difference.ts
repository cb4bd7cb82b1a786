// The difference that an update makes in the index. The index rows of both versions are compared by parameter, so that
// only changed rows are written.
import type { SearchValues } from '#fhir/search/extract/search-values.ts';
import { INDEX_TABLES, type IndexColumns, type IndexTexts, indexColumns } from './index-tables.ts';

export interface IndexChange {
  /**
   * For each index table the parameters whose rows of the resource are removed; `all` when the present rows are
   * unknown.
   */
  readonly gone: 'all' | readonly (readonly number[])[];
  /** The rows to insert, as the arrays that unnest takes. */
  readonly come: IndexColumns;
  /** The rows of a large resource, as a statement takes them. */
  readonly texts?: IndexTexts;
}

/** Replaces every row. */
export function wholeChange(index: SearchValues): IndexChange {
  if (index.texts !== undefined) return { gone: 'all', come: [], texts: index.texts };
  return { gone: 'all', come: indexColumns(index) };
}

/** Replaces the rows of the parameters that differ: all rows of such a parameter are removed and inserted. */
export function changeBetween(before: SearchValues, after: SearchValues): IndexChange {
  const [old, fresh] = [indexColumns(before), indexColumns(after)];
  const tables = INDEX_TABLES.map((_, position) => tableChange(old[position], fresh[position]));
  return { gone: tables.map(({ gone }) => gone), come: tables.map(({ come }) => come) };
}

type Columns = IndexColumns[number];

function tableChange(before: Columns, after: Columns): { readonly gone: number[]; readonly come: Columns } {
  const [old, fresh] = [rowsByParameter(before), rowsByParameter(after)];
  const changed = [...fresh.keys()].filter((parameter) => !hasSame(old.get(parameter) ?? [], fresh.get(parameter)));
  const left = [...old.keys()].filter((parameter) => !fresh.has(parameter));
  const gone = [...changed.filter((parameter) => old.has(parameter)), ...left];
  const wanted = new Set(changed);
  const places = (after?.[0] ?? []).flatMap((parameter, place) => (wanted.has(parameter) ? [place] : []));
  const come = places.length === 0 ? undefined : after?.map((column) => places.map((place) => column[place]));
  return { gone: gone.map(Number), come };
}

/** The rows as texts, grouped by parameter, which is the first column. */
function rowsByParameter(columns: Columns): ReadonlyMap<unknown, string[]> {
  const rows = new Map<unknown, string[]>();
  for (const [place, parameter] of (columns?.[0] ?? []).entries()) {
    const text = JSON.stringify(columns?.map((column) => comparable(column[place])));
    const known = rows.get(parameter);
    if (known === undefined) rows.set(parameter, [text]);
    else known.push(text);
  }
  return rows;
}

/** Rows of a parameter are in the order of the resource's elements, so another order counts as a difference. */
function hasSame(before: readonly string[], after: readonly string[] = []): boolean {
  return before.length === after.length && before.every((row, place) => row === after[place]);
}

/** JSON writes every infinite number as null, so they are compared as texts. */
function comparable(value: unknown): unknown {
  return typeof value === 'number' ? `number ${value}` : value;
}
