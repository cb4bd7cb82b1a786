// A rule for tables of few rows: they are found by a condition, without an index of their own.
import type { Queryable } from '../db/database.ts';
import { readCount } from '../db/rows.ts';
import type { RetentionRule } from './rule.ts';

/** A table of which rows are removed. */
export interface SimpleTable {
  readonly table: string;
  /** The primary key, which is a uuid. */
  readonly key: string;
  /** Which rows are over; `$1` is the time. */
  readonly over: string;
}

/** `after` is the table that is next: a batch removes what is found, up to its limit. */
export function simpleRule(
  head: Pick<RetentionRule, 'name' | 'what' | 'variable' | 'kept' | 'before'>,
  tables: readonly SimpleTable[],
): RetentionRule {
  return {
    ...head,
    async count(db: Queryable, before: Date) {
      let count = 0;
      for (const { table, over } of tables)
        count += await readCount(db, `SELECT count(*) AS count FROM ${table} WHERE ${over}`, [before]);
      return count;
    },
    async removeBatch(tx, { before, after, limit }) {
      const place = Number(after?.[0] ?? 0);
      const each = tables[place];
      if (each === undefined) return { removed: 0, after: undefined };
      const { table, key, over } = each;
      const { rowCount: removed } = await tx.query(
        `DELETE FROM ${table} WHERE ${key} IN (
           SELECT ${key} FROM ${table} WHERE ${over} ORDER BY ${key} LIMIT $2::int FOR UPDATE SKIP LOCKED)`,
        [before, limit],
      );
      if (removed === limit) return { removed, after: [place] };
      return { removed, after: place + 1 < tables.length ? [place + 1] : undefined };
    },
  };
}
