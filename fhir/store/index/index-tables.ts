// The tables of the search index, and the rows of a resource as the arrays that unnest takes.

import type { CompositeRow } from '#fhir/search/extract/composites.ts';
import type { SearchValues } from '#fhir/search/extract/search-values.ts';
import { plainElement, textElement } from '#lib/db/array-text.ts';

export interface IndexTable {
  readonly table: string;
  readonly columns: readonly (readonly [name: string, type: string])[];
}

/** The index tables in the order of {@link indexColumns}. */
export const INDEX_TABLES: readonly IndexTable[] = [
  {
    table: 'fhir_token',
    columns: [
      ['param', 'int'],
      ['system', 'bigint'],
      ['code', 'text'],
      ['mask', 'smallint'],
    ],
  },
  {
    table: 'fhir_reference',
    columns: [
      ['param', 'int'],
      ['target_type', 'int'],
      ['target', 'uuid'],
    ],
  },
  {
    table: 'fhir_string',
    columns: [
      ['param', 'int'],
      ['value', 'text'],
      ['exact', 'text'],
      ['whole', 'text'],
      ['sort', 'text'],
      ['mask', 'smallint'],
    ],
  },
  {
    table: 'fhir_date',
    columns: [
      ['param', 'int'],
      ['low', 'bigint'],
      ['high', 'bigint'],
    ],
  },
  {
    table: 'fhir_quantity',
    columns: [
      ['param', 'int'],
      ['low', 'float8'],
      ['high', 'float8'],
      ['system', 'bigint'],
      ['code', 'text'],
      ['unit', 'text'],
      ['mask', 'smallint'],
    ],
  },
  {
    table: 'fhir_uri',
    columns: [
      ['param', 'int'],
      ['value', 'text'],
    ],
  },
  { table: 'fhir_composite', columns: [['param', 'int'], ...partColumns(1), ...partColumns(2), ...partColumns(3)] },
];

type Column = readonly [name: string, type: string];

/** The columns of the n-th component of a composite parameter; empty where there are fewer. */
function partColumns(number: number): Column[] {
  return [
    [`text${number}`, 'text'],
    [`system${number}`, 'bigint'],
    [`low${number}`, 'float8'],
    [`high${number}`, 'float8'],
  ];
}

/** The arrays to insert into each index table; undefined for a table that gets no row. */
export type IndexColumns = readonly (readonly (readonly unknown[])[] | undefined)[];

/** Turns rows into one array per column, as unnest takes them. */
export function indexColumns(index: SearchValues): IndexColumns {
  return READERS.map(({ columns }) => columns(index));
}

/** For each index table the rows, each as its columns followed by `tail`; undefined for a table that gets no row. */
export function indexRows(
  index: SearchValues,
  tail: readonly unknown[],
): readonly (readonly unknown[][] | undefined)[] {
  return READERS.map(({ rows }) => rows(index, tail));
}

/**
 * For each index table the arrays of a statement as texts. First come the places of the rows' resources (from 1), then
 * one array for each column. Undefined for no rows.
 */
export type IndexTexts = readonly (readonly string[] | undefined)[];

/**
 * Writes the rows of many resources as PostgreSQL's array texts, without lists in between: those would be most of the
 * garbage of a write.
 */
export function indexTexts(resources: readonly SearchValues[]): IndexTexts {
  const [first] = resources;
  if (first?.texts !== undefined && resources.length === 1) return first.texts;
  if (resources.some(({ texts }) => texts !== undefined)) throw new Error('A large resource is written by itself');
  return READERS.map(({ append }, position) => {
    const columns = INDEX_TABLES[position]?.columns ?? [];
    const texts = ['', ...columns.map(() => '')];
    for (const [place, index] of resources.entries()) append(index, place + 1, texts);
    return texts[0] === '' ? undefined : texts.map((text) => `{${text.slice(1)}}`);
  });
}

/** Reads the rows of one table from a resource's values. */
interface Reader {
  readonly columns: (index: SearchValues) => unknown[][] | undefined;
  readonly rows: (index: SearchValues, tail: readonly unknown[]) => unknown[][] | undefined;
  /** Adds each row to the texts: its place, then its columns, each led by a comma. */
  readonly append: (index: SearchValues, place: number, texts: string[]) => void;
}

/** The readers in the order of {@link INDEX_TABLES}. */
const READERS: readonly Reader[] = [
  reader(0, ({ tokens }) => tokens, [(row) => row.param, (row) => row.system, (row) => row.code, (row) => row.mask]),
  reader(1, ({ references }) => references, [(row) => row.param, (row) => row.targetType, (row) => row.target]),
  reader(2, ({ strings }) => strings, [
    (row) => row.param,
    (row) => row.value,
    (row) => row.exact,
    (row) => row.whole,
    (row) => row.sort,
    (row) => row.mask,
  ]),
  reader(3, ({ dates }) => dates, [(row) => row.param, (row) => row.low, (row) => row.high]),
  reader(4, ({ quantities }) => quantities, [
    (row) => row.param,
    (row) => row.low,
    (row) => row.high,
    (row) => row.system,
    (row) => row.code,
    (row) => row.unit,
    (row) => row.mask,
  ]),
  reader(5, ({ uris }) => uris, [(row) => row.param, (row) => row.value]),
  reader(6, ({ composites }) => composites, [(row) => row.param, ...[0, 1, 2].flatMap(partValues)]),
];

function reader<R>(
  position: number,
  rowsOf: (index: SearchValues) => readonly R[],
  reads: readonly ((row: R) => unknown)[],
): Reader {
  const elements = (INDEX_TABLES[position]?.columns ?? []).map(([, type]) =>
    type === 'text' ? textElement : plainElement,
  );
  return {
    columns: (index) => {
      const rows = rowsOf(index);
      return rows.length === 0 ? undefined : reads.map((read) => rows.map((row) => read(row) ?? null));
    },
    rows: (index, tail) => {
      const rows = rowsOf(index);
      return rows.length === 0 ? undefined : rows.map((row) => [...reads.map((read) => read(row)), ...tail]);
    },
    append: (index, place, texts) => {
      for (const row of rowsOf(index)) {
        texts[0] += `,${place}`;
        for (let column = 0; column < reads.length; column += 1) {
          const element = elements[column]?.(reads[column]?.(row));
          texts[column + 1] += `,${element}`;
        }
      }
    },
  };
}

function partValues(position: number): ((row: CompositeRow) => unknown)[] {
  return [
    ({ parts }) => parts[position]?.text ?? null,
    ({ parts }) => parts[position]?.system ?? null,
    ({ parts }) => parts[position]?.low ?? null,
    ({ parts }) => parts[position]?.high ?? null,
  ];
}
