// SQL of reports that are announced to dispatch (docs/adr/0078). A claim is a lease with an attempt number.

import type { Queryable, Transaction } from '#lib/db/database.ts';
import type { LeaseTimes } from '#lib/jobs/leased-calls.ts';
import { noticeTable } from './notice-table.ts';

/** The provider's person, as dispatch gets it. */
export interface NoticedPerson {
  readonly user_guid: string;
  readonly name: string | null;
}

export interface NewNotice {
  readonly requestGuid: string;
  /** As `Type/id`. */
  readonly reference: string;
  readonly person: NoticedPerson | null;
}

export interface Notice {
  readonly notice_id: number;
  readonly request_guid: string;
  readonly reference: string;
  readonly person: NoticedPerson | null;
  readonly attempt: number;
}

export async function insertNotice(tx: Transaction, notice: NewNotice, now: Date): Promise<void> {
  await tx.query(
    'INSERT INTO report_notice (request_guid, reference, person, next_at, created_at) VALUES ($1, $2, $3, $4, $4)',
    [notice.requestGuid, notice.reference, notice.person === null ? null : JSON.stringify(notice.person), now],
  );
}

/** Claims what is due of the request that has waited longest, at most `most`. */
export async function claimNotices(db: Queryable, times: LeaseTimes, most: number): Promise<Notice[]> {
  const { rows } = await db.query<Notice>(
    `UPDATE report_notice SET attempt = attempt + 1, leased_until = $2 WHERE notice_id IN (
       SELECT n.notice_id FROM report_notice n
       WHERE n.next_at <= $1 AND (n.leased_until IS NULL OR n.leased_until <= $1) AND n.request_guid = (
         SELECT f.request_guid FROM report_notice f
         WHERE f.next_at <= $1 AND (f.leased_until IS NULL OR f.leased_until <= $1) ORDER BY f.next_at LIMIT 1)
       ORDER BY n.notice_id LIMIT $3 FOR UPDATE SKIP LOCKED)
     RETURNING notice_id, request_guid, reference, person, attempt`,
    [times.now, times.leaseEnds, most],
  );
  return rows.toSorted((a, b) => a.notice_id - b.notice_id);
}

export const { remove: removeNotices, postpone: postponeNotices } = noticeTable('report_notice');
