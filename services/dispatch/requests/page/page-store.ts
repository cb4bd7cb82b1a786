// SQL of the receipt page for providers without a system (decision D13): finds the request of a receipt token.
import type { Queryable } from '#lib/db/database.ts';
import type { MatchStatus, Progress, WithdrawnReason } from '../../shared/match-lifecycle.ts';

export interface PageRecord {
  readonly requestGuid: string;
  readonly serviceRequestId: string;
  readonly providerGuid: string;
  readonly patientGuid: string;
  /** The organisation for which consent is asked. */
  readonly organisationGuid: string;
  readonly providerName: string;
  readonly matchStatus: Exclude<MatchStatus, 'pending'>;
  readonly progress: Progress;
  /** The message of the last report, and when it was. */
  readonly progressNote: string | undefined;
  readonly progressAt: Date | undefined;
  /** How many Observations and answers to forms were reported, by whatever way. */
  readonly results: number;
  readonly withdrawnReason: WithdrawnReason | undefined;
  readonly respondBy: Date | undefined;
  readonly dispatchedAt: Date;
  /** JSON text. */
  readonly bundle: string;
}

interface Row {
  request_guid: string;
  service_request_id: string;
  provider_guid: string;
  patient_guid: string;
  organisation_guid: string;
  provider_name: string;
  status: Exclude<MatchStatus, 'pending'>;
  progress: Exclude<Progress, 'none'> | null;
  progress_note: string | null;
  progress_at: Date | null;
  results: number;
  withdrawn_reason: WithdrawnReason | null;
  respond_by: Date | null;
  dispatched_at: Date;
  content: string;
}

const READ = {
  name: 'receipt-page-of-token',
  text: `SELECT r.request_guid, r.service_request_id, r.provider_guid, r.patient_guid, r.organisation_guid, r.dispatched_at,
      m.provider_name, m.status, m.progress, m.progress_note, m.progress_at, cardinality(m.results) AS results, m.withdrawn_reason, m.respond_by, b.content
    FROM receipt r
    JOIN match m ON m.service_request_id = r.service_request_id AND m.request_guid = r.request_guid
    JOIN push_bundle b ON b.bundle_guid = r.bundle_guid
    WHERE r.request_guid = (SELECT request_guid FROM receipt WHERE token_hash = $1
      UNION ALL SELECT request_guid FROM receipt_link WHERE token_hash = $1 AND ended_at IS NULL)`,
};

/** The request of the token with this hash; undefined for a token that was never sent. */
export async function readPageRecord(db: Queryable, tokenHash: Buffer): Promise<PageRecord | undefined> {
  const row = (await db.query<Row>(READ, [tokenHash])).rows[0];
  if (row === undefined) return undefined;
  return {
    requestGuid: row.request_guid,
    serviceRequestId: row.service_request_id,
    providerGuid: row.provider_guid,
    patientGuid: row.patient_guid,
    organisationGuid: row.organisation_guid,
    providerName: row.provider_name,
    matchStatus: row.status,
    progress: row.progress ?? 'none',
    progressNote: row.progress_note ?? undefined,
    progressAt: row.progress_at ?? undefined,
    results: row.results,
    withdrawnReason: row.withdrawn_reason ?? undefined,
    respondBy: row.respond_by ?? undefined,
    dispatchedAt: row.dispatched_at,
    bundle: row.content,
  };
}
