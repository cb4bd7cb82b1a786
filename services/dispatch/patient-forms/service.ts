// Forms that patients answer (decision L2, docs/adr/0072): a patient's list, drafts, answers with their corrections,
// and the review by staff that ends those. An answer, the CarePlan that shows it, the notification and the audit event
// commit together.

import { parseObject } from '#fhir/json/objects.ts';
import { ALL_ACCESS } from '#fhir/store/access.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import type { AuditAction } from '#lib/audit/audit-event.ts';
import { dataScopeOf } from '#lib/auth/data-scope.ts';
import { type Principal, reporterReference } from '#lib/auth/principal.ts';
import type { Transaction } from '#lib/db/database.ts';
import { conflict, notFound, validationError } from '#lib/errors.ts';
import { isGuid, newGuid } from '#lib/guid.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Notifier } from '../notifications/notify-service.ts';
import type { NotificationKind } from '../notifications/schema.ts';
import { type Actor, auditedBy } from '../shared/actor.ts';
import type { Records } from '../shared/records.ts';
import { lockServiceRequest } from '../shared/service-request-store.ts';
import type { TextTasks } from '../shared/text-tasks.ts';
import { ANSWER_IN_PLAN, ANSWER_WITHDRAWN, type AnswerContext, PATIENT_ANSWER } from './answer-task.ts';
import {
  type FormFilter,
  type FormTexts,
  findForm,
  listForms,
  type PatientForm,
  readTexts,
  saveAnswer,
  saveDraft,
  saveReview,
} from './store.ts';

export type { PatientForm } from './store.ts';

export interface PatientFormDetail {
  readonly form: PatientForm;
  readonly texts: FormTexts;
  /** JSON text of the stored answer. */
  readonly response: string | undefined;
}

export interface PatientFormService {
  /** Those to answer first, by their due date. */
  list(actor: Actor, filter: FormFilter): Promise<{ readonly forms: readonly PatientForm[]; readonly total: number }>;
  /** @throws ServiceError `not_found` */
  read(actor: Actor, guid: string): Promise<PatientFormDetail>;
  /**
   * Keeps what has been filled in so far; undefined removes it.
   * @throws ServiceError `not_found`, `conflict`, `validation_error`
   */
  keepDraft(actor: Actor, guid: string, body: string | undefined): Promise<PatientForm>;
  /** @throws ServiceError `not_found`; `conflict` when it is answered or closed; `validation_error` with every issue */
  answer(actor: Actor, guid: string, body: string): Promise<StoredVersion>;
  /** @throws ServiceError as `answer`; `conflict` when it has been reviewed */
  correct(actor: Actor, guid: string, body: string): Promise<StoredVersion>;
  /** The form is to be answered again. @throws ServiceError `not_found`, `conflict` */
  withdraw(actor: Actor, guid: string): Promise<void>;
  /** By staff. @throws ServiceError `not_found`, `conflict` */
  review(actor: Actor, guid: string): Promise<PatientForm>;
}

export interface PatientFormOptions extends WriteDependencies {
  readonly records: Records;
  readonly texts: TextTasks;
  readonly notifier: Notifier;
  /** The public address of `/api/v1`. */
  readonly baseUrl: string;
}

const RESPONSE = 'QuestionnaireResponse';

