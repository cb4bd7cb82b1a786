// What happens, or has happened, with each row of an import.
import { COLUMNS, type Column } from './mapping.ts';

/** As the service answers. */
export interface ImportAnswer {
  readonly created: number;
  readonly skipped: number;
  readonly skipped_lines?: readonly number[];
  readonly errors: readonly { readonly line: number; readonly message: string }[];
}

export type Outcome = 'create' | 'skip' | 'faulty';

export interface RowOutcome {
  readonly outcome: Outcome;
  /** What is wrong, in the service's words. */
  readonly messages: readonly string[];
}

/** In the order of the rows; the first row is on line 2. A row that is skipped may say why, too. */
export function outcomesOf(count: number, { skipped_lines: skipped = [], errors }: ImportAnswer): RowOutcome[] {
  const skips = new Set(skipped);
  const messages = new Map<number, string[]>();
  for (const { line, message } of errors) messages.set(line, [...(messages.get(line) ?? []), message]);
  return Array.from({ length: count }, (_, index) => {
    const said = messages.get(index + 2) ?? [];
    if (skips.has(index + 2)) return { outcome: 'skip', messages: said };
    return said.length === 0 ? { outcome: 'create', messages: [] } : { outcome: 'faulty', messages: said };
  });
}

export type Reason =
  | { readonly kind: 'noOrganisation' | 'noGroup'; readonly name: string }
  | { readonly kind: 'again'; readonly line: string }
  | { readonly kind: 'taken' }
  | { readonly kind: 'column'; readonly column: Column };

/** The reason that a message gives, for words of one's own; undefined for one that is not known. */
export function reasonOf(message: string): Reason | undefined {
  const [, organisation] = /there is no organisation '(.*)'/.exec(message) ?? [];
  if (organisation !== undefined) return { kind: 'noOrganisation', name: organisation };
  const [, group] = /there is no (?:group|phase) '(.*)'/.exec(message) ?? [];
  if (group !== undefined) return { kind: 'noGroup', name: group };
  const [, line] = /is the one of line (\d+)/.exec(message) ?? [];
  if (line !== undefined) return { kind: 'again', line };
  if (/is registered already/.test(message)) return { kind: 'taken' };
  const column = COLUMNS.find((each) => message.startsWith(`'${each}'`));
  return column === undefined ? undefined : { kind: 'column', column };
}

/** Pieces of so many, with where each begins. */
export function piecesOf<Row>(rows: readonly Row[], size: number): { readonly start: number; readonly rows: Row[] }[] {
  const starts = Array.from({ length: Math.ceil(rows.length / size) }, (_, index) => index * size);
  return starts.map((start) => ({ start, rows: rows.slice(start, start + size) }));
}
