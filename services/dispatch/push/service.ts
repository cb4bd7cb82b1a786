// Push and push-one (decision D6): one transaction asks consent, moves the matches, and writes receipts, feed entries
// and webhooks. It asks consent in `checkConsent`.

import { ALL_ACCESS } from '#fhir/store/access.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { conflict, type Issue, notFound, ServiceError, validationError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import { type ConsentGate, explainRefusal } from '../consent/service.ts';
import type { Outbox } from '../deliveries/outbox-service.ts';
import { frozenFormsOf } from '../forms/freezing-service.ts';
import type { Persons } from '../persons/service.ts';
import type { Actor } from '../shared/actor.ts';
import { moveMatch } from '../shared/match-lifecycle.ts';
import { type Match, updateMatch } from '../shared/match-store.ts';
import type { Records } from '../shared/records.ts';
import type { LockedRequest, RequestContext } from '../shared/request-context.ts';
import { type Selection, type ServiceRequestRecord, updateServiceRequest } from '../shared/service-request-store.ts';
import type { TextTasks } from '../shared/text-tasks.ts';
import { PUSH_BUNDLE } from './bundle-task.ts';

const PAST_DEADLINE: Issue = { field: 'respond_by', message: "'respond_by' must be in the future" };

export interface PushInput {
  /** Undefined leaves it as it is; it is `all` at first. */
  readonly selection: Selection | undefined;
  readonly respondBy: Date | undefined;
  /** Pushes only this match. */
  readonly matchGuid: string | undefined;
}

export interface Pushed {
  readonly matchGuid: string;
  readonly requestGuid: string;
  /** Undefined for a provider without endpoint, which reads the feed. */
  readonly deliveryGuid: string | undefined;
}

export interface PushResult {
  readonly pushed: readonly Pushed[];
  readonly blocked: readonly { readonly matchGuid: string; readonly reason: string }[];
  /** Guids of matches that were pushed before. */
  readonly already: readonly string[];
}

export interface PushService {
  /**
   * @throws ServiceError `not_found`, `conflict`, `already_taken`, `consent_required`, `validation_error`,
   * `unprocessable`
   */
  push(actor: Actor, id: string, input: PushInput): Promise<PushResult>;
  /** The issue of a deadline that is not in the future. */
  deadlineIssues(respondBy: Date): Issue[];
}

export interface PushServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly requestContext: RequestContext;
  readonly records: Records;
  readonly texts: TextTasks;
  readonly gate: ConsentGate;
  readonly persons: Pick<Persons, 'isSettled' | 'settle'>;
  readonly outbox: Outbox;
  /** The public address of the API, as for the outbox. */
  readonly baseUrl: string;
}

export function createPushService(options: PushServiceOptions): PushService {
  const { clock } = options;
  const deadlineIssues = (respondBy: Date) => (respondBy.getTime() > clock.now() ? [] : [PAST_DEADLINE]);
  return {
    deadlineIssues,
    async push(actor, id, input) {
      const issues = input.respondBy === undefined ? [] : deadlineIssues(input.respondBy);
      if (issues.length > 0) throw validationError(issues);
      const result = await pushSettled({ actor, id, input }, options);
      // The reasons are stored with the matches, so the error is thrown after the commit.
      if (result.pushed.length === 0) throw consentRequired(result);
      return result;
    },
  };
}

interface PushCall {
  readonly actor: Actor;
  readonly id: string;
  readonly input: PushInput;
}

/**
 * Pushes once identity knows the Patient as it is written: the person may have denied what the record is sent for.
 * @throws ServiceError `upstream_unavailable`
 */
async function pushSettled(call: PushCall, options: PushServiceOptions): Promise<PushResult> {
  const { database, persons } = options;
  const attempt = () => database.transaction((transaction) => pushOnce(transaction, call, options));
  const first = await attempt();
  if (!('unsettled' in first)) return first;
  await persons.settle(first.unsettled);
  const second = await attempt();
  if (!('unsettled' in second)) return second;
  throw new ServiceError('upstream_unavailable', 'The Patient is being changed; try again', { retryAfterSeconds: 1 });
}

async function pushOnce(
  transaction: Transaction,
  { actor, id, input }: PushCall,
  options: PushServiceOptions,
): Promise<PushResult | { readonly unsettled: string }> {
  const { requestContext, persons } = options;
  const held = await requestContext.lock(transaction, actor, id, 'push');
  const { patientGuid } = held.record;
  if (!(await persons.isSettled(transaction, patientGuid))) return { unsettled: patientGuid };
  const targets = pushTargets(held, input);
  const outcome = await pushPending(transaction, { actor, held, input, targets }, options);
  const detail = `${outcome.pushed.length} pushed, ${outcome.blocked.length} blocked`;
  await requestContext.record(transaction, actor, { record: held.record, event: 'push', action: 'E', detail });
  return outcome;
}

interface PushPlan {
  readonly actor: Actor;
  readonly held: LockedRequest;
  readonly input: PushInput;
  readonly targets: { readonly pending: readonly Match[]; readonly already: readonly string[] };
}

