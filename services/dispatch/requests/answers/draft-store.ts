// SQL of receipt_draft and receipt_answer: forms that are being filled in by receipt token, and those that were sent
// (decision L8; docs/adr/0079).
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { fromRow } from '#lib/db/from-row.ts';

export interface DraftRow {
  readonly draftGuid: string;
  readonly version: number;
  readonly fieldsSealed: Buffer;
  readonly savedAt: Date;
}

export interface DraftAddress {
  readonly requestGuid: string;
  readonly formKey: string;
}

interface Row {
  draft_guid: string;
  version: number;
  fields_sealed: Buffer;
  saved_at: Date;
}

const LOCK = {
  name: 'receipt-draft-lock',
  text: `SELECT draft_guid, version, fields_sealed, saved_at FROM receipt_draft
    WHERE request_guid = $1 AND form_key = $2 FOR UPDATE`,
};
/** Nothing when another has made the draft meanwhile. */
const INSERT = {
  name: 'receipt-draft-insert',
  text: `INSERT INTO receipt_draft (draft_guid, request_guid, form_key, version, fields_sealed, saved_at)
    VALUES ($1, $2, $3, 1, $4, $5) ON CONFLICT DO NOTHING`,
};
const UPDATE = {
  name: 'receipt-draft-update',
  text: `UPDATE receipt_draft SET version = version + 1, fields_sealed = $2, saved_at = $3 WHERE draft_guid = $1`,
};
const DELETE = { name: 'receipt-draft-delete', text: 'DELETE FROM receipt_draft WHERE draft_guid = $1' };
const DELETE_ENDED = {
  name: 'receipt-draft-delete-ended',
  text: `DELETE FROM receipt_draft d USING receipt r JOIN match m USING (service_request_id, request_guid)
    WHERE r.request_guid = d.request_guid AND (d.saved_at < $1 OR m.status NOT IN ('pushed', 'accepted')
      OR coalesce(m.progress, '') IN ('completed', 'rejected'))`,
};
const STATES = {
  name: 'receipt-form-states',
  text: `SELECT form_key, max(saved_at) AS saved_at, max(sent_at) AS sent_at FROM (
      SELECT form_key, saved_at, NULL::timestamptz AS sent_at FROM receipt_draft WHERE request_guid = $1
      UNION ALL SELECT form_key, NULL, sent_at FROM receipt_answer WHERE request_guid = $1) each GROUP BY form_key`,
};
const HAS_DRAFT = {
  name: 'receipt-draft-any',
  text: 'SELECT FROM receipt_draft WHERE request_guid = $1 LIMIT 1',
};
const HAS_OTHER_DRAFT = {
  name: 'receipt-draft-other',
  text: 'SELECT FROM receipt_draft WHERE request_guid = $1 AND form_key <> $2 LIMIT 1',
};
const INSERT_ANSWER = {
  name: 'receipt-answer-insert',
  text: `INSERT INTO receipt_answer (draft_guid, request_guid, form_key, results, sent_at, answers_sealed)
    VALUES ($1, $2, $3, $4, $5, $6)`,
};
const LIST_ANSWERS = {
  name: 'receipt-answers',
  text: `SELECT draft_guid, results, sent_at, answers_sealed FROM receipt_answer WHERE request_guid = $1 ORDER BY sent_at, draft_guid`,
};
const FIND_ANSWER = {
  name: 'receipt-answer-find',
  text: 'SELECT sent_at FROM receipt_answer WHERE draft_guid = $1 AND request_guid = $2',
};

/** The draft, locked until the transaction ends. */
export async function lockDraft(transaction: Transaction, address: DraftAddress): Promise<DraftRow | undefined> {
  const { rows } = await transaction.query<Row>(LOCK, [address.requestGuid, address.formKey]);
  return rows[0] && fromRow(rows[0]);
}

/** Whether it was made: another may have been quicker. */
export async function insertDraft(
  transaction: Transaction,
  { requestGuid, formKey }: DraftAddress,
  draft: Pick<DraftRow, 'draftGuid' | 'fieldsSealed' | 'savedAt'>,
): Promise<boolean> {
  const { draftGuid, fieldsSealed, savedAt } = draft;
  return (await transaction.query(INSERT, [draftGuid, requestGuid, formKey, fieldsSealed, savedAt])).rowCount > 0;
}

/** Raises the version by one. */
export async function updateDraft(
  transaction: Transaction,
  { draftGuid, fieldsSealed, savedAt }: Pick<DraftRow, 'draftGuid' | 'fieldsSealed' | 'savedAt'>,
): Promise<void> {
  await transaction.query(UPDATE, [draftGuid, fieldsSealed, savedAt]);
}

export async function deleteDraft(transaction: Transaction, draftGuid: string): Promise<void> {
  await transaction.query(DELETE, [draftGuid]);
}

/** Deletes the drafts of requests that have ended, and those that were last saved before that time. */
export async function deleteEndedDrafts(db: Queryable, before: Date): Promise<number> {
  return (await db.query(DELETE_ENDED, [before])).rowCount;
}

/** Whether the request has a draft that was not sent. */
export async function hasDraft(db: Queryable, requestGuid: string): Promise<boolean> {
  return (await db.query(HAS_DRAFT, [requestGuid])).rowCount > 0;
}

/** Whether another form of the request has a draft that was not sent. */
export async function hasOtherDraft(db: Queryable, { requestGuid, formKey }: DraftAddress): Promise<boolean> {
  return (await db.query(HAS_OTHER_DRAFT, [requestGuid, formKey])).rowCount > 0;
}

export interface FormState {
  readonly formKey: string;
  readonly savedAt: Date | undefined;
  readonly sentAt: Date | undefined;
}

/** When the forms of the request were last saved and last sent. */
export async function listFormStates(db: Queryable, requestGuid: string): Promise<FormState[]> {
  const { rows } = await db.query<{ form_key: string; saved_at: Date | null; sent_at: Date | null }>(STATES, [
    requestGuid,
  ]);
  return rows.map((row) => ({
    formKey: row.form_key,
    savedAt: row.saved_at ?? undefined,
    sentAt: row.sent_at ?? undefined,
  }));
}

export interface SentRow {
  readonly draftGuid: string;
  /** Absolute references to what was made of it. */
  readonly results: readonly string[];
  readonly sentAt: Date;
  /** Undefined for what was sent before it was kept. */
  readonly answersSealed: Buffer | undefined;
}

interface AnswerRow {
  draft_guid: string;
  results: string[];
  sent_at: Date;
  answers_sealed: Buffer | null;
}

export async function insertAnswer(transaction: Transaction, answer: DraftAddress & SentRow): Promise<void> {
  const { draftGuid, requestGuid, formKey, results, sentAt, answersSealed } = answer;
  await transaction.query(INSERT_ANSWER, [draftGuid, requestGuid, formKey, results, sentAt, answersSealed ?? null]);
}

/** What was sent of the request, the oldest first. */
export async function listAnswers(db: Queryable, requestGuid: string): Promise<SentRow[]> {
  const { rows } = await db.query<AnswerRow>(LIST_ANSWERS, [requestGuid]);
  return rows.map((row) => fromRow(row));
}

/** When the answers of that draft were sent; undefined when they were not. */
export async function findAnswer(db: Queryable, draftGuid: string, requestGuid: string): Promise<Date | undefined> {
  return (await db.query<{ sent_at: Date }>(FIND_ANSWER, [draftGuid, requestGuid])).rows[0]?.sent_at;
}
