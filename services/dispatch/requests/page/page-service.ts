// The receipt page for providers without a system (decision D13; docs/adr/0030). It shows what its holder may see in
// each state, and the link that the requester hands over. Every view asks the consent gate.

import type { Transaction } from '#lib/db/database.ts';
import type { Sealer } from '#lib/secrets/sealer.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { ConsentGate } from '../../consent/service.ts';
import { hashToken } from '../../shared/key-ring.ts';
import { matchAt } from '../../shared/match-lifecycle.ts';
import type { TextTasks } from '../../shared/text-tasks.ts';
import { type FormState, listAnswers, listFormStates } from '../answers/draft-store.ts';
import type { OfferedForm, SentAnswers } from '../answers/form-task.ts';
import { isEndedLink } from '../feed/feed-store.ts';
import { listQuestions, type Question } from '../questions/question-store.ts';
import { requestStatus } from '../status.ts';
import { type PageRecord, readPageRecord } from './page-store.ts';
import { PAGE_CONTENT, type PageContent } from './page-summary.ts';

/** `stopped`: the provider gave up the work after accepting it. */
export type PageState =
  | 'open'
  | 'accepted'
  | 'in_progress'
  | 'completed'
  | 'rejected'
  | 'stopped'
  | 'withdrawn'
  | 'taken'
  | 'expired';

/** The states that show the request. */
const SHOWN: ReadonlySet<PageState> = new Set(['open', 'accepted', 'in_progress', 'completed']);

export interface ReceiptPage {
  readonly state: PageState;
  readonly providerName: string;
  readonly dispatchedAt: Date;
  readonly respondBy: Date | undefined;
  /** While there is something to decide or to do, and consent permits it. */
  readonly askedFor: PageContent['askedFor'] | undefined;
  /** Only of an accepted request. */
  readonly patient: PageContent['patient'] | undefined;
  readonly isWithoutConsent: boolean;
  /** The forms that are filled in here, when the request is shown. */
  readonly forms: readonly FormOnPage[];
  /** Whether something is written that was not sent. */
  readonly hasDrafts: boolean;
  /** The questions with their answers, shown when the request is. */
  readonly questions: readonly Question[];
  /** What was reported; undefined while nothing was, and where the request is not shown. */
  readonly reported: ReportedOnPage | undefined;
}

/** What has been sent to the requester. */
export interface ReportedOnPage {
  readonly note: string | undefined;
  readonly at: Date | undefined;
  /** What was sent by this page, the oldest first. */
  readonly forms: readonly { readonly sentAt: Date; readonly answers: SentAnswers | undefined }[];
  /** How many results came by another way: the provider's own system. */
  readonly others: number;
}

export interface FormOnPage extends OfferedForm {
  /** When its draft was last saved, and when answers were last sent. */
  readonly savedAt: Date | undefined;
  readonly sentAt: Date | undefined;
}

/** The address and id of the HTTP request, for the audit record. */
export interface Origin {
  readonly address: string | undefined;
  readonly requestId: string | undefined;
}

/** The request of a token, and what its holder may see of it. */
export interface OpenedRequest {
  readonly record: PageRecord;
  readonly state: PageState;
  /** Whether the state shows the request, and consent permits it. */
  readonly isPermitted: boolean;
}

export interface ReceiptPageService {
  /** The same, in the caller's transaction, as the beginning of another page of the request. It is audited. */
  open(transaction: Transaction, token: string, origin: Origin): Promise<OpenedRequest | 'ended' | undefined>;
  /** What the holder of the token sees; undefined for an unknown token, `ended` for that of an ended link. */
  read(token: string, origin: Origin): Promise<ReceiptPage | 'ended' | undefined>;
}

export interface ReceiptPageOptions extends WriteDependencies {
  readonly gate: ConsentGate;
  readonly texts: TextTasks;
  /** Of what was sent by the page. */
  readonly answerSealer: Sealer;
}

