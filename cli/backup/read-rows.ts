// The rows of a table as COPY writes them in text format: the same text on every server, whatever its settings.
import type { LongConnection } from '#lib/db/long-connection.ts';
import { columnList, identifier } from './catalog.ts';
import type { Table } from './records.ts';

/** Settings of the transaction by which values become text, and by which tables are read in the order of their rows. */
export const TEXT_SETTINGS = [
  "SET LOCAL TimeZone = 'UTC'",
  "SET LOCAL DateStyle = 'ISO'",
  "SET LOCAL IntervalStyle = 'postgres'",
  "SET LOCAL bytea_output = 'hex'",
  'SET LOCAL extra_float_digits = 1',
  'SET LOCAL synchronize_seqscans = off',
  'SET LOCAL max_parallel_workers_per_gather = 0',
].join('; ');

/** @throws as `copyOut` does */
export function readRows(db: LongConnection, { schema, name, columns }: Table): AsyncGenerator<Buffer> {
  // A table without columns of its own has rows too, which COPY writes as empty lines.
  return db.copyOut(`COPY (SELECT ${columnList(columns)} FROM ${identifier(schema, name)}) TO STDOUT`);
}
