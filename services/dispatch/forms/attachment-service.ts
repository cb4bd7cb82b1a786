// Attaches forms to a draft, removes and reorders them (decision D12). It asks the catalogue before the transaction;
// the request's lock serializes concurrent changes.
import type { PlanClient } from '#clients/plan-client.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { conflict, type Issue, notFound, ServiceError, validationError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import type { Actor } from '../shared/actor.ts';
import type { RequestContext } from '../shared/request-context.ts';
import type { ServiceRequestRecord } from '../shared/service-request-store.ts';
import type { TextTasks } from '../shared/text-tasks.ts';
import { FORM_TITLE } from './form-tasks.ts';
import type { FormAttachment } from './schema.ts';
import { deleteAttachment, insertAttachment, listAttachments, setOrder } from './store.ts';

/** A form to attach, and who is to answer it. */
export type GivenForm = Pick<FormAttachment, 'formGuid' | 'answeredBy' | 'due'>;

export interface AttachmentService {
  /** @throws ServiceError `not_found` */
  list(actor: Actor, id: string): Promise<FormAttachment[]>;
  /**
   * @throws ServiceError `not_found`, `conflict`, `unprocessable` for a form that the catalogue does not have,
   * `upstream_unavailable`
   */
  attach(actor: Actor, id: string, form: GivenForm): Promise<FormAttachment>;
  /** @throws ServiceError `not_found`, `conflict` */
  remove(actor: Actor, id: string, formAttachmentGuid: string): Promise<void>;
  /**
   * @throws ServiceError `not_found`, `conflict`, `validation_error` when the guids are no permutation of the attached
   * ones
   */
  reorder(actor: Actor, id: string, orderedGuids: readonly string[]): Promise<FormAttachment[]>;
}

export interface AttachmentServiceOptions {
  readonly database: Database;
  readonly requestContext: RequestContext;
  readonly plans: PlanClient;
  readonly texts: TextTasks;
  readonly clock: Clock;
}

export function createAttachmentService(options: AttachmentServiceOptions): AttachmentService {
  const { database, requestContext, clock } = options;

  /** Makes one change of a draft's forms, with its audit record. */
  function change<T>(
    actor: Actor,
    id: string,
    event: string,
    work: (tx: Transaction, attached: readonly FormAttachment[], record: ServiceRequestRecord) => Promise<T>,
  ): Promise<T> {
    return database.transaction(async (tx) => {
      const { record } = await requestContext.lock(tx, actor, id, 'edit-forms');
      const result = await work(tx, await listAttachments(tx, id), record);
      await requestContext.record(tx, actor, { record, event, action: 'U' });
      return result;
    });
  }

  return {
    async list(actor, id) {
      const { record } = await requestContext.find(database, actor, id);
      const attached = await listAttachments(database, id);
      await requestContext.recordRead(actor, { record, event: 'forms', action: 'R' });
      return attached;
    },
    async attach(actor, id, form) {
      const { formGuid } = form;
      await requestContext.findFor('edit-forms', actor, id);
      const title = await readTitle(options, formGuid, actor);
      return change(actor, id, 'form-attach', async (tx, attached) => {
        if (attached.some((each) => each.formGuid === formGuid)) throw conflict(`Form ${formGuid} is attached already`);
        const now = clock.now();
        const attachment = { serviceRequestId: id, formAttachmentGuid: newGuid(now), title, ...form };
        return insertAttachment(tx, attachment, new Date(now));
      });
    },
    remove: (actor, id, formAttachmentGuid) =>
      change(actor, id, 'form-remove', async (tx, attached) => {
        const rest = attached.map((form) => form.formAttachmentGuid).filter((guid) => guid !== formAttachmentGuid);
        if (rest.length === attached.length) throw notFound('Form attachment');
        await deleteAttachment(tx, id, formAttachmentGuid);
        await setOrder(tx, id, rest);
      }),
    reorder: (actor, id, orderedGuids) =>
      change(actor, id, 'form-reorder', async (tx, attached) => {
        requirePermutation(
          orderedGuids,
          attached.map((form) => form.formAttachmentGuid),
        );
        await setOrder(tx, id, orderedGuids);
        return listAttachments(tx, id);
      }),
  };
}

async function readTitle(
  { plans, texts }: Pick<AttachmentServiceOptions, 'plans' | 'texts'>,
  formGuid: string,
  actor: Actor,
): Promise<string> {
  const form = await plans.readForm(formGuid);
  if (form !== undefined) return texts.run(FORM_TITLE, { form }, actor);
  const message = `The catalogue has no form ${formGuid}`;
  throw new ServiceError('unprocessable', message, { issues: [{ message, field: 'form_guid', code: 'not-found' }] });
}

/** @throws ServiceError `validation_error` that names missing, unknown and repeated guids */
function requirePermutation(ordered: readonly string[], attached: readonly string[]): void {
  const issue = (message: string): Issue => ({ message: `ordered_guids ${message}`, field: 'ordered_guids' });
  const unknown = ordered.filter((guid) => !attached.includes(guid));
  const missing = attached.filter((guid) => !ordered.includes(guid));
  const twice = ordered.filter((guid, index) => ordered.indexOf(guid) !== index);
  const issues = [
    ...unknown.map((guid) => issue(`names ${guid}, which is not attached`)),
    ...missing.map((guid) => issue(`leaves out ${guid}, which is attached`)),
    ...twice.map((guid) => issue(`names ${guid} more than once`)),
  ];
  if (issues.length > 0) throw validationError(issues);
}
