// SQL of all results of a request, by whatever way they came (docs/adr/0087). These are those of its providers, as the
// matches have them, and the patient's answers to its forms, which dispatch keeps.
import type { Queryable } from '#lib/db/database.ts';
import { type FromRow, fromRow } from '#lib/db/from-row.ts';
import type { REPORTERS, RESULT_STATES } from './list-schema.ts';

interface Row {
  /** Of a patient's answer `QuestionnaireResponse/<id>`, else absolute. */
  reference: string;
  reporter: (typeof REPORTERS)[number];
  match_guid: string | null;
  provider_name: string | null;
  state: (typeof RESULT_STATES)[number];
  /** Null where dispatch does not know. */
  reported_at: Date | null;
}

export type ListedResult = FromRow<Row>;

const LIST = {
  name: 'results-of-request',
  text: `SELECT reference, reporter, match_guid, provider_name, state, reported_at FROM (
      SELECT r.reference, 'provider' AS reporter, m.match_guid, m.provider_name, p.created_at AS reported_at,
        CASE WHEN p.refused_at IS NOT NULL THEN 'refused' WHEN p.report_guid IS NOT NULL AND p.delivered_at IS NULL THEN 'pending'
          ELSE 'stored' END AS state, m.created_at AS made_at, r.number
      FROM match m CROSS JOIN LATERAL unnest(m.results) WITH ORDINALITY AS r (reference, number)
        LEFT JOIN LATERAL (SELECT q.* FROM result_report q
          WHERE q.request_guid = m.request_guid AND substring(r.reference FROM '[^/]+/[^/]+$') = ANY (q.resources)
          ORDER BY q.report_guid DESC LIMIT 1) p ON true
      WHERE m.service_request_id = $1
      UNION ALL
      SELECT 'QuestionnaireResponse/' || s.response_id, 'patient', NULL, NULL, s.answered_at, 'stored', s.answered_at, 0
      FROM patient_form f JOIN patient_form_state s USING (patient_form_guid)
      WHERE f.service_request_id = $1 AND s.response_id IS NOT NULL
    ) each ORDER BY reporter DESC, made_at, match_guid, number`,
};

/** Those of providers first, in the order in which they were reported. */
export async function listResults(db: Queryable, serviceRequestId: string): Promise<ListedResult[]> {
  const { rows } = await db.query<Row>(LIST, [serviceRequestId]);
  return rows.map((row) => fromRow(row));
}
