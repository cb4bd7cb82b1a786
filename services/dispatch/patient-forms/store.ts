// SQL of patients' forms: the view of those given by requests and plans, and what the patient has done with each.
import type { Queryable } from '#lib/db/database.ts';
import { type FromRow, fromRow } from '#lib/db/from-row.ts';
import { findRow } from '#lib/db/rows.ts';
import type { PatientFormStatus } from './schema.ts';

interface Row {
  patient_form_guid: string;
  /** Null for a form that the plan gives. */
  service_request_id: string | null;
  careplan_guid: string;
  patient_guid: string;
  organisation_guid: string;
  title: string;
  due: string | null;
  /** Whether the request or plan still takes answers. */
  is_open: boolean;
  begun_at: Date | null;
  response_id: string | null;
  answered_at: Date | null;
  reviewed_at: Date | null;
}

export type PatientForm = FromRow<Row>;

/** The texts of a form. */
export interface FormTexts {
  readonly questionnaire: string;
  readonly renderReady: string;
  readonly draft: string | undefined;
}

const COLUMNS = `p.patient_form_guid, p.service_request_id, p.careplan_guid, p.patient_guid, p.organisation_guid, p.title, p.due,
  p.is_open, s.begun_at, s.response_id, s.answered_at, s.reviewed_at`;
const FORMS = 'patient_form p LEFT JOIN patient_form_state s USING (patient_form_guid)';
const STATUS = `CASE WHEN s.response_id IS NOT NULL THEN 'answered' WHEN s.draft IS NOT NULL THEN 'begun' ELSE 'to_do' END`;
const LIST = {
  name: 'patient-form-list',
  text: `SELECT ${COLUMNS}, count(*) OVER () AS total FROM ${FORMS}
    WHERE p.patient_guid = ANY($1) AND (p.is_open OR s.response_id IS NOT NULL) AND ($2::text IS NULL OR ${STATUS} = $2)
    ORDER BY s.response_id IS NOT NULL, p.due NULLS LAST, p.given_at, p.patient_form_guid LIMIT $3 OFFSET $4`,
};
const FIND = {
  name: 'patient-form-find',
  text: `SELECT ${COLUMNS} FROM ${FORMS} WHERE p.patient_form_guid = $1`,
};
const TEXTS = {
  name: 'patient-form-texts',
  text: `SELECT p.questionnaire, p.render_ready, s.draft FROM ${FORMS} WHERE p.patient_form_guid = $1`,
};
const BEGIN = {
  name: 'patient-form-begin',
  text: `INSERT INTO patient_form_state (patient_form_guid, draft, begun_at) VALUES ($1, $2, $3)
    ON CONFLICT (patient_form_guid) DO UPDATE SET draft = excluded.draft,
      begun_at = CASE WHEN excluded.draft IS NULL THEN NULL ELSE coalesce(patient_form_state.begun_at, excluded.begun_at) END`,
};
const ANSWER = {
  name: 'patient-form-answer',
  text: `INSERT INTO patient_form_state (patient_form_guid, response_id, answered_at) VALUES ($1, $2, $3)
    ON CONFLICT (patient_form_guid) DO UPDATE SET response_id = excluded.response_id, answered_at = excluded.answered_at,
      draft = NULL, begun_at = NULL`,
};
const REVIEW = {
  name: 'patient-form-review',
  text: `UPDATE patient_form_state SET reviewed_at = $2, reviewer_id = $3 WHERE patient_form_guid = $1 AND reviewed_at IS NULL`,
};

export interface FormFilter {
  readonly status: PatientFormStatus | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Those to answer first, by their due date; then the answered ones. */
export async function listForms(
  db: Queryable,
  patientIds: readonly string[],
  { status, limit, offset }: FormFilter,
): Promise<{ readonly forms: readonly PatientForm[]; readonly total: number }> {
  const { rows } = await db.query<Row & { total: number }>(LIST, [patientIds, status ?? null, limit, offset]);
  const total = Number(rows[0]?.total ?? 0);
  return { forms: rows.map(({ total: _total, ...row }) => fromRow<Row>(row)), total };
}

export async function findForm(db: Queryable, guid: string): Promise<PatientForm | undefined> {
  return findRow(db, FIND, [guid], (row: Row) => fromRow(row));
}

export async function readTexts(db: Queryable, guid: string): Promise<FormTexts | undefined> {
  const { rows } = await db.query<{ questionnaire: string; render_ready: string; draft: string | null }>(TEXTS, [guid]);
  const [row] = rows;
  return row && { questionnaire: row.questionnaire, renderReady: row.render_ready, draft: row.draft ?? undefined };
}

/** Keeps a draft, or removes it. */
export async function saveDraft(tx: Queryable, guid: string, draft: string | undefined, now: Date): Promise<void> {
  await tx.query(BEGIN, [guid, draft ?? null, now]);
}

/** Notes the answer, or that it was withdrawn. */
export async function saveAnswer(
  tx: Queryable,
  guid: string,
  responseId: string | undefined,
  now: Date,
): Promise<void> {
  await tx.query(ANSWER, [guid, responseId ?? null, responseId === undefined ? null : now]);
}

export async function saveReview(tx: Queryable, guid: string, reviewerId: string, now: Date): Promise<void> {
  await tx.query(REVIEW, [guid, now, reviewerId]);
}