export function createReceiptPageService(options: ReceiptPageOptions): ReceiptPageService {
  const { database, clock, audit, gate, texts, answerSealer } = options;

  async function mayShow(transaction: Transaction, record: PageRecord, origin: Origin): Promise<boolean> {
    const { patientGuid, providerGuid, organisationGuid, requestGuid } = record;
    const question = { patientGuid, providerGuid, organisationGuid, subject: `request/${requestGuid}` };
    const [decision] = await gate.decide(transaction, [question], {
      occasion: 'page',
      principal: undefined,
      ...(origin.requestId === undefined ? {} : { requestId: origin.requestId }),
    });
    return decision?.permitted === true;
  }

  async function open(
    transaction: Transaction,
    token: string,
    origin: Origin,
  ): Promise<OpenedRequest | 'ended' | undefined> {
    const record = await readPageRecord(transaction, hashToken(token));
    if (record === undefined) return (await isEndedLink(transaction, hashToken(token))) ? 'ended' : undefined;
    const { serviceRequestId, requestGuid, patientGuid } = record;
    const state = stateOf(record, clock.now());
    const isPermitted = SHOWN.has(state) && (await mayShow(transaction, record, origin));
    await audit.record(transaction, {
      action: 'R',
      event: 'request.look',
      principal: undefined,
      patientGuid,
      entities: [`ServiceRequest/${serviceRequestId}`, `request/${requestGuid}`],
      detail: `by receipt token, ${state}, for provider ${record.providerGuid}`,
      ...(origin.address === undefined ? {} : { address: origin.address }),
      ...(origin.requestId === undefined ? {} : { requestId: origin.requestId }),
    });
    return { record, state, isPermitted };
  }

  async function readReported(
    transaction: Transaction,
    { requestGuid, progress, progressNote: note, progressAt: at, results }: PageRecord,
  ): Promise<ReportedOnPage | undefined> {
    if (progress !== 'in_progress' && progress !== 'completed') return undefined;
    const sent = await listAnswers(transaction, requestGuid);
    const forms = sent.map(({ draftGuid, sentAt, answersSealed: sealed }) => {
      const answers = sealed && (JSON.parse(answerSealer.open(sealed, draftGuid)) as SentAnswers);
      return { sentAt, answers };
    });
    const others = results - new Set(sent.flatMap((each) => each.results)).size;
    return { note, at, forms, others: Math.max(0, others) };
  }

  async function readPage(
    transaction: Transaction,
    token: string,
    origin: Origin,
  ): Promise<ReceiptPage | 'ended' | undefined> {
    const opened = await open(transaction, token, origin);
    if (opened === undefined || opened === 'ended') return opened;
    const { record, state, isPermitted } = opened;
    const { providerName, dispatchedAt, respondBy, requestGuid } = record;
    const content = isPermitted ? await texts.run(PAGE_CONTENT, { bundle: record.bundle }) : undefined;
    const states = await listFormStates(transaction, requestGuid);
    return {
      reported: isPermitted && state !== 'open' ? await readReported(transaction, record) : undefined,
      questions: isPermitted ? await listQuestions(transaction, requestGuid) : [],
      state,
      providerName,
      dispatchedAt,
      respondBy,
      askedFor: content?.askedFor,
      // The patient's identity is not needed before a provider has accepted the work.
      patient: state === 'open' ? undefined : content?.patient,
      isWithoutConsent: SHOWN.has(state) && !isPermitted,
      forms: isPermitted ? withStates(content?.forms ?? [], states) : [],
      hasDrafts: states.some(({ savedAt }) => savedAt !== undefined),
    };
  }

  return {
    open,
    read: (token, origin) => database.transaction((transaction) => readPage(transaction, token, origin)),
  };
}

function withStates(forms: readonly OfferedForm[], states: readonly FormState[]): FormOnPage[] {
  return forms.map((form) => {
    const state = states.find(({ formKey }) => formKey === form.key);
    return { ...form, savedAt: state?.savedAt, sentAt: state?.sentAt };
  });
}

function stateOf(record: PageRecord, now: number): PageState {
  const { progress, withdrawnReason, respondBy } = record;
  const { status: matchStatus } = matchAt({ status: record.matchStatus, respondBy }, now);
  const status = requestStatus(matchStatus, progress);
  if (status === 'withdrawn') return withdrawnReason === 'taken' ? 'taken' : 'withdrawn';
  if (matchStatus === 'accepted') {
    if (status === 'rejected') return 'stopped';
    return status === 'in_progress' || status === 'completed' ? status : 'accepted';
  }
  return status === 'expired' || status === 'rejected' ? status : 'open';
}
