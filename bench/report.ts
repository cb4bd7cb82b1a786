// The report of a benchmark: one line for each figure, beside its bare limit and its target.

export interface Figure {
  readonly name: string;
  /** As it is shown, with its unit. */
  readonly value: string;
  readonly bare?: string;
  readonly ratio?: string;
  /** What must hold, in words; without it the figure is for information. */
  readonly must?: string;
  readonly isMet?: boolean;
}

const COLUMNS = ['figure', 'value', 'bare', 'ratio', 'must', ''] as const;

/** Prints the table; answers whether every must is met. */
export function printTable(figures: readonly Figure[]): boolean {
  const rows = figures.map(({ name, value, bare = '', ratio = '', must = '', isMet }) => {
    const verdict = isMet === undefined ? '' : isMet ? 'ok' : 'MISSED';
    return [name, value, bare, ratio, must, verdict];
  });
  const widths = COLUMNS.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of [COLUMNS, ...rows]) {
    console.log(
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    );
  }
  return figures.every(({ isMet }) => isMet !== false);
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Says what is being done, on a line that the next one takes the place of. */
export function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}
