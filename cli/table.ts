// Columns of text for a terminal.
import { printable } from './printable.ts';

/** The rows as lines, the first being the head. Control characters are replaced, as they could steer the terminal. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const shown = rows.map((row) => row.map(printable));
  const widths = (shown[0] ?? []).map((_, column) => Math.max(...shown.map((row) => row[column]?.length ?? 0)));
  const lineOf = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return shown.map((row) => lineOf(row).trimEnd()).join('\n');
}
