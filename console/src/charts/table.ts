// The numbers of a picture as a table, and as a file for spreadsheets.

export type Cell = string | number;

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** A spreadsheet would compute what begins so (owasp.org/www-community/attacks/CSV_Injection). */
const FORMULA = /^[=+\-@\t\r]/;

/** RFC 4180, with the comma as the separator and the decimal point. */
export function csvOf({ head, rows }: Table): string {
  return [head, ...rows].map((cells) => `${cells.map(cellText).join(',')}\r\n`).join('');
}

function cellText(cell: Cell): string {
  if (typeof cell === 'number') return String(cell);
  const harmless = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** Saves it as a file that spreadsheets read as UTF-8. */
export function saveCsv(table: Table, name: string): void {
  const url = URL.createObjectURL(new Blob(['\uFEFF', csvOf(table)], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${name}.csv`;
  link.click();
  URL.revokeObjectURL(url);
}
