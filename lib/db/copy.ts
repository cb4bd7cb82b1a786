// Bulk inserts by COPY … FROM STDIN in text format (postgresql.org/docs/current/sql-copy.html), the fastest way to
// insert many rows.
import { once } from 'node:events';
import type { ClientBase } from 'pg';
import { from } from 'pg-copy-streams';
import type { CopyTarget } from './database.ts';
import { isUnavailable, unavailable } from './failure.ts';

/** The number of lines written to the socket at once. */
const CHUNK_LINES = 500;
const SPECIAL = /[\\\t\n\r]/;
const ALL_SPECIAL = /[\\\t\n\r]/g;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** @throws ServiceError `unavailable` when the connection is lost; the driver's DatabaseError otherwise. */
export async function runCopy(
  client: ClientBase,
  { table, columns }: CopyTarget,
  lines: readonly string[],
): Promise<void> {
  if (lines.length === 0) return;
  const stream = client.query(from(`COPY ${table} (${columns.join(', ')}) FROM STDIN`));
  const ended = once(stream, 'finish');
  try {
    for (let start = 0; start < lines.length; start += CHUNK_LINES) {
      const text = `${lines.slice(start, start + CHUNK_LINES).join('\n')}\n`;
      if (!stream.write(text)) await Promise.race([once(stream, 'drain'), ended]);
    }
    stream.end();
    await ended;
  } catch (error) {
    throw isUnavailable(error) ? unavailable(error) : error;
  }
}

/** A row as the line that COPY reads, without its end: null and undefined are NULL, dates instants. */
export function copyLine(row: readonly unknown[]): string {
  // Joined, not concatenated: lines are sorted, and ropes of many pieces are slow to compare.
  return row.map(valueText).join('\t');
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return '\\N';
  if (typeof value === 'string') {
    return SPECIAL.test(value) ? value.replace(ALL_SPECIAL, (character) => ESCAPES[character] ?? character) : value;
  }
  return value instanceof Date ? value.toISOString() : String(value);
}