export function createPatientFormService(options: PatientFormOptions): PatientFormService {
  const { database, clock, records } = options;

  async function requireOwn(db: Parameters<typeof findForm>[0], actor: Actor, guid: string): Promise<PatientForm> {
    const form = isGuid(guid) ? await findForm(db, guid) : undefined;
    if (form === undefined || !patientIds(actor.principal).includes(form.patientGuid)) throw notFound('Form');
    if (!form.isOpen && form.responseId === undefined) throw notFound('Form');
    return form;
  }

  /** Makes one change under the lock of the request or of the CarePlan, which orders all changes of a form. */
  function change<T>(actor: Actor, guid: string, work: (tx: Transaction, form: PatientForm) => Promise<T>): Promise<T> {
    return database.transaction(async (tx) => {
      const { serviceRequestId, careplanGuid } = await requireOwn(tx, actor, guid);
      if (serviceRequestId !== undefined) await lockServiceRequest(tx, serviceRequestId);
      await records.lock(tx, { resourceType: 'CarePlan', id: careplanGuid });
      return work(tx, await requireOwn(tx, actor, guid));
    });
  }

  return {
    async list(actor, filter) {
      const found = await listForms(database, patientIds(actor.principal), filter);
      for (const patientGuid of new Set(found.forms.map((form) => form.patientGuid))) {
        const entry = { action: 'R', event: 'patient-form.list', patientGuid, entities: [] } as const;
        await options.audit.recordRead(auditedBy(actor, entry));
      }
      return found;
    },
    async read(actor, guid) {
      const form = await requireOwn(database, actor, guid);
      const texts = await readTexts(database, guid);
      if (texts === undefined) throw notFound('Form');
      const response =
        form.responseId === undefined
          ? undefined
          : await records.find(database, { resourceType: RESPONSE, id: form.responseId }, ALL_ACCESS);
      await options.audit.recordRead(auditedBy(actor, entryOf(form, 'read', 'R')));
      return { form, texts, response: response?.content };
    },
    async keepDraft(actor, guid, body) {
      const form = await requireOwn(database, actor, guid);
      const draft =
        body === undefined ? undefined : await complete(options, actor, { form, body, status: 'in-progress' });
      await change(actor, guid, async (tx, current) => {
        requireUnanswered(current);
        await saveDraft(tx, guid, draft, new Date(clock.now()));
        await options.audit.record(
          tx,
          auditedBy(actor, entryOf(current, draft === undefined ? 'discard' : 'draft', 'U')),
        );
      });
      return requireOwn(database, actor, guid);
    },
    async answer(actor, guid, body) {
      const form = await requireOwn(database, actor, guid);
      requireUnanswered(form);
      const text = await complete(options, actor, { form, body, status: 'completed' });
      return change(actor, guid, async (tx, current) => {
        requireUnanswered(current);
        return store(tx, actor, { form: current, text }, options);
      });
    },
    async correct(actor, guid, body) {
      const form = await requireOwn(database, actor, guid);
      requireChangeable(form);
      const text = await complete(options, actor, { form, body, status: 'amended' });
      return change(actor, guid, (tx, current) => replace(tx, actor, { form: current, text }, options));
    },
    withdraw: (actor, guid) => change(actor, guid, (tx, form) => withdraw(tx, actor, form, options)),
    async review(actor, guid) {
      return database.transaction(async (tx) => {
        const form = isGuid(guid) ? await findForm(tx, guid) : undefined;
        if (form === undefined || !isOfStaff(actor.principal, form)) throw notFound('Form');
        if (form.serviceRequestId !== undefined) await lockServiceRequest(tx, form.serviceRequestId);
        await records.lock(tx, { resourceType: 'CarePlan', id: form.careplanGuid });
        const current = await findForm(tx, guid);
        if (current?.responseId === undefined) throw conflict('The form is not answered');
        await saveReview(tx, guid, actor.principal.id, new Date(clock.now()));
        await options.audit.record(tx, auditedBy(actor, entryOf(current, 'review', 'U')));
        return (await findForm(tx, guid)) ?? current;
      });
    },
  };
}

/** The ids of the Patients who are the caller. */
function patientIds(principal: Principal): readonly string[] {
  const scope = dataScopeOf(principal, 'dispatch');
  return scope.kind === 'patient' ? [scope.patientGuid, ...(scope.linked ?? [])] : [];
}

function isOfStaff(principal: Principal, { organisationGuid }: PatientForm): boolean {
  const scope = dataScopeOf(principal, 'dispatch');
  return scope.kind === 'all' || (scope.kind === 'organisations' && scope.guids.includes(organisationGuid));
}

function requireUnanswered({ responseId, isOpen }: PatientForm): void {
  if (responseId !== undefined) throw conflict('The form is answered; correct the answer by PUT');
  if (!isOpen) throw conflict('The form takes no answers any more');
}

function requireChangeable({ responseId, reviewedAt, isOpen }: PatientForm): string {
  if (responseId === undefined) throw conflict('The form is not answered');
  if (reviewedAt !== undefined) throw conflict('The answer has been reviewed, so it cannot be changed any more');
  if (!isOpen) throw conflict('The request or plan has ended, so the answer cannot be changed any more');
  return responseId;
}

/** Completes and checks what the patient sent. @throws ServiceError `validation_error` with every issue */
async function complete(
  { database, texts, clock, baseUrl }: PatientFormOptions,
  actor: Actor,
  {
    form,
    body,
    status,
  }: { readonly form: PatientForm; readonly body: string; readonly status: AnswerContext['status'] },
): Promise<string> {
  const known = await readTexts(database, form.patientFormGuid);
  if (known === undefined) throw notFound('Form');
  const context = {
    formGuid: form.patientFormGuid,
    patientGuid: form.patientGuid,
    author: reporterReference(actor.principal, form.patientGuid),
    basedOn: referencesOf(form),
    status,
    now: new Date(clock.now()).toISOString(),
    baseUrl,
  };
  const made = await texts.run(PATIENT_ANSWER, { questionnaire: known.questionnaire, body, context }, actor);
  if ('issues' in made) throw validationError(made.issues);
  return made.text;
}

