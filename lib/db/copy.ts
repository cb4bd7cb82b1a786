// Bulk inserts by COPY … FROM STDIN in text format (postgresql.org/docs/current/sql-copy.html), the fastest way to
// insert many rows.
import { finished } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from } from 'pg-copy-streams';
import { beginStatement, errorType } from '../traces/steps.ts';
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
  const statement = `COPY ${table} (${columns.join(', ')}) FROM STDIN`;
  const span = beginStatement(statement);
  try {
    const copy = beginCopy(client, statement);
    for (let start = 0; start < lines.length; start += CHUNK_LINES) {
      await copy.write(`${lines.slice(start, start + CHUNK_LINES).join('\n')}\n`);
    }
    await copy.end();
    span?.end();
  } catch (error) {
    span?.end({ error: errorType(error) });
    throw error;
  }
}

export interface CopyIn {
  /** Waits while the server is behind. @throws as {@link runCopy} does */
  write(piece: string | Buffer): Promise<void>;
  /** @throws as {@link runCopy} does, for rows that the table refuses */
  end(): Promise<void>;
}

/** Begins a `COPY … FROM STDIN`. */
export function beginCopy(client: ClientBase, statement: string): CopyIn {
  const stream = client.query(from(statement));
  const done = finished(stream);
  // The caller that waits for it gets the error.
  done.catch(() => undefined);
  const explain = async (work: Promise<unknown>) => {
    try {
      await work;
    } catch (error) {
      throw isUnavailable(error) ? unavailable(error) : error;
    }
  };
  return {
    write: (piece) =>
      explain(
        stream.write(piece)
          ? Promise.resolve()
          : Promise.race([new Promise((resolve) => stream.once('drain', resolve)), done]),
      ),
    end() {
      stream.end();
      return explain(done);
    },
  };
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
