// The consent gate (decision D7): reads consents, decides, and stores every decision in the audit record. `decide`
// works in the caller's transaction; `decideRead` is for reads and has none.
import { setImmediate } from 'node:timers/promises';
import type { Calendar } from '#fhir/primitives/calendar.ts';
import type { AccessLog } from '#lib/audit/access-log.ts';
import type { Audit } from '#lib/audit/audit.ts';
import type { AuditEntry } from '#lib/audit/audit-event.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { Clock } from '#lib/clock.ts';
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { createSlices } from '#lib/jobs/slices.ts';
import type { Consent, ConsentDecision, ConsentPolicy, PatientConsents, Recipient } from './consent.ts';
import { decideConsent } from './decide.ts';
import type { AskedFiles } from './file-store.ts';

export type { ConsentDecision } from './consent.ts';

/** May data of this patient go to this provider? */
export interface GateQuestion {
  readonly patientGuid: string;
  readonly providerGuid: string;
  /** The provider's organisation. */
  readonly organisationGuid: string;
  /** For the audit record: what would be sent, as a FHIR reference or a name. */
  readonly subject: string;
}

export interface GateContext {
  /** For the audit record: which operation asks. */
  readonly occasion: 'push' | 'attempt' | 'feed' | 'page';
  /** The caller; undefined for the delivery worker. */
  readonly principal: Principal | undefined;
  readonly requestId?: string;
}

export interface ConsentSource {
  /** The consents that concern each patient, and each organisation with all organisations above it. */
  read(
    db: Queryable,
    asked: AskedFiles,
  ): Promise<{
    readonly files: ReadonlyMap<string, PatientConsents>;
    readonly lineages: ReadonlyMap<string, Recipient>;
  }>;
}

/** The gate for operations that only read. */
export interface ReadGate {
  /**
   * Passes the decisions, one for each question in their order, to `show` and returns its result. It runs outside of
   * any transaction, as the statements of a transaction wait for each other. The decisions are stored as access records
   * while `show` runs, before this resolves.
   */
  decideRead<T>(
    questions: readonly GateQuestion[],
    context: GateContext,
    show: (decisions: readonly ConsentDecision[]) => T | Promise<T>,
  ): Promise<T>;
}

export interface ConsentGate {
  /** One decision for each question, in their order, stored in the audit record by the same transaction. */
  decide(
    transaction: Transaction,
    questions: readonly GateQuestion[],
    context: GateContext,
  ): Promise<readonly ConsentDecision[]>;
}

/** A change of a patient's consents that has not been made. */
export interface ConsentChange {
  readonly added?: Consent;
  /** The id of the consent that would be ended. */
  readonly endedId?: string;
  /** Milliseconds since the epoch: the moment that is asked about. */
  readonly at: number;
}

export interface Compared {
  readonly before: ConsentDecision;
  readonly after: ConsentDecision;
}

/** The gate for looking ahead: nothing is sent on its answers, and nothing is recorded. */
export interface PreviewGate {
  /** For each question the decision with the consents as they are, and with the change. */
  compare(questions: readonly GateQuestion[], change: ConsentChange): Promise<readonly Compared[]>;
}

export interface ConsentGateOptions {
  readonly database: Queryable;
  readonly source: ConsentSource;
  readonly policy: ConsentPolicy;
  readonly audit: Audit;
  readonly accessLog: Pick<AccessLog, 'recordEvents'>;
  readonly clock: Clock;
  /** In the time zone of dates without one. */
  readonly calendar: Calendar;
}

export function createConsentGate({
  database,
  source,
  policy,
  audit,
  accessLog,
  clock,
  calendar,
}: ConsentGateOptions): ConsentGate & ReadGate & PreviewGate {
  async function evaluate(
    db: Queryable,
    questions: readonly GateQuestion[],
    { at, change }: { readonly at: number; readonly change?: (file: PatientConsents) => PatientConsents },
  ): Promise<ConsentDecision[]> {
    const patients = unique(questions.map((question) => question.patientGuid));
    const organisations = unique(questions.map((question) => question.organisationGuid));
    const { files, lineages } = await source.read(db, { patients, organisations });
    const slices = createSlices();
    const decisions: ConsentDecision[] = [];
    for (const question of questions) {
      const recipient = recipientOf(question, lineages.get(question.organisationGuid));
      const file = files.get(question.patientGuid) ?? UNREAD;
      decisions.push(await decideConsent(change?.(file) ?? file, { recipient, at, calendar }, policy, slices));
    }
    return decisions;
  }

  return {
    async decide(transaction, questions, context) {
      if (questions.length === 0) return [];
      const decisions = await evaluate(transaction, questions, { at: clock.now() });
      const entries = entriesOf(questions, decisions, context);
      audit.send(transaction, ...entries);
      return decisions;
    },
    async decideRead(questions, context, show) {
      if (questions.length === 0) return show([]);
      const decisions = await evaluate(database, questions, { at: clock.now() });
      const record = async () => {
        // Lets `show` send its own statements first.
        await setImmediate();
        await accessLog.recordEvents(entriesOf(questions, decisions, context));
      };
      const [shown] = await Promise.all([show(decisions), record()]);
      return shown;
    },
    async compare(questions, { added, endedId, at }) {
      if (questions.length === 0) return [];
      const change = ({ consents, ...rest }: PatientConsents): PatientConsents => ({
        ...rest,
        consents: [...consents.filter(({ id }) => id !== endedId), ...(added === undefined ? [] : [added])],
      });
      const before = await evaluate(database, questions, { at });
      const after = await evaluate(database, questions, { at, change });
      return before.flatMap((decision, index) => {
        const changed = after[index];
        return changed === undefined ? [] : [{ before: decision, after: changed }];
      });
    },
  };
}

export type RefusalCode = 'consent_denied' | 'consent_cannot_be_evaluated' | 'consent_missing';

/** A patient whose consents could not be read counts as one who denied. */
const UNREAD: PatientConsents = { consents: [], objections: [], isComplete: false };

/** The reason as a code for the match, the delivery and the response. */
export function explainRefusal(decision: ConsentDecision & { permitted: false }): RefusalCode {
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

/** An organisation whose parents are unknown might be part of any other. */
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
