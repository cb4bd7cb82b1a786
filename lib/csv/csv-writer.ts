// A CSV writer (RFC 4180) that is safe against formula injection (decisions I13 and I14; OWASP, CSV Injection). It puts
// an apostrophe wherever a spreadsheet would begin a formula. That is at the start of a cell, and where a spreadsheet
// that separates cells by `;` or tab would start one. `restoreCell` removes it again.

/** The characters that begin a formula, also in their full-width and small forms. */
const FORMULA_SIGNS: ReadonlySet<string> = new Set('=+-@＝＋－＠﹦﹢﹣﹫');
/**
 * Spreadsheets of other locales begin a cell after these, and at line ends in a cell: Swedish ones separate by `;`.
 */
const SEPARATORS: ReadonlySet<string> = new Set(';\t\r\n');
/** Spreadsheets skip blanks, quotes and invisible characters before a formula. */
const PASSED_OVER = /[\s"'“”\p{Cc}\p{Cf}]/u;
/**
 * At the beginning of a cell also the apostrophe. Otherwise one that we added could not be distinguished from one of
 * the text. Tab and CR as earlier releases wrote them.
 */
const MARKED_START = /^['\t\r]/;
const MARKED = /^'(?=['\t\r])/;
const MAY_NEED_MARKS = /^['\t\r]|[=+\-@＝＋－＠﹦﹢﹣﹫]/;
const NEEDS_QUOTES = /[",\r\n]/;
const MARK = "'";

/** One record with its line end (CRLF). */
export function writeRecord(cells: readonly string[]): string {
  // A lone empty cell would be a blank line.
  return cells.length === 1 && cells[0] === '' ? '""\r\n' : `${cells.map(writeCell).join(',')}\r\n`;
}

/** The text of a cell without the apostrophes that `writeRecord` may have added. */
export function restoreCell(cell: string): string {
  if (!cell.includes(MARK)) return cell;
  const marks = formulaStarts(cell).filter((place) => cell[place] === MARK);
  if (marks[0] !== 0 && MARKED.test(cell)) marks.unshift(0);
  return piecesBetween(cell, marks, 1).join('');
}

function writeCell(value: string): string {
  const safe = MAY_NEED_MARKS.test(value) ? withMarks(value) : value;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function withMarks(value: string): string {
  const starts = formulaStarts(value);
  if (starts[0] !== 0 && MARKED_START.test(value)) starts.unshift(0);
  return piecesBetween(value, starts, 0).join(MARK);
}

/**
 * The positions where a spreadsheet would begin to read a formula, in order. Apostrophes do not move them, because they
 * are skipped too.
 */
function formulaStarts(text: string): number[] {
  const starts: number[] = [];
  let isFormula = false;
  for (let place = text.length - 1; place >= 0; place -= 1) {
    const sign = text.charAt(place);
    if (FORMULA_SIGNS.has(sign)) isFormula = true;
    else if (isFormula && !PASSED_OVER.test(sign)) isFormula = false;
    if (isFormula && (place === 0 || SEPARATORS.has(text.charAt(place - 1)))) starts.push(place);
  }
  return starts.reverse();
}

/** The text cut at the places, without `dropped` characters there. */
function piecesBetween(text: string, places: readonly number[], dropped: 0 | 1): string[] {
  const ends = [...places, text.length];
  return ends.map((end, index) => text.slice(index === 0 ? 0 : (places[index - 1] ?? 0) + dropped, end));
}
