// Questions and answers (decision D13): a provider asks the requester, the requester answers once, and the provider
// finds the answer in its feed. Every change is made under the lock of the ServiceRequest.

import type { AuditEntry } from '#lib/audit/audit-event.ts';
import { actsForProvider, onBehalfOf } from '#lib/auth/provider-staff.ts';
import type { Transaction } from '#lib/db/database.ts';
import { conflict, notFound, ServiceError } from '#lib/errors.ts';
import { isGuid, newGuid } from '#lib/guid.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { ConsentGate } from '../../consent/service.ts';
import type { Outbox } from '../../deliveries/outbox-service.ts';
import type { Notifier } from '../../notifications/notify-service.ts';
import type { ApplyProgress } from '../../service-requests/completion-service.ts';
import type { Actor, TokenHolder } from '../../shared/actor.ts';
import { hashToken } from '../../shared/key-ring.ts';
import { matchAt } from '../../shared/match-lifecycle.ts';
import { findMatchOfRequest, type Match } from '../../shared/match-store.ts';
import type { RequestContext } from '../../shared/request-context.ts';
import { findReceipt, type ReceiptRecord, requireReceipt } from '../feed/feed-store.ts';
import { lockOpenMatch } from '../open-match.ts';
import { refusal, type Settlement } from '../settlement.ts';
import { requestStatus } from '../status.ts';
import {
  findQuestion,
  insertQuestion,
  listQuestions,
  listQuestionsOfServiceRequest,
  type Question,
  type QuestionWithMatch,
  writeAnswer,
} from './question-store.ts';

export type { Question, QuestionWithMatch } from './question-store.ts';

/** The most questions of one request; longer conversations belong elsewhere. */
const MOST_QUESTIONS = 20;

export interface QuestionService {
  /** @throws ServiceError `not_found`, `conflict` with the state or for too many, `already_taken`, `expired` */
  ask(actor: Actor, requestGuid: string, question: string): Promise<Question>;
  /** As `ask`, by receipt token. A page that is sent again repeats its question, which is asked once until answered. */
  askByToken(holder: TokenHolder, question: string): Promise<Question>;
  /** The provider's questions with their answers. @throws ServiceError as `ask`, and `consent_required` */
  read(actor: Actor, requestGuid: string): Promise<readonly Question[]>;
  /** All providers' questions to the requester. @throws ServiceError `not_found` */
  list(
    actor: Actor,
    filter: { readonly serviceRequestId: string; readonly isAnswered: boolean | undefined },
    range: { readonly limit: number; readonly offset: number },
  ): Promise<{ questions: readonly QuestionWithMatch[]; total: number }>;
  /**
   * Repeating the same answer changes nothing. @throws ServiceError `not_found`, `conflict`, `already_taken`, `expired`
   */
  answer(
    actor: Actor,
    address: { readonly serviceRequestId: string; readonly questionGuid: string },
    answer: string,
  ): Promise<Question>;
}

export interface QuestionServiceOptions extends WriteDependencies {
  readonly gate: ConsentGate;
  readonly outbox: Outbox;
  readonly requestContext: RequestContext;
  readonly settlement: Settlement;
  readonly applyProgress: ApplyProgress;
  readonly notifier: Notifier;
}

/** The caller, for the audit record. */
type By = Pick<AuditEntry, 'principal' | 'detail' | 'address' | 'requestId' | 'organisationGuids'>;

interface Asking {
  readonly receipt: ReceiptRecord;
  readonly question: string;
  readonly by: By;
  /** Whether a question that waits for its answer is not asked again. */
  readonly isOnce: boolean;
}

