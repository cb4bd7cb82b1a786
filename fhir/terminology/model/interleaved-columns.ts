// Columns whose numbers are read together, side by side in memory. The columns of a large code system are in none of the
// processor's caches, so a number from each waits for memory as often. A row of them waits once.
import type { ColumnArrays, ColumnName } from './columns.ts';

/** Of a concept; a row is half a line of a processor's cache. `…Starts` have one number more than there are concepts. */
const OF_CONCEPT = [
  'codes',
  'displays',
  'definitions',
  'propertyStarts',
  'designationStarts',
  'parentStarts',
  'childStarts',
  'flags',
] as const satisfies readonly ColumnName[];
const OF_PROPERTY = ['propertyKeys', 'propertyValues'] as const satisfies readonly ColumnName[];
const OF_DESIGNATION = ['designationKinds', 'designationValues'] as const satisfies readonly ColumnName[];
const GROUPS = [OF_CONCEPT, OF_PROPERTY, OF_DESIGNATION];

/** The names of the columns that lie side by side with others. */
export type InterleavedName = (typeof GROUPS)[number][number];

interface Strides {
  /** How many numbers the column has. */
  readonly length: number;
  /** The numbers of a row, and which of them the column's is. */
  readonly width: number;
  readonly first: number;
}

/** A column whose numbers are a row's width apart. */
export class StridedColumn {
  readonly length: number;
  readonly #numbers: Int32Array;
  readonly #width: number;
  readonly #first: number;

  constructor(numbers: Int32Array, { length, width, first }: Strides) {
    this.length = length;
    this.#numbers = numbers;
    this.#width = width;
    this.#first = first;
  }

  at(row: number): number {
    return this.#numbers[row * this.#width + this.#first] ?? 0;
  }
}

export interface InterleavedColumns extends Readonly<Record<InterleavedName, StridedColumn>> {
  /** In memory. */
  readonly byteLength: number;
}

/** Copies columns side by side. */
export function interleave(columns: Pick<ColumnArrays, InterleavedName>): InterleavedColumns {
  const strided: [InterleavedName, StridedColumn][] = [];
  let byteLength = 0;
  for (const names of GROUPS) {
    const width = names.length;
    const numbers = new Int32Array(Math.max(...names.map((name) => columns[name].length)) * width);
    byteLength += numbers.byteLength;
    for (const [first, name] of names.entries()) {
      const column = columns[name];
      for (let row = 0; row < column.length; row += 1) numbers[row * width + first] = column[row] ?? 0;
      strided.push([name, new StridedColumn(numbers, { length: column.length, width, first })]);
    }
  }
  return { ...(Object.fromEntries(strided) as Record<InterleavedName, StridedColumn>), byteLength };
}

const NAMES: ReadonlySet<string> = new Set(GROUPS.flat());

export function isInterleaved(name: string): name is InterleavedName {
  return NAMES.has(name);
}
