// SQL of reported results on their way to the engine (docs/adr/0078).

import type { Queryable } from '#lib/db/database.ts';
import { leasedTable } from '#lib/jobs/leased-table.ts';

export interface NewReport {
  readonly reportGuid: string;
  readonly requestGuid: string;
  readonly digest: Buffer;
  /** As `Type/id`. */
  readonly resources: readonly string[];
  /** The body of the call to the engine. */
  readonly body: string;
}

/** The resources of the report that is stored: those of before when the same was reported before. */
export async function insertReport(
  db: Queryable,
  report: NewReport,
  now: Date,
): Promise<{ readonly isNew: boolean; readonly resources: readonly string[] }> {
  const { rowCount } = await db.query(
    `INSERT INTO result_report (report_guid, request_guid, content_sha256, resources, body, next_at, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $6) ON CONFLICT ON CONSTRAINT result_report_once DO NOTHING`,
    [report.reportGuid, report.requestGuid, report.digest, report.resources, report.body, now],
  );
  if (rowCount === 1) return { isNew: true, resources: report.resources };
  const found = await findReport(db, report.requestGuid, report.digest);
  return { isNew: false, resources: found ?? [] };
}

/** The resources of a report that was stored before. */
async function findReport(db: Queryable, requestGuid: string, digest: Buffer): Promise<readonly string[] | undefined> {
  const text = 'SELECT resources FROM result_report WHERE request_guid = $1 AND content_sha256 = $2';
  return (await db.query<{ resources: string[] }>(text, [requestGuid, digest])).rows[0]?.resources;
}

/** All resources that were reported of a request. */
export async function listReported(db: Queryable, requestGuid: string): Promise<string[]> {
  const text = 'SELECT resources FROM result_report WHERE request_guid = $1 AND refused_at IS NULL';
  return (await db.query<{ resources: string[] }>(text, [requestGuid])).rows.flatMap(({ resources }) => resources);
}

/** The pushed bundle of a request as JSON text. */
export async function readBundleOf(db: Queryable, requestGuid: string): Promise<string | undefined> {
  const text = 'SELECT b.content FROM receipt r JOIN push_bundle b USING (bundle_guid) WHERE r.request_guid = $1';
  return (await db.query<{ content: string }>(text, [requestGuid])).rows[0]?.content;
}

export interface DueReport {
  readonly report_guid: string;
  readonly request_guid: string;
  readonly body: string;
  readonly attempt: number;
}

export const {
  claim: claimReport,
  postpone: postponeReport,
  refuse: refuseReport,
} = leasedTable<DueReport>({
  table: 'result_report',
  key: 'report_guid',
  columns: ['report_guid', 'request_guid', 'body', 'attempt'],
  waits: (alias) => `${alias}.delivered_at IS NULL AND ${alias}.refused_at IS NULL`,
});

/** The engine has it. */
export async function settleReport(db: Queryable, report: DueReport, now: Date): Promise<void> {
  await db.query(
    'UPDATE result_report SET delivered_at = $2, body = NULL, leased_until = NULL WHERE report_guid = $1',
    [report.report_guid, now],
  );
}

export interface ReportCounts {
  readonly waiting: number;
  readonly refused: number;
  /** When the oldest that waits was stored. */
  readonly since: Date | undefined;
}

const COUNT = {
  name: 'result-report-count',
  text: `SELECT count(*) FILTER (WHERE refused_at IS NULL) AS waiting, count(refused_at) AS refused,
      min(created_at) FILTER (WHERE refused_at IS NULL) AS since
    FROM result_report WHERE delivered_at IS NULL`,
};

export async function countReports(db: Queryable): Promise<ReportCounts> {
  const [row] = (await db.query<{ waiting: number; refused: number; since: Date | null }>(COUNT)).rows;
  return { waiting: Number(row?.waiting ?? 0), refused: Number(row?.refused ?? 0), since: row?.since ?? undefined };
}
