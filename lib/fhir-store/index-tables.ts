// The tables of the search index, and the rows of a resource as the arrays that unnest takes.
import type { CompositeRow } from '#lib/fhir/search/composites.ts';
import type { SearchValues } from '#lib/fhir/search/search-values.ts';

export interface IndexTable {
  readonly table: string;
  readonly columns: readonly (readonly [name: string, type: string])[];
}

/** Index tables in the order of {@link indexColumns}. */
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
  const { tokens, references, strings, dates, quantities, uris, composites } = index;
  return [
    arrays(tokens, [(row) => row.param, (row) => row.system, (row) => row.code, (row) => row.mask]),
    arrays(references, [(row) => row.param, (row) => row.targetType, (row) => row.target]),
    arrays(strings, [(row) => row.param, (row) => row.value, (row) => row.exact ?? null, (row) => row.mask]),
    arrays(dates, [(row) => row.param, (row) => row.low, (row) => row.high]),
    arrays(quantities, [
      (row) => row.param,
      (row) => row.low,
      (row) => row.high,
      (row) => row.system,
      (row) => row.code ?? null,
      (row) => row.unit ?? null,
      (row) => row.mask,
    ]),
    arrays(uris, [(row) => row.param, (row) => row.value]),
    arrays(composites, [(row) => row.param, ...[0, 1, 2].flatMap(partValues)]),
  ];
}

function arrays<R>(rows: readonly R[], columns: readonly ((row: R) => unknown)[]): unknown[][] | undefined {
  return rows.length === 0 ? undefined : columns.map((column) => rows.map(column));
}

function partValues(position: number): ((row: CompositeRow) => unknown)[] {
  return [
    ({ parts }) => parts[position]?.text ?? null,
    ({ parts }) => parts[position]?.system ?? null,
    ({ parts }) => parts[position]?.low ?? null,
    ({ parts }) => parts[position]?.high ?? null,
  ];
}
