// Forms that are filled in by receipt token (decision L8; docs/adr/0079). There is one draft for each form of a
// request, which knows when another has saved it meanwhile. Also its sending through the report path, once.

import type { FhirObject } from '#fhir/json/objects.ts';
import type { AuditEntry } from '#lib/audit/audit-event.ts';
import { DAY_MS } from '#lib/clock.ts';
import type { Transaction } from '#lib/db/database.ts';
import type { ServiceError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import type { Language } from '#lib/html/html.ts';
import type { Sealer } from '#lib/secrets/sealer.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { TokenHolder } from '../../shared/actor.ts';
import { hashToken } from '../../shared/key-ring.ts';
import type { TextTasks } from '../../shared/text-tasks.ts';
import { findReceiptByToken } from '../feed/feed-store.ts';
import type { OpenedRequest, ReceiptPageService } from '../page/page-service.ts';
import type { PageRecord } from '../page/page-store.ts';
import type { CheckedReport, ReportService } from '../report-service.ts';
import type { Results } from '../results/results-service.ts';
import {
  deleteDraft,
  deleteEndedDrafts,
  findAnswer,
  hasDraft,
  hasOtherDraft,
  insertAnswer,
  insertDraft,
  lockDraft,
  updateDraft,
} from './draft-store.ts';
import { FORM_STEP, type FormTaskOutput, type Making } from './form-task.ts';

/** Bytes of a draft's fields as JSON. */
const MAX_DRAFT_BYTES = 256 * 1024;
/** A draft that nobody has saved for so long is deleted. */
const DRAFT_DAYS = 30;
/** Resources that one form makes at most: a plan has far fewer measures. */
const MOST_RESULTS = 500;

export interface FormVisit {
  readonly holder: TokenHolder;
  readonly formKey: string;
  /** The button: see `FormStep.go`; `send` sends what was saved. */
  readonly go: string;
  readonly page: number;
  /** The fields of the page as JSON text; undefined when the form is opened. */
  readonly sent: string | undefined;
  /** The draft as it was when the page was rendered. */
  readonly draftGuid: string | undefined;
  readonly version: number;
  readonly isConfirmed: boolean;
  /** Whether the work is done with these answers. */
  readonly isFinal: boolean;
  /** Whether drafts of other forms may be deleted, which ends with the work. */
  readonly mayDiscard: boolean;
  readonly language: Language;
  readonly timeZone: string;
}

/**
 * Why a page is shown again. `conflict` has saved nothing: another saved the draft meanwhile, at that time. `unsent`:
 * another form has a draft, which would be deleted.
 */
export type FormNotice =
  | { readonly kind: 'saved' | 'too-large' | 'unconfirmed' | 'unsent' }
  | { readonly kind: 'conflict'; readonly savedAt: Date };

export type FormOutcome =
  | { readonly kind: 'form'; readonly view: ShownForm }
  | {
      readonly kind: 'sent';
      readonly requestGuid: string;
      readonly sentAt: Date;
      readonly title: string;
      readonly isFinal: boolean;
    }
  /** The request takes no answers, or has no such form; what was typed is kept when `isKept`. */
  | { readonly kind: 'closed'; readonly isKept: boolean }
  | { readonly kind: 'unknown' };

export interface ShownForm extends Omit<FormTaskOutput, 'resources' | 'inWords'> {
  readonly draftGuid: string;
  readonly version: number;
  readonly savedAt: Date | undefined;
  readonly notice: FormNotice | undefined;
  /** What was ticked beside the answers when they were to be sent. */
  readonly ticked: Pick<FormVisit, 'isConfirmed' | 'isFinal'>;
}

export interface AnswerService {
  /** @throws ServiceError `conflict`, `expired`, `already_taken` for answers to a request that takes none any more */
  visit(visit: FormVisit): Promise<FormOutcome>;
  /** Whether something was written for the request of the token, and not sent. */
  hasDraft(token: string): Promise<boolean>;
  /** Deletes drafts that nobody needs any more. */
  sweep(): Promise<void>;
}

export interface AnswerServiceOptions extends WriteDependencies {
  readonly texts: TextTasks;
  readonly pages: Pick<ReceiptPageService, 'open'>;
  readonly reports: Pick<ReportService, 'reportWithin'>;
  readonly results: Pick<Results, 'prepareMade' | 'referencesOf' | 'sendNow'>;
  readonly sealer: Sealer;
  /** Of what was sent. */
  readonly answerSealer: Sealer;
  /** The public address of the API, with `/api/v1` and without a slash at the end. */
  readonly baseUrl: string;
}

interface Draft {
  readonly draftGuid: string;
  readonly version: number;
  /** JSON text. */
  readonly fields: string;
  readonly savedAt: Date | undefined;
}

interface Taking {
  readonly visit: FormVisit;
  readonly opened: OpenedRequest;
  readonly draft: Draft;
}

export function createAnswerService(options: AnswerServiceOptions): AnswerService {
  const { database, clock, audit, texts, pages, reports, results, sealer, answerSealer, baseUrl } = options;

  async function readDraft(transaction: Transaction, visit: FormVisit, requestGuid: string): Promise<Draft> {
    const row = await lockDraft(transaction, { requestGuid, formKey: visit.formKey });
    if (row === undefined) return { draftGuid: newGuid(clock.now()), version: 0, fields: '{}', savedAt: undefined };
    const { draftGuid, version, savedAt } = row;
    return { draftGuid, version, savedAt, fields: sealer.open(row.fieldsSealed, draftGuid) };
  }

  function step({ visit, opened, draft }: Taking, changes: { go?: string; making?: Making } = {}) {
    const { formKey, sent, page, language, timeZone } = visit;
    const { go = visit.go, making } = changes;
    const { bundle } = opened.record;
    const given = { bundle, kept: draft.fields, sent, formKey, go, page, language, timeZone, now: clock.now() };
    return texts.run(FORM_STEP, { ...given, making });
  }

  /** Undefined when another has made the draft in the same moment. */
  async function save(transaction: Transaction, { visit, opened, draft }: Taking, fields: string) {
    const { requestGuid, serviceRequestId, patientGuid } = opened.record;
    const { draftGuid } = draft;
    const saved = { draftGuid, fieldsSealed: sealer.seal(fields, draftGuid), savedAt: new Date(clock.now()) };
    if (draft.version > 0) await updateDraft(transaction, saved);
    else if (!(await insertDraft(transaction, { requestGuid, formKey: visit.formKey }, saved))) return undefined;
    const entities = [`ServiceRequest/${serviceRequestId}`, `request/${requestGuid}`];
    const detail = `by receipt token, form ${visit.formKey}`;
    const { holder } = visit;
    const entry = { action: 'U', event: 'request.draft', principal: undefined, patientGuid, entities, detail } as const;
    await audit.record(transaction, { ...entry, ...originOf(holder) });
    return { draftGuid, version: draft.version + 1, savedAt: saved.savedAt, fields };
  }

  async function fill(transaction: Transaction, taking: Taking): Promise<FormOutcome> {
    const { visit, draft, opened } = taking;
    const view = await step(taking);
    if (view === undefined) return { kind: 'closed', isKept: false };
    const shown = (now: Draft, notice?: FormNotice): FormOutcome => {
      const { draftGuid, version, savedAt } = now;
      return { kind: 'form', view: { ...view, draftGuid, version, savedAt, notice, ticked: visit } };
    };
    if (visit.sent === undefined) return shown(draft);
    if (isStale(taking)) return shown(draft, { kind: 'conflict', savedAt: draft.savedAt ?? new Date(clock.now()) });
    if (Buffer.byteLength(view.fields) > MAX_DRAFT_BYTES) return shown(draft, { kind: 'too-large' });
    const saved = await save(transaction, taking, view.fields);
    if (saved !== undefined) return shown(saved, visit.go === 'save' ? { kind: 'saved' } : undefined);
    const other = await readDraft(transaction, visit, opened.record.requestGuid);
    return shown(other, { kind: 'conflict', savedAt: other.savedAt ?? new Date(clock.now()) });
  }

  async function send(transaction: Transaction, taking: Taking): Promise<FormOutcome | ServiceError> {
    const { visit, draft, opened } = taking;
    const { requestGuid } = opened.record;
    const before = visit.draftGuid && (await findAnswer(transaction, visit.draftGuid, requestGuid));
    const now = new Date(clock.now());
    const view = await step(taking, { go: 'review', making: makingOf(taking, now) });
    if (view === undefined) return { kind: 'closed', isKept: false };
    const { title } = view;
    if (before) return { kind: 'sent', requestGuid, sentAt: before, title, isFinal: opened.state === 'completed' };
    const { draftGuid, version, savedAt } = draft;
    const again = (notice?: FormNotice): FormOutcome => {
      return { kind: 'form', view: { ...view, draftGuid, version, savedAt, notice, ticked: visit } };
    };
    if (draft.version === 0 || isStale(taking)) return again({ kind: 'conflict', savedAt: savedAt ?? now });
    if (view.errors > 0) return again();
    if (view.warnings > 0 && !visit.isConfirmed) return again({ kind: 'unconfirmed' });
    const { formKey, isFinal, mayDiscard } = visit;
    if (isFinal && !mayDiscard && (await hasOtherDraft(transaction, { requestGuid, formKey })))
      return again({ kind: 'unsent' });
    return keep(transaction, taking, { view, now });
  }

  /** Stores the answers, reports them and deletes the draft, or nothing of it. */
  async function keep(
    transaction: Transaction,
    { visit, opened, draft }: Taking,
    { view, now }: { readonly view: FormTaskOutput; readonly now: Date },
  ): Promise<FormOutcome | ServiceError> {
    const { record } = opened;
    const { requestGuid } = record;
    const prepared = await results.prepareMade(transaction, record, view.resources);
    const report: CheckedReport = {
      status: visit.isFinal ? 'completed' : 'in_progress',
      reason: undefined,
      note: undefined,
      occurredAt: undefined,
      results: [],
      prepared,
    };
    const refused = await reports.reportWithin(transaction, visit.holder, { receipt: record, report });
    if (refused !== undefined) return refused;
    await audit.record(transaction, answerEntry(record, prepared.resources, visit.holder));
    await insertAnswer(transaction, {
      draftGuid: draft.draftGuid,
      requestGuid,
      formKey: visit.formKey,
      results: results.referencesOf(prepared),
      sentAt: now,
      answersSealed: view.inWords && answerSealer.seal(JSON.stringify(view.inWords), draft.draftGuid),
    });
    await deleteDraft(transaction, draft.draftGuid);
    return { kind: 'sent', requestGuid, sentAt: now, title: view.title, isFinal: visit.isFinal };
  }

  function makingOf({ draft, opened }: Taking, now: Date): Making {
    const { patientGuid, providerGuid, serviceRequestId } = opened.record;
    return {
      ids: [draft.draftGuid, ...Array.from({ length: MOST_RESULTS - 1 }, () => newGuid(now.getTime()))],
      patientGuid,
      providerGuid,
      serviceRequestId,
      performer: performerOf(opened),
      now: now.toISOString(),
      questionnaires: `${baseUrl}/Questionnaire`,
    };
  }

  /** Keeps what was typed without showing anything: consent ended while the form was filled in. */
  async function keepUnseen(transaction: Transaction, taking: Taking): Promise<boolean> {
    if (taking.visit.sent === undefined || taking.visit.go === 'send' || isStale(taking)) return false;
    const view = await step(taking, { go: 'save' });
    if (view === undefined || Buffer.byteLength(view.fields) > MAX_DRAFT_BYTES) return false;
    return (await save(transaction, taking, view.fields)) !== undefined;
  }

  async function take(transaction: Transaction, visit: FormVisit): Promise<FormOutcome | ServiceError> {
    const opened = await pages.open(transaction, visit.holder.token, visit.holder);
    if (opened === undefined || opened === 'ended') return { kind: 'unknown' };
    const { state, isPermitted, record } = opened;
    const draft = await readDraft(transaction, visit, record.requestGuid);
    const taking = { visit, opened, draft };
    const isOpen = state === 'accepted' || state === 'in_progress';
    if (visit.go === 'send' && (isOpen || state === 'completed')) {
      const outcome = await send(transaction, taking);
      // Without consent what was written may be sent, but is not shown.
      const mayShow = isOpen && isPermitted;
      return 'kind' in outcome && outcome.kind === 'form' && !mayShow ? { kind: 'closed', isKept: isOpen } : outcome;
    }
    if (!isOpen) return { kind: 'closed', isKept: false };
    if (!isPermitted) return { kind: 'closed', isKept: await keepUnseen(transaction, taking) };
    return fill(transaction, taking);
  }

  return {
    async visit(visit) {
      const outcome = await database.transaction((transaction) => take(transaction, visit));
      if (outcome instanceof Error) throw outcome;
      // What cannot be sent to the engine now, the background loop sends.
      if (outcome.kind === 'sent') await results.sendNow(outcome.requestGuid);
      return outcome;
    },
    async hasDraft(token) {
      const receipt = await findReceiptByToken(database, hashToken(token));
      return receipt !== undefined && hasDraft(database, receipt.requestGuid);
    },
    async sweep() {
      await deleteEndedDrafts(database, new Date(clock.now() - DRAFT_DAYS * DAY_MS));
    },
  };
}

/** Whether the page was rendered from an older draft, or from one that is gone. */
function isStale({ visit, draft }: Taking): boolean {
  if (draft.version === 0) return visit.version !== 0;
  return visit.version !== draft.version || visit.draftGuid !== draft.draftGuid;
}

function answerEntry(
  { serviceRequestId, requestGuid, patientGuid, providerGuid }: PageRecord,
  addresses: readonly string[],
  origin: TokenHolder,
): AuditEntry {
  return {
    action: 'C',
    event: 'request.answer',
    principal: undefined,
    patientGuid,
    entities: [`ServiceRequest/${serviceRequestId}`, `request/${requestGuid}`, ...addresses],
    detail: `by receipt token, for provider ${providerGuid}`,
    ...originOf(origin),
  };
}

/** The provider, as who made the resources. */
function performerOf({ record }: OpenedRequest): FhirObject {
  const { providerGuid, providerName } = record;
  return { identifier: { system: 'https://kedja.dev/ids/provider', value: providerGuid }, display: providerName };
}

function originOf({ address, requestId }: Pick<TokenHolder, 'address' | 'requestId'>) {
  return { ...(address === undefined ? {} : { address }), ...(requestId === undefined ? {} : { requestId }) };
}
