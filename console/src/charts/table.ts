// The numbers of a picture as a table.
import type { CsvCell } from '../shared/csv.ts';

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly CsvCell[])[];
}
