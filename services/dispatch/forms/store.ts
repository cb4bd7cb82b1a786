// SQL of form_attachment: the forms of a ServiceRequest, in order (D12). Changes happen under the request's lock.
import type { Queryable } from '#lib/db/database.ts';
import type { AnsweredBy, FormAttachment, FrozenAttachment, FrozenForm } from './schema.ts';

interface Row {
  service_request_id: string;
  form_attachment_guid: string;
  form_guid: string;
  title: string;
  position: number;
  answered_by: AnsweredBy;
  due: string | null;
}

const COLUMNS = 'service_request_id, form_attachment_guid, form_guid, title, position, answered_by, due';
const LIST = {
  name: 'form-attachment-list',
  text: `SELECT ${COLUMNS} FROM form_attachment WHERE service_request_id = $1 ORDER BY position`,
};
const LIST_FROZEN = {
  name: 'form-attachment-list-frozen',
  text: `SELECT ${COLUMNS}, render_ready FROM form_attachment
    WHERE service_request_id = $1 AND answered_by = 'provider' AND render_ready IS NOT NULL ORDER BY position`,
};
const INSERT = {
  name: 'form-attachment-insert',
  text: `INSERT INTO form_attachment (${COLUMNS}, created_at)
    SELECT $1, $2, $3, $4, coalesce(max(position), 0) + 1, $5, $6, $7 FROM form_attachment WHERE service_request_id = $1
    RETURNING ${COLUMNS}`,
};
const DELETE = {
  name: 'form-attachment-delete',
  text: 'DELETE FROM form_attachment WHERE service_request_id = $1 AND form_attachment_guid = $2',
};
const SET_ORDER = {
  name: 'form-attachment-order',
  text: `UPDATE form_attachment f SET position = o.position
    FROM unnest($2::uuid[]) WITH ORDINALITY AS o (guid, position)
    WHERE f.service_request_id = $1 AND f.form_attachment_guid = o.guid AND f.position <> o.position`,
};
const FREEZE = {
  name: 'form-attachment-freeze',
  text: `UPDATE form_attachment SET title = $3, questionnaire = $4, render_ready = $5
    WHERE service_request_id = $1 AND form_attachment_guid = $2`,
};

export async function listAttachments(db: Queryable, serviceRequestId: string): Promise<FormAttachment[]> {
  const { rows } = await db.query<Row>(LIST, [serviceRequestId]);
  return rows.map(toAttachment);
}

/** A finalized request's forms for providers, with their render-ready JSON; none before it is finalized. */
export async function listFrozenAttachments(db: Queryable, serviceRequestId: string): Promise<FrozenAttachment[]> {
  const { rows } = await db.query<Row & { render_ready: string }>(LIST_FROZEN, [serviceRequestId]);
  return rows.map((row) => ({ ...toAttachment(row), renderReady: row.render_ready }));
}

/** Adds a form at the end. The unique index `form_attachment_once` refuses one that is attached already. */
export async function insertAttachment(
  transaction: Queryable,
  attachment: Omit<FormAttachment, 'position'>,
  now: Date,
): Promise<FormAttachment> {
  const { serviceRequestId, formAttachmentGuid, formGuid, title, answeredBy, due } = attachment;
  const values = [serviceRequestId, formAttachmentGuid, formGuid, title, answeredBy, due ?? null, now];
  const { rows } = await transaction.query<Row>(INSERT, values);
  const [row] = rows;
  if (row === undefined) throw new Error('The attachment was not written');
  return toAttachment(row);
}

export async function deleteAttachment(
  transaction: Queryable,
  serviceRequestId: string,
  formAttachmentGuid: string,
): Promise<void> {
  await transaction.query(DELETE, [serviceRequestId, formAttachmentGuid]);
}

/** Numbers the attachments in this order, from 1. */
export async function setOrder(
  transaction: Queryable,
  serviceRequestId: string,
  formAttachmentGuids: readonly string[],
): Promise<void> {
  await transaction.query(SET_ORDER, [serviceRequestId, formAttachmentGuids]);
}

export async function freezeAttachment(
  transaction: Queryable,
  attachment: FormAttachment,
  form: FrozenForm,
): Promise<void> {
  const { serviceRequestId, formAttachmentGuid } = attachment;
  await transaction.query(FREEZE, [
    serviceRequestId,
    formAttachmentGuid,
    form.title,
    form.questionnaire,
    form.renderReady,
  ]);
}

function toAttachment(row: Row): FormAttachment {
  return {
    serviceRequestId: row.service_request_id,
    formAttachmentGuid: row.form_attachment_guid,
    formGuid: row.form_guid,
    title: row.title,
    position: row.position,
    answeredBy: row.answered_by,
    due: row.due ?? undefined,
  };
}
