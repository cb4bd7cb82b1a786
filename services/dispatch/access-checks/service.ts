// What somebody may do with a ServiceRequest beyond FHIR's interactions, and by which rules (docs/adr/0105). These are
// the acts of the requester by the state machine, and each push by the consent gate. Also the acts of providers with
// their matches.

import { recordRule } from '#fhir/rest/access-check/record-rule.ts';
import { decideAct, roleRule, ruleOf, type Step } from '#fhir/rest/access-check/rules.ts';
import type { DecidedAct, DecidingRule } from '#fhir/rest/access-check/schema.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import type { Permission } from '#lib/auth/permissions.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { actsForProvider, providersOf } from '#lib/auth/provider-staff.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import type { ConsentDecision, PreviewGate } from '../consent/service.ts';
import { organisationOf, pushTargets } from '../push/service.ts';
import { accessOf } from '../shared/access.ts';
import { matchAt, moveMatch } from '../shared/match-lifecycle.ts';
import { listMatches, type Match } from '../shared/match-store.ts';
import {
  moveServiceRequest,
  SERVICE_REQUEST_EVENTS,
  type ServiceRequestEvent,
} from '../shared/service-request-lifecycle.ts';
import { findServiceRequest, type ServiceRequestRecord } from '../shared/service-request-store.ts';

/** A request completes by what providers report, and a push is decided for each match. */
const BY_OTHERS: ReadonlySet<ServiceRequestEvent> = new Set<ServiceRequestEvent>(['complete', 'push']);
/** Matches that are decided about; those beyond are as many more of the same. */
const MOST_MATCHES = 50;

export interface RequestActOptions {
  readonly database: Database;
  readonly store: FhirStore;
  readonly clock: Clock;
  readonly gate: PreviewGate;
  /** The requests by which these ServiceRequests were pushed to these providers, and whether a report is taken now. */
  readonly findReportable: (asked: {
    readonly providerGuids: readonly string[];
    readonly serviceRequestIds: readonly string[];
  }) => Promise<readonly { readonly requestGuid: string; readonly mayReport: boolean }[]>;
  /** Whether the provider is shown what was pushed, by the state of the match. */
  readonly isShown: (match: Pick<Match, 'status' | 'progress'>) => boolean;
}

export type RequestActs = (principal: Principal | undefined, record: StoredVersion) => Promise<readonly DecidedAct[]>;

interface Situation {
  readonly principal: Principal | undefined;
  readonly version: StoredVersion;
  readonly record: ServiceRequestRecord;
  readonly matches: readonly Match[];
}

export function createRequestActs(options: RequestActOptions): RequestActs {
  const { database } = options;
  return async (principal, version) => {
    if (version.resourceType !== 'ServiceRequest' || !isGuid(version.id)) return [];
    const record = await findServiceRequest(database, version.id);
    if (record === undefined) return [];
    const matches = await listMatches(database, version.id);
    const situation = { principal, version, record, matches };
    const shown = matches.slice(0, MOST_MATCHES);
    const acts: DecidedAct[] = [];
    for (const event of SERVICE_REQUEST_EVENTS)
      if (!BY_OTHERS.has(event)) acts.push(await requesterAct(options, situation, event));
    for (const match of shown.filter(({ status }) => status === 'pending'))
      acts.push(await pushAct(options, situation, match));
    for (const match of shown.filter(({ status }) => status !== 'pending'))
      if (mayConcern(principal, match)) acts.push(...(await providerActs(options, situation, match)));
    return acts;
  };
}

/** Who acts for no provider has no acts with matches, and who acts for one none with those of others. */
function mayConcern(principal: Principal | undefined, { providerGuid }: Match): boolean {
  return principal !== undefined && (principal.roles.has('admin') || providersOf(principal).includes(providerGuid));
}

/** The first steps of what the requester does: the permission, and the request must be shown to the caller. */
function requesterSteps({ database, store }: RequestActOptions, { principal, version }: Situation): Step[] {
  const role = () => roleRule('request:plan', principal);
  return principal === undefined ? [role] : [role, () => recordRule({ store, database }, version, accessOf(principal))];
}

function requesterAct(
  options: RequestActOptions,
  situation: Situation,
  event: ServiceRequestEvent,
): Promise<DecidedAct> {
  return decideAct({ act: event, resource_type: 'ServiceRequest' }, [
    ...requesterSteps(options, situation),
    () => stateRule(situation, () => moveOf(situation, event)),
  ]);
}