async function pushPending(transaction: Transaction, plan: PushPlan, options: PushServiceOptions): Promise<PushResult> {
  const { held, input, targets } = plan;
  const { permitted, blocked } = await checkConsent(transaction, plan, options);
  if (permitted.length === 0) return { pushed: [], blocked, already: targets.already };
  const now = new Date(options.clock.now());
  if (input.selection !== undefined) {
    await updateServiceRequest(transaction, held.record, { selection: input.selection }, now);
  }
  const recipients = [];
  for (const match of permitted) {
    const requestGuid = newGuid(now.getTime());
    const { providerGuid } = match;
    recipients.push({ matchGuid: match.matchGuid, requestGuid, providerGuid, organisationGuid: organisationOf(match) });
    const pushed = { status: 'pushed', requestGuid, pushedAt: now, respondBy: input.respondBy } as const;
    await updateMatch(transaction, match, { ...pushed, blockedReason: undefined }, now);
  }
  const bundle = await createBundle(transaction, { record: held.record, actor: plan.actor }, options);
  const { id: serviceRequestId, patientGuid } = held.record;
  const dispatch = { serviceRequestId, patientGuid, bundle, recipients, respondBy: input.respondBy };
  const deliveries = await options.outbox.dispatch(transaction, dispatch);
  const pushed = recipients.map(({ matchGuid, requestGuid }) => ({
    matchGuid,
    requestGuid,
    deliveryGuid: deliveries.get(requestGuid),
  }));
  return { pushed, blocked, already: targets.already };
}

/** Asks the consent gate for each provider. A match that it refuses stays pending, with the reason. */
async function checkConsent(
  transaction: Transaction,
  { actor, held, targets }: PushPlan,
  { gate, clock }: PushServiceOptions,
): Promise<{ permitted: Match[]; blocked: { matchGuid: string; reason: string }[] }> {
  const { patientGuid, id } = held.record;
  const questions = targets.pending.map((match) => ({
    patientGuid,
    providerGuid: match.providerGuid,
    organisationGuid: organisationOf(match),
    subject: `ServiceRequest/${id}`,
  }));
  const { principal, requestId } = actor;
  const context = { occasion: 'push' as const, principal, ...(requestId === undefined ? {} : { requestId }) };
  const decisions = await gate.decide(transaction, questions, context);
  const permitted: Match[] = [];
  const blocked: { matchGuid: string; reason: string }[] = [];
  for (const [index, match] of targets.pending.entries()) {
    const decision = decisions[index];
    if (decision?.permitted === true) {
      permitted.push(match);
      continue;
    }
    const reason = decision === undefined ? 'consent_undecided' : explainRefusal(decision);
    await updateMatch(transaction, match, { blockedReason: reason }, new Date(clock.now()));
    blocked.push({ matchGuid: match.matchGuid, reason });
  }
  return { permitted, blocked };
}

/** @throws ServiceError `unprocessable` when the bundle would be too large or not valid FHIR R5 */
async function createBundle(
  transaction: Transaction,
  { record, actor }: { readonly record: ServiceRequestRecord; readonly actor: Actor },
  { records, texts, baseUrl, clock }: PushServiceOptions,
): Promise<string> {
  const { id, patientGuid } = record;
  const serviceRequest = await records.find(transaction, { resourceType: 'ServiceRequest', id }, ALL_ACCESS);
  const patient = await records.find(transaction, { resourceType: 'Patient', id: patientGuid }, ALL_ACCESS);
  if (serviceRequest === undefined) throw notFound('ServiceRequest');
  if (patient === undefined) throw new ServiceError('unprocessable', 'The patient of the ServiceRequest is gone');
  const at = clock.now();
  const forms = await frozenFormsOf(transaction, id);
  const given = {
    bundleGuid: newGuid(at),
    baseUrl,
    at,
    serviceRequest: serviceRequest.content,
    patient: patient.content,
    organisationGuid: record.organisationGuid,
    forms: forms.map(({ formAttachmentGuid, renderReady }) => ({ formAttachmentGuid, renderReady })),
  };
  return texts.run(PUSH_BUNDLE, given, actor);
}

/** The matches to push. @throws ServiceError `not_found`, `already_taken`, `conflict` when nothing is pending */
export function pushTargets(
  { record, matches }: Pick<LockedRequest, 'record' | 'matches'>,
  { matchGuid, selection }: Pick<PushInput, 'matchGuid' | 'selection'>,
): PushPlan['targets'] {
  const named = matches.filter((match) => matchGuid === undefined || match.matchGuid === matchGuid);
  if (matchGuid !== undefined && named.length === 0) throw notFound('Match');
  const pending = named.filter(({ status }) => moveMatch(status, 'push') !== undefined);
  const already = named.flatMap((match) => (match.requestGuid === undefined ? [] : [match.matchGuid]));
  if (pending.length === 0) {
    const [only] = named;
    throw conflict(
      matchGuid !== undefined && only !== undefined ? `The match is ${only.status}` : 'No match is pending',
    );
  }
  const isTaken = matches.some(({ status, progress }) => status === 'accepted' && progress !== 'rejected');
  if ((selection ?? record.selection) === 'first' && isTaken) {
    throw new ServiceError('already_taken', 'Another provider has accepted the request');
  }
  return { pending, already };
}

/** The organisation of whose provider consent is asked. */
export function organisationOf(match: Match): string {
  return match.providerOrganisationGuid ?? match.providerGuid;
}

function consentRequired({ blocked }: PushResult): ServiceError {
  const issues = blocked.map(({ matchGuid, reason }) => ({ message: `Match ${matchGuid}: ${reason}` }));
  return new ServiceError('consent_required', 'The consent of the patient is needed', { issues });
}
