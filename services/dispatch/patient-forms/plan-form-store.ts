// SQL of careplan_form: the forms that a CarePlan's plan gives the patient.
import type { Queryable } from '#lib/db/database.ts';
import { columnsOf } from '#lib/db/rows.ts';
import type { FrozenForm } from '../forms/schema.ts';
import type { PlanHead } from './plan-form-task.ts';

export interface FrozenPlanForm extends FrozenForm {
  readonly due: string | undefined;
}

export interface PlanFormPlace {
  readonly careplanGuid: string;
  readonly patientGuid: string;
  readonly organisationGuid: string;
  readonly isOpen: boolean;
  readonly now: Date;
}

export async function hasPlanForms(db: Queryable, careplanGuid: string): Promise<boolean> {
  const text = 'SELECT FROM careplan_form WHERE careplan_guid = $1 LIMIT 1';
  return (await db.query({ name: 'careplan-form-has', text }, [careplanGuid])).rows.length > 0;
}

/** Removes those that the patient has not answered. */
export async function removePlanForms(tx: Queryable, careplanGuid: string): Promise<void> {
  const text = `WITH gone AS (DELETE FROM careplan_form f WHERE f.careplan_guid = $1 AND NOT EXISTS (SELECT FROM patient_form_state s
      WHERE s.patient_form_guid = f.patient_form_guid AND s.response_id IS NOT NULL) RETURNING patient_form_guid)
    DELETE FROM patient_form_state s USING gone g WHERE s.patient_form_guid = g.patient_form_guid`;
  await tx.query({ name: 'careplan-form-remove', text }, [careplanGuid]);
}

export async function insertPlanForms(
  tx: Queryable,
  forms: readonly (FrozenPlanForm & { readonly patientFormGuid: string })[],
  { careplanGuid, patientGuid, organisationGuid, isOpen, now }: PlanFormPlace,
): Promise<void> {
  const text = `INSERT INTO careplan_form (patient_form_guid, careplan_guid, form_guid, patient_guid, organisation_guid, title, due,
      questionnaire, render_ready, is_open, created_at)
    SELECT f.guid, $1, f.form_guid, $2, $3, f.title, f.due, f.questionnaire, f.render_ready, $4, $5
    FROM unnest($6::uuid[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[])
      AS f (guid, form_guid, title, due, questionnaire, render_ready)`;
  await tx.query({ name: 'careplan-form-insert', text }, [
    ...[careplanGuid, patientGuid, organisationGuid, isOpen, now],
    ...columnsOf(forms, 'patientFormGuid', 'formGuid', 'title', 'due', 'questionnaire', 'renderReady'),
  ]);
}

/** Returns whether a form that is not answered has become open by it. */
export async function updatePlanForms(
  tx: Queryable,
  careplanGuid: string,
  { patientGuid, isOpen }: PlanHead,
): Promise<boolean> {
  const text = `WITH before AS (SELECT patient_form_guid, is_open FROM careplan_form WHERE careplan_guid = $1)
    UPDATE careplan_form f SET is_open = $2, patient_guid = coalesce($3, f.patient_guid) FROM before b
    WHERE f.careplan_guid = $1 AND b.patient_form_guid = f.patient_form_guid
      AND (f.is_open, f.patient_guid) IS DISTINCT FROM ($2, coalesce($3, f.patient_guid))
    RETURNING f.is_open AND NOT b.is_open AND NOT EXISTS (SELECT FROM patient_form_state s
      WHERE s.patient_form_guid = f.patient_form_guid AND s.response_id IS NOT NULL) AS is_new`;
  const { rows } = await tx.query<{ is_new: boolean }>({ name: 'careplan-form-update', text }, [
    careplanGuid,
    isOpen,
    patientGuid ?? null,
  ]);
  return rows.some(({ is_new: isNew }) => isNew);
}