function moveOf({ record: { status, archivedAt }, matches }: Situation, event: ServiceRequestEvent) {
  return moveServiceRequest({ status, isArchived: archivedAt !== undefined, matches }, event);
}

/** Whether the state machine lets it pass; it names the state or the reason when not. */
function stateRule({ record: { status } }: Situation, move: () => unknown): DecidingRule {
  try {
    move();
    return ruleOf('state', true, 'state_permits', { given: [status] });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return ruleOf('state', false, 'state_refuses', { given: [status], message: error.message });
  }
}

function pushAct(options: RequestActOptions, situation: Situation, match: Match): Promise<DecidedAct> {
  const { record, matches } = situation;
  const push = () => {
    moveOf(situation, 'push');
    pushTargets({ record, matches }, { matchGuid: match.matchGuid, selection: undefined });
  };
  return decideAct({ act: 'push', resource_type: 'ServiceRequest', match: named(match) }, [
    ...requesterSteps(options, situation),
    () => stateRule(situation, push),
    () => consentRule(options, situation, match),
  ]);
}

function named({ matchGuid, providerGuid, providerName }: Match) {
  return { match_guid: matchGuid, provider_guid: providerGuid, provider_name: providerName };
}

/** As the gate decides at a push, before each attempt and whenever the provider reads; nothing is recorded here. */
async function consentRule(
  { gate, clock }: RequestActOptions,
  { record }: Situation,
  match: Match,
): Promise<DecidingRule> {
  const { id, patientGuid } = record;
  const { providerGuid } = match;
  const question = {
    patientGuid,
    providerGuid,
    organisationGuid: organisationOf(match),
    subject: `ServiceRequest/${id}`,
  };
  const [decision] = await gate.compare([question], { at: clock.now() });
  if (decision === undefined) throw new Error('The gate decides every question');
  const { before } = decision;
  const given = before.consentIds.map((consent) => `Consent/${consent}`);
  return ruleOf('consent', before.permitted, reasonOf(before), { needed: [organisationOf(match)], given });
}

function reasonOf(decision: ConsentDecision) {
  if (decision.permitted) return decision.basis === 'consent' ? 'consent_given' : 'consent_implied';
  switch (decision.reason) {
    case 'denied':
      return 'consent_denied';
    case 'no_consent':
      return 'consent_missing';
    case 'cannot_be_evaluated':
      return 'consent_unclear';
    default:
      return decision.reason satisfies never;
  }
}

/** What the provider does with what was pushed to it: read it in the feed, accept, report. */
async function providerActs(options: RequestActOptions, situation: Situation, match: Match): Promise<DecidedAct[]> {
  const now = options.clock.now();
  const about = { resource_type: 'ServiceRequest', match: named(match) };
  const { status } = matchAt(match, now);
  const steps = (permission: Permission, permits: boolean | Promise<boolean>): Step[] => [
    () => roleRule(permission, situation.principal),
    () => providerRule(situation.principal, match),
    async () => {
      const isPermitted = await permits;
      return ruleOf('state', isPermitted, isPermitted ? 'state_permits' : 'state_refuses', { given: [status] });
    },
  ];
  const reportable = isReportable(options, match);
  return Promise.all([
    decideAct({ act: 'feed', ...about }, [
      ...steps('feed:read', options.isShown({ status, progress: match.progress })),
      () => consentRule(options, situation, match),
    ]),
    decideAct({ act: 'accept', ...about }, steps('request:report', moveMatch(status, 'accept') !== undefined)),
    decideAct({ act: 'report', ...about }, steps('request:report', reportable)),
  ]);
}

/** Whether a report of the provider would be taken now. */
async function isReportable({ findReportable }: RequestActOptions, match: Match): Promise<boolean> {
  const asked = { providerGuids: [match.providerGuid], serviceRequestIds: [match.serviceRequestId] };
  const found = await findReportable(asked);
  return found.some(({ requestGuid, mayReport }) => requestGuid === match.requestGuid && mayReport);
}

function providerRule(principal: Principal | undefined, { providerGuid }: Match): DecidingRule {
  const permits = principal !== undefined && actsForProvider(principal, providerGuid);
  const given = principal === undefined ? [] : providersOf(principal);
  const reason = permits ? 'acts_for_provider' : 'not_for_provider';
  return ruleOf('provider', permits, reason, { needed: [providerGuid], given });
}
