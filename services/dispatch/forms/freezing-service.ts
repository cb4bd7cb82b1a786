// What finalize and push ask of forms (decisions D6, D12): reading the attached ones from the plan service, keeping them frozen, and
// handing the frozen ones out.
import type { PlanClient } from '#clients/plan-client.ts';
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { parseExactJson } from '#lib/fhir/exact-json.ts';
import { validateResource } from '#lib/fhir/validate.ts';
import { type FhirObject, objectOf } from '../shared/json.ts';
import type { Records } from '../shared/records.ts';
import { freezeForms } from './frozen-form.ts';
import type { FormAttachment, FrozenAttachment, FrozenForm } from './schema.ts';
import { freezeAttachment, listAttachments, listFrozenAttachments } from './store.ts';

export interface FreezingService {
  /** The attached forms, in order. */
  attached(db: Queryable, serviceRequestId: string): Promise<FormAttachment[]>;
  /**
   * Reads forms; before any transaction, as it asks the plan service.
   * @throws ServiceError `unprocessable` naming every form that cannot be read or shown; `upstream_unavailable`, `upstream_error`
   */
  read(formGuids: readonly string[]): Promise<FrozenForm[]>;
  /** Keeps the forms, each with its attachment: from then on they are readable as Questionnaires. Answers these in order. */
  keep(
    transaction: Transaction,
    forms: readonly { readonly attachment: FormAttachment; readonly form: FrozenForm }[],
    organisationGuid: string,
  ): Promise<FhirObject[]>;
}

export function createFreezingService(options: { plans: PlanClient; records: Records }): FreezingService {
  const { plans, records } = options;
  return {
    attached: listAttachments,
    read: (formGuids) => freezeForms(plans, formGuids, validateResource),
    async keep(transaction, forms, organisationGuid) {
      const questionnaires: FhirObject[] = [];
      for (const { attachment, form } of forms) {
        const questionnaire = objectOf(parseExactJson(form.questionnaire)) ?? {};
        await records.create(transaction, { ...questionnaire, id: attachment.formAttachmentGuid }, organisationGuid);
        await freezeAttachment(transaction, attachment, form);
        questionnaires.push(questionnaire);
      }
      return questionnaires;
    },
  };
}

/** The forms of a finalized request with their render-ready JSON, in order; none before. */
export function frozenFormsOf(db: Queryable, serviceRequestId: string): Promise<FrozenAttachment[]> {
  return listFrozenAttachments(db, serviceRequestId);
}
