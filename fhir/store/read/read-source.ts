// A database to read from, with what batches the reads of several callers: the primary, or a standby.
import { batchStatements } from '#lib/db/batched-statements.ts';
import type { Queryable } from '#lib/db/database.ts';
import { type BatchedLookup, type BatchingOptions, batchLookups } from './batched-lookup.ts';

export interface ReadSource {
  readonly db: Queryable;
  /** Reads of single versions, several requests' together. */
  readonly lookups: BatchedLookup;
  /** Searches from few resources, several requests' together; undefined within a transaction. */
  readonly searches: Queryable | undefined;
  /** A standby stores nothing: what is read from it is recorded afterwards. */
  readonly isStandby: boolean;
}

export function createReadSource(options: BatchingOptions, isStandby: boolean): ReadSource {
  const { database: db } = options;
  return { db, lookups: batchLookups(options), searches: batchStatements(db), isStandby };
}
