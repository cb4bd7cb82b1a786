// Writing CSV (RFC 4180) that a spreadsheet may open: a cell that it would run as a formula gets an apostrophe before it, which
// `restoreCell` takes off again (decisions I13 and I14).

/** What a spreadsheet may run; the apostrophe too, so that what was put there can be told from what was there. */
const FORMULA_START = /^['=+\-@\t\r]/;
const NEUTRALISED = /^'(?=['=+\-@\t\r])/;
const NEEDS_QUOTES = /[",\r\n]/;

/** One record with its line end (CRLF). */
export function writeRecord(cells: readonly string[]): string {
  // A lone empty cell would be a blank line.
  return cells.length === 1 && cells[0] === '' ? '""\r\n' : `${cells.map(writeCell).join(',')}\r\n`;
}

/** What a cell says without the apostrophe that `writeRecord` may have put before it. */
export function restoreCell(cell: string): string {
  return cell.replace(NEUTRALISED, '');
}

function writeCell(value: string): string {
  const safe = FORMULA_START.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
