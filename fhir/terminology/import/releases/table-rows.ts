// The rows of a table with a head, as CSV with commas, semicolons or tabs.
import { createCsvReader, DELIMITERS, type Delimiter } from '#lib/csv/csv-reader.ts';
import { FileUnreadable } from '../assembly.ts';
import { Utf8Text } from '../utf8.ts';
import type { ReleaseReading } from './reading.ts';

export interface TableRow {
  /** Among the lines of all files. */
  readonly line: number;
  /** By the column's place in the head; trimmed. */
  readonly cells: readonly string[];
}

export interface Table {
  /** The names of the columns. */
  readonly columns: readonly string[];
  readonly rows: AsyncGenerator<TableRow>;
}

/** The head of a table, and its rows. @throws FileUnreadable for a file without a head, ReadingStopped */
export async function openTable(reading: ReleaseReading, name: string): Promise<Table> {
  const rows = rowsOf(reading, name);
  reading.closeLater(rows);
  const head = await rows.next();
  if (head.done === true) throw new FileUnreadable(reading.lineIn(name, 1), 'the first row must name the columns');
  return { columns: head.value.cells, rows };
}

async function* rowsOf(reading: ReleaseReading, name: string): AsyncGenerator<TableRow> {
  const text = new Utf8Text();
  const lineOf = (line: number) => reading.lineIn(name, line);
  let reader: ReturnType<typeof createCsvReader> | undefined;
  let width = 0;
  function* readRows(records: ReturnType<ReturnType<typeof createCsvReader>['push']>): Generator<TableRow> {
    for (const { line, cells, issue } of records) {
      if (issue !== undefined) {
        if (width === 0) throw new FileUnreadable(lineOf(line), issue);
        reading.issue(lineOf(line), issue);
      } else if (cells.length > 1 || cells[0] !== '') {
        if (width === 0) width = cells.length;
        if (cells.length === width) yield { line: lineOf(line), cells: cells.map((cell) => cell.trim()) };
        else reading.issue(lineOf(line), `there are ${cells.length} cells, and ${width} columns`);
      }
    }
  }
  try {
    for await (const bytes of reading.bytes(name)) {
      const piece = text.decode(bytes);
      reader ??= createCsvReader(delimiterOf(piece));
      yield* readRows(reader.push(piece));
    }
    reader ??= createCsvReader();
    yield* readRows(reader.push(text.decode()));
    yield* readRows(reader.end());
  } catch (error) {
    // A line of this file becomes one among those of all.
    if (error instanceof FileUnreadable && error.line < lineOf(0)) {
      throw new FileUnreadable(lineOf(error.line), error.message);
    }
    throw error;
  }
}

/** The delimiter that the first line has most often outside quotes. */
function delimiterOf(text: string): Delimiter {
  const [first = ''] = text.split(/\r\n|\r|\n/, 1);
  const bare = first.replaceAll(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** A reader of named cells; `''` for a column that is not there. Names are compared without case, spaces and marks. */
export function cellReader(columns: readonly string[]): (row: TableRow, ...names: readonly string[]) => string {
  const places = new Map(columns.map((column, place) => [folded(column), place]));
  return ({ cells }, ...names) => {
    for (const name of names) {
      const place = places.get(folded(name));
      if (place !== undefined) return cells[place] ?? '';
    }
    return '';
  };
}

/** The place of the first of the names that is a column; -1 for none. */
export function placeOfColumn(columns: readonly string[], names: readonly string[]): number {
  const known = columns.map(folded);
  for (const name of names) {
    const place = known.indexOf(folded(name));
    if (place !== -1) return place;
  }
  return -1;
}

function folded(name: string): string {
  return name
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[\s_.-]+/g, '');
}
