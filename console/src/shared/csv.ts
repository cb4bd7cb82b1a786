// CSV as people have it (RFC 4180, and as spreadsheets in Swedish write it): cells separated by commas, semicolons or
// tabs, in quotes where needed.

/** The rows of the text, without those that are empty. The separator is the one that the first line has most of. */
export function readCsv(text: string): string[][] {
  const separator = separatorOf(text);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  const endRow = () => {
    row.push(cell);
    if (row.some((each) => each.trim() !== '')) rows.push(row);
    [row, cell] = [[], ''];
  };
  const plain = text.replace(/^\uFEFF/, '');
  for (let index = 0; index < plain.length; index += 1) {
    const sign = plain[index] ?? '';
    if (isQuoted && sign === '"' && plain[index + 1] === '"') {
      cell += '"';
      index += 1;
    } else if (sign === '"' && (isQuoted || cell === '')) isQuoted = !isQuoted;
    else if (isQuoted) cell += sign;
    else if (sign === separator) {
      row.push(cell);
      cell = '';
    } else if (sign === '\n' || sign === '\r') endRow();
    else cell += sign;
  }
  endRow();
  return rows;
}

function separatorOf(text: string): string {
  const first = text.slice(0, 10_000).split(/[\r\n]/, 1)[0] ?? '';
  const count = (sign: string) => first.split(sign).length;
  return [',', ';', '\t'].toSorted((a, b) => count(b) - count(a))[0] ?? ',';
}

export type CsvCell = string | number;

export interface CsvForm {
  readonly separator: ',' | ';';
  readonly decimal: '.' | ',';
}

const PLAIN: CsvForm = { separator: ',', decimal: '.' };

/** How spreadsheets where the language is spoken write CSV: in Sweden the comma is the decimal sign. */
export function spreadsheetForm(language: 'sv' | 'en'): CsvForm {
  return language === 'sv' ? { separator: ';', decimal: ',' } : PLAIN;
}

/** Of rows of cells; lines end with CRLF. Cells keep to one line. */
export function writeCsv(rows: readonly (readonly CsvCell[])[], form = PLAIN): string {
  return rows.map((row) => `${row.map((cell) => cellText(cell, form)).join(form.separator)}\r\n`).join('');
}

/** A number needs no quotes: in the form whose decimal sign is the comma, that does not separate. */
function cellText(cell: CsvCell, { decimal }: CsvForm): string {
  return typeof cell === 'number' ? String(cell).replace('.', decimal) : quoted(cell);
}

function quoted(cell: string): string {
  const line = cell.replaceAll(/[\r\n]+/g, ' ');
  return /[",;\t]/.test(line) ? `"${line.replaceAll('"', '""')}"` : line;
}

/**
 * So that no spreadsheet runs it: an apostrophe before what a formula begins with
 * (owasp.org/www-community/attacks/CSV_Injection). Numbers stay as they are.
 */
export function harmless(cell: CsvCell): CsvCell {
  if (typeof cell === 'number') return cell;
  return /^[\s"']*[=+\-@＝＋－＠]/.test(cell) ? `'${cell}` : cell;
}
