// COPY … FROM STDIN in text form (postgresql.org/docs/current/sql-copy.html): the fastest way of many rows into a table.
import { once } from 'node:events';
import type { ClientBase } from 'pg';
import { from } from 'pg-copy-streams';
import type { CopyTarget } from './database.ts';
import { isUnavailable, unavailable } from './failure.ts';

/** So much text is handed to the socket at once. */
const CHUNK_ROWS = 500;
const SPECIAL = /[\\\t\n\r]/;
const ALL_SPECIAL = /[\\\t\n\r]/g;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** @throws ServiceError `unavailable` when the connection is lost; the driver's DatabaseError otherwise. */
export async function runCopy(
  client: ClientBase,
  { table, columns }: CopyTarget,
  rows: readonly (readonly unknown[])[],
): Promise<void> {
  if (rows.length === 0) return;
  const stream = client.query(from(`COPY ${table} (${columns.join(', ')}) FROM STDIN`));
  const ended = once(stream, 'finish');
  try {
    for (let start = 0; start < rows.length; start += CHUNK_ROWS) {
      const end = Math.min(start + CHUNK_ROWS, rows.length);
      let text = '';
      for (let at = start; at < end; at += 1) text += rowText(rows[at] ?? []);
      if (!stream.write(text)) await Promise.race([once(stream, 'drain'), ended]);
    }
    stream.end();
    await ended;
  } catch (error) {
    throw isUnavailable(error) ? unavailable(error) : error;
  }
}

function rowText(row: readonly unknown[]): string {
  let text = valueText(row[0]);
  for (let column = 1; column < row.length; column += 1) text += `\t${valueText(row[column])}`;
  return `${text}\n`;
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return '\\N';
  if (typeof value === 'string') {
    return SPECIAL.test(value) ? value.replace(ALL_SPECIAL, (character) => ESCAPES[character] ?? character) : value;
  }
  return value instanceof Date ? value.toISOString() : String(value);
}