function referencesOf({ serviceRequestId, careplanGuid }: PatientForm): string[] {
  const request = serviceRequestId === undefined ? [] : [`ServiceRequest/${serviceRequestId}`];
  return [...request, `CarePlan/${careplanGuid}`];
}

interface Stored {
  readonly form: PatientForm;
  readonly text: string;
}

async function store(
  tx: Transaction,
  actor: Actor,
  { form, text }: Stored,
  options: PatientFormOptions,
): Promise<StoredVersion> {
  const now = options.clock.now();
  const placement = { id: newGuid(now), organisation: form.organisationGuid };
  const version = await options.records.create(tx, text, placement, actor);
  await saveAnswer(tx, form.patientFormGuid, version.id, new Date(now));
  await showInPlan(tx, actor, { form, responseId: version.id, work: ANSWER_IN_PLAN }, options);
  await finish(tx, actor, { form: { ...form, responseId: version.id }, event: 'answer', action: 'C' }, options);
  return version;
}

async function replace(
  tx: Transaction,
  actor: Actor,
  { form, text }: Stored,
  options: PatientFormOptions,
): Promise<StoredVersion> {
  const id = requireChangeable(form);
  const withId = JSON.stringify({ ...parseObject(text), id });
  const version = await options.records.replace(tx, withId, { resourceType: RESPONSE, id }, actor);
  await saveAnswer(tx, form.patientFormGuid, id, new Date(options.clock.now()));
  await finish(tx, actor, { form, event: 'correct', action: 'U' }, options);
  return version;
}

async function withdraw(tx: Transaction, actor: Actor, form: PatientForm, options: PatientFormOptions): Promise<void> {
  const id = requireChangeable(form);
  const address = { resourceType: RESPONSE, id };
  const stored = await options.records.lock(tx, address);
  if (stored !== undefined) {
    const text = JSON.stringify({ ...parseObject(stored.content), status: 'entered-in-error' });
    await options.records.replace(tx, text, address, actor);
  }
  await saveAnswer(tx, form.patientFormGuid, undefined, new Date(options.clock.now()));
  await showInPlan(tx, actor, { form, responseId: id, work: ANSWER_WITHDRAWN }, options);
  await finish(tx, actor, { form, event: 'withdraw', action: 'U', kind: 'answer_withdrawn' }, options);
}

async function showInPlan(
  tx: Transaction,
  actor: Actor,
  {
    form,
    responseId,
    work,
  }: { readonly form: PatientForm; readonly responseId: string; readonly work: typeof ANSWER_IN_PLAN },
  { records, texts, clock }: PatientFormOptions,
): Promise<void> {
  const { careplanGuid, serviceRequestId, patientGuid, title } = form;
  const address = { resourceType: 'CarePlan', id: careplanGuid };
  const carePlan = await records.lock(tx, address);
  if (carePlan === undefined) return;
  const author = reporterReference(actor.principal, patientGuid);
  const answer = { serviceRequestId, responseId, author, title, now: new Date(clock.now()).toISOString() };
  await records.replace(tx, await texts.run(work, { carePlan: carePlan.content, answer }, actor), address, actor);
}

interface Done {
  readonly form: PatientForm;
  readonly event: string;
  readonly action: AuditAction;
  /** What planners are notified of; `patient_reported` when left out. */
  readonly kind?: NotificationKind;
}

async function finish(
  tx: Transaction,
  actor: Actor,
  { form, event, action, kind = 'patient_reported' }: Done,
  { audit, notifier }: PatientFormOptions,
): Promise<void> {
  await audit.record(tx, auditedBy(actor, entryOf(form, event, action)));
  const { serviceRequestId, careplanGuid, patientGuid, organisationGuid } = form;
  const subject =
    serviceRequestId === undefined
      ? { carePlan: { careplanGuid, patientGuid, organisationGuid } }
      : { serviceRequestId };
  await notifier.notify(tx, { kind, ...subject, by: actor.principal });
}

function entryOf(form: PatientForm, event: string, action: AuditAction) {
  const response = form.responseId === undefined ? [] : [`${RESPONSE}/${form.responseId}`];
  return {
    action,
    event: `patient-form.${event}`,
    patientGuid: form.patientGuid,
    entities: [...response, ...referencesOf(form)],
    detail: form.patientFormGuid,
  };
}
