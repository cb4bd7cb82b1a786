// SQL of the reports that are stored.
import type { Transaction } from '#lib/db/database.ts';

/** False when the report is stored already; others with it wait until the transaction ends. */
export async function insertReport(
  tx: Transaction,
  report: { readonly reportGuid: string; readonly requestGuid: string },
  now: Date,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    'INSERT INTO provider_result (report_guid, request_guid, stored_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [report.reportGuid, report.requestGuid, now],
  );
  return rowCount === 1;
}
