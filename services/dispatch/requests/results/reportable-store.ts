// SQL of requests that were pushed to providers, for the engine's questions (docs/adr/0078).
import type { Queryable } from '#lib/db/database.ts';
import { type FromRow, fromRow } from '#lib/db/from-row.ts';
import type { MatchStatus, ProgressStatus } from '../../shared/match-lifecycle.ts';

interface Row {
  service_request_id: string;
  provider_guid: string;
  provider_name: string;
  provider_organisation_guid: string | null;
  request_guid: string;
  status: Exclude<MatchStatus, 'pending'>;
  progress: ProgressStatus | null;
  respond_by: Date | null;
  patient_guid: string;
  /** The organisation that ordered. */
  organisation_guid: string;
}

export type PushedMatch = FromRow<Row>;

const FIND = {
  name: 'match-pushed-to',
  text: `SELECT m.service_request_id, m.provider_guid, m.provider_name, m.provider_organisation_guid, m.request_guid, m.status, m.progress,
      m.respond_by, r.patient_guid, s.organisation_guid
    FROM match m JOIN receipt r ON r.service_request_id = m.service_request_id AND r.request_guid = m.request_guid
      JOIN service_request s ON s.id = m.service_request_id
    WHERE m.service_request_id = ANY($1::uuid[]) AND m.provider_guid = ANY($2::text[]) AND m.status <> 'pending'
    ORDER BY m.created_at, m.match_guid`,
};

/** All pushes of these ServiceRequests to these providers. */
export async function listPushedTo(
  db: Queryable,
  { serviceRequestIds, providerGuids }: { serviceRequestIds: readonly string[]; providerGuids: readonly string[] },
): Promise<PushedMatch[]> {
  const { rows } = await db.query<Row>(FIND, [serviceRequestIds, providerGuids]);
  return rows.map((row) => fromRow(row));
}
