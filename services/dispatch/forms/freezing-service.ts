// Frozen forms for finalize and push (decisions D6, D12): reads attached forms from the plan service, stores them
// frozen, and returns the frozen ones.
import type { Queryable, Transaction } from '#lib/db/database.ts';
import type { Actor } from '../shared/actor.ts';
import type { Records } from '../shared/records.ts';
import { type FormSource, freezeForms } from './frozen-form.ts';
import type { FormAttachment, FrozenAttachment, FrozenForm } from './schema.ts';
import { freezeAttachment, listAttachments, listFrozenAttachments } from './store.ts';

export interface FreezingService {
  /** The attached forms, in order. */
  attached(db: Queryable, serviceRequestId: string): Promise<FormAttachment[]>;
  /**
   * Reads forms from the plan service. Call it before any transaction.
   * @throws ServiceError `unprocessable` that names every form that cannot be read or shown; `upstream_unavailable`,
   * `upstream_error`
   */
  read(formGuids: readonly string[], actor?: Actor): Promise<FrozenForm[]>;
  /** Stores the forms, each with its attachment. They are readable as Questionnaires from then on. */
  keep(
    transaction: Transaction,
    actor: Actor,
    forms: readonly { readonly attachment: FormAttachment; readonly form: FrozenForm }[],
    organisation: string,
  ): Promise<void>;
}

export function createFreezingService(options: FormSource & { readonly records: Records }): FreezingService {
  const { records } = options;
  return {
    attached: listAttachments,
    read: (formGuids, actor) => freezeForms(options, formGuids, actor),
    async keep(transaction, actor, forms, organisation) {
      for (const { attachment, form } of forms) {
        const placement = { id: attachment.formAttachmentGuid, organisation };
        await records.create(transaction, form.questionnaire, placement, actor);
        await freezeAttachment(transaction, attachment, form);
      }
    },
  };
}

/** The forms of a finalized request with their render-ready JSON, in order; none before it is finalized. */
export function frozenFormsOf(db: Queryable, serviceRequestId: string): Promise<FrozenAttachment[]> {
  return listFrozenAttachments(db, serviceRequestId);
}
