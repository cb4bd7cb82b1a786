// SQL of patients' reports that are announced to dispatch (docs/adr/0072). A claim is a lease with an attempt number.

import type { PatientReportNotice } from '#clients/dispatch-client.ts';
import type { Queryable, Transaction } from '#lib/db/database.ts';
import type { LeaseTimes } from '#lib/jobs/leased-calls.ts';
import { noticeTable } from './notice-table.ts';

export interface WaitingNotice {
  readonly notice_id: number;
  readonly attempt: number;
  readonly created_at: Date;
  readonly notice: PatientReportNotice;
}

interface Row extends Omit<PatientReportNotice, 'is_withdrawn'> {
  readonly notice_id: number;
  readonly attempt: number;
  readonly created_at: Date;
  readonly is_withdrawn: boolean;
}

export async function insertPatientNotice(tx: Transaction, notice: PatientReportNotice, now: Date): Promise<void> {
  await tx.query(
    `INSERT INTO patient_report_notice (patient_ids, organisation, resource_type, based_on, is_withdrawn, next_at, created_at)
     VALUES ($1::text[], $2, $3, $4::text[], $6, $5, $5)`,
    [
      notice.patient_ids,
      notice.organisation_guid,
      notice.resource_type,
      notice.based_on,
      now,
      notice.is_withdrawn ?? false,
    ],
  );
}

/** Claims what is due, at most `most`, the oldest first. */
export async function claimPatientNotices(db: Queryable, times: LeaseTimes, most: number): Promise<WaitingNotice[]> {
  const { rows } = await db.query<Row>(
    `UPDATE patient_report_notice SET attempt = attempt + 1, leased_until = $2 WHERE notice_id IN (
       SELECT notice_id FROM patient_report_notice
       WHERE next_at <= $1 AND (leased_until IS NULL OR leased_until <= $1)
       ORDER BY next_at LIMIT $3 FOR UPDATE SKIP LOCKED)
     RETURNING notice_id, patient_ids, organisation AS organisation_guid, resource_type, based_on, is_withdrawn, attempt, created_at`,
    [times.now, times.leaseEnds, most],
  );
  return rows.map((row) => fromRow(row)).toSorted((a, b) => a.notice_id - b.notice_id);
}

/** Dispatch of the release before does not know the last member, so that it is there when it says something. */
function fromRow({ notice_id, attempt, created_at, is_withdrawn: isWithdrawn, ...about }: Row): WaitingNotice {
  return { notice_id, attempt, created_at, notice: isWithdrawn ? { ...about, is_withdrawn: true } : about };
}

export const { remove: removePatientNotices, postpone: postponePatientNotices } = noticeTable('patient_report_notice');
