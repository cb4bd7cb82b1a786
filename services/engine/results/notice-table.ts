// SQL of notices that wait in a table until dispatch has them, several at once: `notice_id`, `next_at`, `leased_until`.
import type { Queryable } from '#lib/db/database.ts';

interface Waiting {
  readonly notice_id: number;
}

interface NoticeTable {
  remove(db: Queryable, notices: readonly Waiting[]): Promise<void>;
  postpone(db: Queryable, notices: readonly Waiting[], nextAt: Date): Promise<void>;
}

/** The name is ours, never a caller's. */
export function noticeTable(table: string): NoticeTable {
  return {
    async remove(db, notices) {
      await db.query(`DELETE FROM ${table} WHERE notice_id = ANY($1::bigint[])`, [idsOf(notices)]);
    },
    async postpone(db, notices, nextAt) {
      const text = `UPDATE ${table} SET next_at = $2, leased_until = NULL WHERE notice_id = ANY($1::bigint[])`;
      await db.query(text, [idsOf(notices), nextAt]);
    },
  };
}

function idsOf(notices: readonly Waiting[]): readonly number[] {
  return notices.map(({ notice_id: id }) => id);
}