export function createQuestionService(options: QuestionServiceOptions): QuestionService {
  const { database, clock, audit, gate, outbox, requestContext, settlement, notifier } = options;

  async function take(
    transaction: Transaction,
    { receipt, question, by, isOnce }: Asking,
  ): Promise<Question | ServiceError> {
    const { serviceRequestId, requestGuid } = receipt;
    const { claim, refused } = await lockOpenMatch(transaction, receipt, options);
    if (refused !== undefined) return refused;
    requireInWork(claim.match);
    const before = await listQuestions(transaction, requestGuid);
    const same = isOnce && before.find((each) => each.question === question && each.answer === undefined);
    if (same) return same;
    if (before.length >= MOST_QUESTIONS) throw conflict(`${MOST_QUESTIONS} questions have been asked already`);
    const now = clock.now();
    const asked = { questionGuid: newGuid(now), requestGuid, question, askedAt: new Date(now) };
    await insertQuestion(transaction, { ...asked, serviceRequestId });
    await audit.record(transaction, entryOf(receipt, 'ask', by));
    await notifier.notify(transaction, { kind: 'question_asked', serviceRequestId, requestGuid });
    return { ...asked, answer: undefined, answeredAt: undefined };
  }

  async function ask(asking: Asking): Promise<Question> {
    const taken = await database.transaction((transaction) => take(transaction, asking));
    if (taken instanceof ServiceError) throw taken;
    return taken;
  }

  async function receiptOf(actor: Actor, requestGuid: string): Promise<ReceiptRecord> {
    const receipt = isGuid(requestGuid) ? await findReceipt(database, requestGuid) : undefined;
    if (receipt === undefined || !actsForProvider(actor.principal, receipt.providerGuid)) throw notFound('Request');
    return receipt;
  }

  async function isPermitted(transaction: Transaction, actor: Actor, receipt: ReceiptRecord): Promise<boolean> {
    const { requestGuid, patientGuid, providerGuid, organisationGuid } = receipt;
    const question = { patientGuid, providerGuid, organisationGuid, subject: `request/${requestGuid}` };
    const { principal, requestId } = actor;
    const context = { occasion: 'feed' as const, principal, ...(requestId === undefined ? {} : { requestId }) };
    const [decision] = await gate.decide(transaction, [question], context);
    return decision?.permitted === true;
  }

  async function settle(
    transaction: Transaction,
    { actor, known, serviceRequestId }: { actor: Actor; known: Question; serviceRequestId: string },
    answer: string,
  ): Promise<Question | ServiceError> {
    const claim = await settlement.lock(transaction, serviceRequestId, known.requestGuid);
    // Read again under the lock.
    const question = await findQuestion(transaction, serviceRequestId, known.questionGuid);
    if (claim === undefined || question === undefined) throw notFound('Question');
    if (question.answer === answer) return question;
    if (question.answer !== undefined) throw conflict('The question has been answered already');
    const { refused } = await lockOpenMatch(transaction, { serviceRequestId, requestGuid: known.requestGuid }, options);
    if (refused !== undefined) return refused;
    requireInWork(claim.match);
    const at = new Date(clock.now());
    await writeAnswer(transaction, question.questionGuid, { text: answer, at });
    await outbox.touch(transaction, [question.requestGuid]);
    const receipt = { ...question, serviceRequestId, patientGuid: claim.record.patientGuid };
    await audit.record(transaction, entryOf(receipt, 'answer-question', byActor(actor)));
    const notice = { kind: 'question_answered' as const, serviceRequestId, requestGuid: question.requestGuid };
    const { providerGuid } = claim.match;
    await notifier.notify(transaction, { ...notice, by: actor.principal }, { ...notice, toProvider: providerGuid });
    return { ...question, answer, answeredAt: at };
  }

  return {
    async ask(actor, requestGuid, question) {
      const receipt = await receiptOf(actor, requestGuid);
      return ask({ receipt, question, by: byActor(actor, receipt.providerGuid), isOnce: false });
    },
    async askByToken({ token, address, requestId }, question) {
      const receipt = await requireReceipt(database, hashToken(token));
      const detail = `by receipt token, for provider ${receipt.providerGuid}`;
      const by = { principal: undefined, detail, ...originOf({ address, requestId }) };
      return ask({ receipt, question, by, isOnce: true });
    },
    async read(actor, requestGuid) {
      const receipt = await receiptOf(actor, requestGuid);
      const shown = await database.transaction(async (transaction) => {
        const match = await findMatchOfRequest(transaction, requestGuid);
        if (match === undefined) throw notFound('Request');
        requireOpen(matchAt(match, clock.now()));
        return (await isPermitted(transaction, actor, receipt)) ? listQuestions(transaction, requestGuid) : undefined;
      });
      // Thrown after the commit, which stores the audit record of the consent decision.
      if (shown === undefined) throw new ServiceError('consent_required', 'The consent of the patient is needed');
      return shown;
    },
    async list(actor, filter, range) {
      const { record } = await requestContext.find(database, actor, filter.serviceRequestId);
      await requestContext.recordRead(actor, { record, event: 'questions', action: 'R' });
      return listQuestionsOfServiceRequest(database, filter, range);
    },
    async answer(actor, { serviceRequestId, questionGuid }, answer) {
      const settled = await database.transaction(async (transaction) => {
        await requestContext.find(transaction, actor, serviceRequestId);
        const known = isGuid(questionGuid) && (await findQuestion(transaction, serviceRequestId, questionGuid));
        if (!known) throw notFound('Question');
        return settle(transaction, { actor, known, serviceRequestId }, answer);
      });
      if (settled instanceof ServiceError) throw settled;
      return settled;
    },
  };
}

/** Allowed while the push is unanswered, or accepted by the provider. @throws ServiceError as `refusal` */
function requireOpen(match: Match): void {
  if (match.status !== 'pushed' && match.status !== 'accepted') throw refusal(match, 'accept');
}

/** Allowed until the work has ended. @throws ServiceError as `refusal`, `conflict` after the end */
function requireInWork(match: Match): void {
  requireOpen(match);
  const { status, progress } = match;
  if (progress !== 'completed' && progress !== 'rejected') return;
  throw conflict(
    `The request is ${requestStatus(status === 'pushed' ? 'pushed' : 'accepted', progress)}; nothing more is asked`,
  );
}

function entryOf(
  receipt: Pick<ReceiptRecord, 'patientGuid' | 'serviceRequestId' | 'requestGuid'>,
  what: 'ask' | 'answer-question',
  by: By,
): AuditEntry {
  const { patientGuid, serviceRequestId, requestGuid } = receipt;
  const entities = [`ServiceRequest/${serviceRequestId}`, `request/${requestGuid}`];
  return { ...by, action: 'C', event: `request.${what}`, patientGuid, entities };
}

function byActor({ principal, ...origin }: Actor, providerGuid?: string): By {
  const unit = providerGuid === undefined ? {} : onBehalfOf(principal, providerGuid);
  return { principal, ...unit, ...originOf(origin) };
}

function originOf({
  address,
  requestId,
}: Pick<TokenHolder, 'address' | 'requestId'>): Pick<By, 'address' | 'requestId'> {
  return { ...(address === undefined ? {} : { address }), ...(requestId === undefined ? {} : { requestId }) };
}
