// A streaming CSV reader (RFC 4180, with any line ends). A record that cannot be read is reported with its line.
// Reading continues with the next line, so that one error hides no other.

export interface CsvRecord {
  /** The physical line on which it begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Why the record cannot be read; `cells` then holds what came before the error. */
  readonly issue?: string;
}

export interface CsvReader {
  /** The records that are complete with this piece of text. */
  push(text: string): Generator<CsvRecord>;
  /** The records that remain at the end of the text. */
  end(): Generator<CsvRecord>;
}

/** The longest cell in UTF-16 units. In a longer one the closing quote is missing. */
const MAX_RECORD_LENGTH = 65_536;
export const DELIMITERS = [',', ';', '\t'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

const BARE: Readonly<Record<Delimiter, RegExp>> = {
  ',': /[^",\r\n]*/y,
  ';': /[^";\r\n]*/y,
  '\t': /[^"\t\r\n]*/y,
};
const LINE_END = /\r\n|\r|\n/g;

/** Where in the text a cell or record ends: `next` is the first position after it. */
type Cell =
  | { readonly kind: 'cell'; readonly value: string; readonly next: number }
  | { readonly kind: 'error'; readonly message: string; readonly at: number }
  | { readonly kind: 'incomplete' };

type Parsed =
  | { readonly kind: 'record'; readonly cells: readonly string[]; readonly next: number; readonly issue?: string }
  | { readonly kind: 'incomplete'; readonly cells: readonly string[] };

/** Reads one document. Memory is bounded by the pushed pieces and the longest record. */
export function createCsvReader(delimiter: Delimiter = ','): CsvReader {
  let rest = '';
  let line = 1;
  /** Inside a line whose record was refused. */
  let isSkipping = false;

  function* read(isEnd: boolean): Generator<CsvRecord> {
    let start = 0;
    while (start < rest.length) {
      if (isSkipping) {
        const next = afterLine(rest, start, isEnd);
        if (next === undefined) {
          // A carriage return at the very end may be half of a line end.
          rest = rest.endsWith('\r') ? '\r' : '';
          return;
        }
        isSkipping = false;
        line += 1;
        start = next;
        continue;
      }
      const parsed = parseRecord(rest, start, { isEnd, delimiter });
      if (parsed.kind === 'record' && parsed.issue === undefined) {
        yield { line, cells: parsed.cells };
        line += lineEnds(rest, start, parsed.next);
        start = parsed.next;
        continue;
      }
      if (parsed.kind === 'incomplete' && !isEnd && rest.length - start <= MAX_RECORD_LENGTH) break;
      const isUnclosed = parsed.kind === 'incomplete';
      yield { line, cells: parsed.cells, issue: isUnclosed ? unclosed() : (parsed.issue ?? '') };
      // The text after an unclosed quote is read again, from the next line on.
      const resume = isUnclosed ? start : parsed.next;
      line += lineEnds(rest, start, resume);
      start = resume;
      isSkipping = true;
    }
    rest = rest.slice(start);
  }

  return {
    *push(text) {
      rest += text;
      yield* read(false);
    },
    *end() {
      yield* read(true);
      rest = '';
    },
  };
}

function unclosed(): string {
  return `a quoted cell is not closed, or the row is longer than ${MAX_RECORD_LENGTH} characters`;
}

interface Parsing {
  readonly isEnd: boolean;
  readonly delimiter: Delimiter;
}

function parseRecord(text: string, start: number, parsing: Parsing): Parsed {
  const { isEnd, delimiter } = parsing;
  const cells: string[] = [];
  for (let position = start; ; ) {
    const cell = text[position] === '"' ? quotedCell(text, position, parsing) : bareCell(text, position, delimiter);
    if (cell.kind === 'incomplete') return { kind: 'incomplete', cells };
    if (cell.kind === 'error') return { kind: 'record', cells, next: cell.at, issue: cell.message };
    cells.push(cell.value);
    const { next } = cell;
    if (next >= text.length) return isEnd ? { kind: 'record', cells, next } : { kind: 'incomplete', cells };
    if (text[next] === delimiter) {
      position = next + 1;
      continue;
    }
    const after = afterLine(text, next, isEnd);
    return after === undefined ? { kind: 'incomplete', cells } : { kind: 'record', cells, next: after };
  }
}

function bareCell(text: string, position: number, delimiter: Delimiter): Cell {
  const bare = BARE[delimiter];
  bare.lastIndex = position;
  const value = bare.exec(text)?.[0] ?? '';
  const next = position + value.length;
  if (text[next] === '"') return { kind: 'error', message: 'a quote stands inside a cell without quotes', at: next };
  return { kind: 'cell', value, next };
}

function quotedCell(text: string, position: number, { isEnd, delimiter }: Parsing): Cell {
  let close = text.indexOf('"', position + 1);
  let isDoubled = false;
  while (close >= 0 && text[close + 1] === '"') {
    isDoubled = true;
    close = text.indexOf('"', close + 2);
  }
  if (close < 0) return { kind: 'incomplete' };
  const next = close + 1;
  if (next === text.length && !isEnd) return { kind: 'incomplete' };
  const content = text.slice(position + 1, close);
  const value = isDoubled ? content.replaceAll('""', '"') : content;
  const after = text.charAt(next);
  if (after === '' || after === delimiter || after === '\r' || after === '\n') return { kind: 'cell', value, next };
  return { kind: 'error', message: 'text follows the closing quote of a cell', at: next };
}

/** The position after the next line end; undefined when it is not there yet. */
function afterLine(text: string, position: number, isEnd: boolean): number | undefined {
  LINE_END.lastIndex = position;
  const found = LINE_END.exec(text);
  if (found === null) return isEnd ? text.length : undefined;
  const next = found.index + found[0].length;
  const isHalf = found[0] === '\r' && next === text.length && !isEnd;
  return isHalf ? undefined : next;
}

function lineEnds(text: string, start: number, end: number): number {
  let count = 0;
  LINE_END.lastIndex = start;
  while (LINE_END.exec(text) !== null && LINE_END.lastIndex <= end) count += 1;
  return count;
}
