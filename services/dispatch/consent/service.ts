// The consent gate at work (decision D7): reads the consents in the caller's transaction, decides, and records every
// decision in it; or, for who only looks, without a transaction.
import { setImmediate } from 'node:timers/promises';
import type { Calendar } from '#fhir/primitives/calendar.ts';
import type { AccessLog } from '#lib/audit/access-log.ts';
import type { Audit } from '#lib/audit/audit.ts';
import type { AuditEntry } from '#lib/audit/audit-event.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { Clock } from '#lib/clock.ts';
import type { Queryable } from '#lib/db/database.ts';
import { createSlices } from '#lib/jobs/slices.ts';
import type { ConsentDecision, ConsentPolicy, PatientConsents, Recipient } from './consent.ts';
import { decideConsent } from './decide.ts';

export type { ConsentDecision } from './consent.ts';

/** May data of this patient go to this provider? */
export interface GateQuestion {
  readonly patientGuid: string;
  readonly providerGuid: string;
  /** The organisation that the provider is. */
  readonly organisationGuid: string;
  /** What would be sent, as a FHIR reference or a name; for the audit record. */
  readonly subject: string;
}

export interface GateContext {
  /** Where in the process the gate is asked. */
  readonly occasion: 'push' | 'attempt' | 'feed' | 'page';
  /** On whose behalf; undefined for the worker. */
  readonly principal: Principal | undefined;
  readonly requestId?: string;
}

export interface ConsentSource {
  /** What is on record for each patient. */
  consentsOf(db: Queryable, patientGuids: readonly string[]): Promise<ReadonlyMap<string, PatientConsents>>;
  /** Each organisation with those that it is part of. */
  lineagesOf(db: Queryable, organisationGuids: readonly string[]): Promise<ReadonlyMap<string, Recipient>>;
}

/** The gate for what changes nothing. */
export interface ReadGate {
  /**
   * Answers what `show` makes of the decisions, one for each question, in their order. Asked outside of any
   * transaction, whose statements would wait for one another. The decisions are recorded as looks are, while `show` is
   * at work: that they were looked at is stored when this resolves.
   */
  decideRead<T>(
    questions: readonly GateQuestion[],
    context: GateContext,
    show: (decisions: readonly ConsentDecision[]) => T | Promise<T>,
  ): Promise<T>;
}

export interface ConsentGate {
  /** One decision for each question, in their order, recorded in the transaction. */
  decide(
    transaction: Queryable,
    questions: readonly GateQuestion[],
    context: GateContext,
  ): Promise<readonly ConsentDecision[]>;
}

export interface ConsentGateOptions {
  readonly database: Queryable;
  readonly source: ConsentSource;
  readonly policy: ConsentPolicy;
  readonly audit: Audit;
  readonly accessLog: Pick<AccessLog, 'tell'>;
  readonly clock: Clock;
  /** Of the zone that dates without one are meant in. */
  readonly calendar: Calendar;
}

export function createConsentGate({
  database,
  source,
  policy,
  audit,
  accessLog: looks,
  clock,
  calendar,
}: ConsentGateOptions): ConsentGate & ReadGate {
  async function evaluate(db: Queryable, questions: readonly GateQuestion[]): Promise<ConsentDecision[]> {
    const patients = unique(questions.map((question) => question.patientGuid));
    const organisations = unique(questions.map((question) => question.organisationGuid));
    const [files, lineages] = await Promise.all([
      source.consentsOf(db, patients),
      source.lineagesOf(db, organisations),
    ]);
    const at = clock.now();
    const slices = createSlices();
    const decisions: ConsentDecision[] = [];
    for (const question of questions) {
      const recipient = recipientOf(question, lineages.get(question.organisationGuid));
      const file = files.get(question.patientGuid) ?? UNREAD;
      decisions.push(await decideConsent(file, { recipient, at, calendar }, policy, slices));
    }
    return decisions;
  }

  return {
    async decide(transaction, questions, context) {
      if (questions.length === 0) return [];
      const decisions = await evaluate(transaction, questions);
      const entries = entriesOf(questions, decisions, context);
      await audit.record(transaction, ...entries);
      return decisions;
    },
    async decideRead(questions, context, show) {
      if (questions.length === 0) return show([]);
      const decisions = await evaluate(database, questions);
      const record = async () => {
        // First what `show` reads is on its way.
        await setImmediate();
        await looks.tell(entriesOf(questions, decisions, context));
      };
      const [shown] = await Promise.all([show(decisions), record()]);
      return shown;
    },
  };
}

/** What cannot be found out counts as a denial. */
const UNREAD: PatientConsents = { consents: [], objections: [], isComplete: false };

/** The reason as a code for the match, the delivery and the answer. */
export function explainRefusal(decision: ConsentDecision & { permitted: false }): string {
  switch (decision.reason) {
    case 'denied':
      return 'consent_denied';
    case 'cannot_be_evaluated':
      return 'consent_cannot_be_evaluated';
    case 'no_consent':
      return 'consent_missing';
    default:
      return decision.reason satisfies never;
  }
}

/** An organisation whose place among others is not known might be part of any. */
function recipientOf(question: GateQuestion, lineage: Recipient | undefined): Recipient {
  const guids = new Set([question.providerGuid, question.organisationGuid, ...(lineage?.guids ?? [])]);
  return { guids, isComplete: lineage?.isComplete ?? false };
}

function entriesOf(
  questions: readonly GateQuestion[],
  decisions: readonly ConsentDecision[],
  context: GateContext,
): AuditEntry[] {
  return questions.map((question, at) => entryOf(question, decisions[at], context));
}

function entryOf(question: GateQuestion, decision: ConsentDecision | undefined, context: GateContext): AuditEntry {
  const permitted = decision?.permitted === true;
  const grounds = decision === undefined || decision.permitted ? decision?.basis : decision.reason;
  const consents = (decision?.consentIds ?? []).map((id) => `Consent/${id}`);
  return {
    action: 'E',
    event: 'consent.decision',
    principal: context.principal,
    patientGuid: question.patientGuid,
    entities: [question.subject, `Organization/${question.organisationGuid}`, ...consents],
    outcome: permitted ? 'success' : 'failure',
    detail: `${context.occasion}: ${permitted ? 'permitted' : 'refused'}, ${grounds ?? 'undecided'}`,
    ...(context.requestId === undefined ? {} : { requestId: context.requestId }),
  };
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
