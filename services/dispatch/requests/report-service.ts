// Reports of progress by the status callback and by the receipt page (decisions D3, D11, D13; docs/adr/0036). A report
// that work has begun or is done implies an acceptance, which competes with those of other providers.

import type { AuditEntry } from '#lib/audit/audit-event.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { StaffPerson } from '#lib/auth/provider-staff.ts';
import { MINUTE_MS } from '#lib/clock.ts';
import type { Transaction } from '#lib/db/database.ts';
import { conflict, type Issue, notFound, ServiceError, validationError } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Outbox } from '../deliveries/outbox-service.ts';
import type { Notice, Notifier } from '../notifications/notify-service.ts';
import type { NotificationKind } from '../notifications/schema.ts';
import type { ApplyProgress } from '../service-requests/completion-service.ts';
import type { Actor, TokenHolder } from '../shared/actor.ts';
import { hashToken } from '../shared/key-ring.ts';
import { moveProgress, type ProgressStatus } from '../shared/match-lifecycle.ts';
import { type Match, type MatchChanges, updateMatch } from '../shared/match-store.ts';
import { auditedFor, type MayReport, reporterOf } from '../shared/providers/access.ts';
import { findReceipt, type ReceiptRecord, requireReceipt } from './feed/feed-store.ts';
import { lockOpenMatch } from './open-match.ts';
import { addResults, addWrittenResults } from './results/match-results.ts';
import type { PreparedResults, Results } from './results/results-service.ts';
import { type LockedMatch, refusal, type Settlement } from './settlement.ts';
import { requestStatus } from './status.ts';

/** How far the clock of a provider may be ahead of ours. */
const CLOCK_SKEW_MS = 5 * MINUTE_MS;

export interface Report {
  readonly status: ProgressStatus;
  readonly reason: string | undefined;
  readonly note: string | undefined;
  readonly occurredAt: Date | undefined;
  /** References to the resources with the provider's results. */
  readonly results: readonly string[];
  /** The person of a provider that the engine hosts; others name nobody but themselves. */
  readonly by?: StaffPerson | undefined;
  /** The text of the body, when `results` in it is a Bundle. */
  readonly resultsIn?: string | undefined;
}

/** A report whose results have been checked. */
export interface CheckedReport extends Report {
  readonly prepared?: PreparedResults | undefined;
}

export interface Reported {
  readonly status: ProgressStatus;
  /** References to the resources of this report, when its `results` was a Bundle. */
  readonly results: readonly string[] | undefined;
}

export interface ReportService {
  /** @throws ServiceError `not_found`, `conflict`, `already_taken`, `expired`, `validation_error` */
  report(actor: Actor, requestGuid: string, report: Report): Promise<Reported>;
  /** The issue of a time that is in the future. */
  momentIssues(occurredAt: Date): Issue[];
  /**
   * Reports with results by receipt token, in the caller's transaction: `Results.sendNow` then sends them. Returns an
   * error that is to be thrown after the commit.
   */
  reportWithin(
    transaction: Transaction,
    origin: Pick<TokenHolder, 'address' | 'requestId'>,
    reported: { readonly receipt: ReceiptRecord; readonly report: CheckedReport },
  ): Promise<ServiceError | undefined>;
  /**
   * Adds results that the provider wrote at the engine by FHIR, whatever has become of the request: they are there.
   * Again changes nothing. @throws ServiceError `not_found`
   */
  register(actor: Actor, requestGuid: string, written: WrittenResults): Promise<void>;
  /** As `report`, by receipt token. */
  reportByToken(holder: TokenHolder, report: Omit<Report, 'by'>): Promise<Reported>;
}

export interface WrittenResults {
  /** Absolute references. */
  readonly results: readonly string[];
  readonly by: StaffPerson | undefined;
}

export interface ReportServiceOptions extends WriteDependencies {
  readonly outbox: Outbox;
  readonly settlement: Settlement;
  readonly applyProgress: ApplyProgress;
  readonly notifier: Notifier;
  readonly mayReport: MayReport;
  readonly results: Results;
}

/** The reporter: a known caller or the holder of the receipt token. */
interface Reporter {
  readonly principal: Principal | undefined;
  readonly address: string | undefined;
  readonly requestId: string | undefined;
}

export function createReportService(options: ReportServiceOptions): ReportService {
  const { database, clock, audit, outbox, settlement, applyProgress, notifier } = options;

  /** The match after the acceptance or rejection that the report implies. */
  async function settle(
    transaction: Transaction,
    claim: LockedMatch,
    report: Report,
    effects: readonly string[],
  ): Promise<Match> {
    if (effects.includes('accept')) return settlement.accept(transaction, claim, report.by);
    const isOpen = claim.match.status === 'pushed';
    if (effects.includes('reject_if_not_accepted') && isOpen) {
      return settlement.reject(transaction, claim, report.reason);
    }
    return claim.match;
  }

  /** Returns what was changed: the progress, or only its results; and the resources of the report. */
  async function apply(transaction: Transaction, claim: LockedMatch, report: CheckedReport): Promise<Applied> {
    const { match } = claim;
    requireReportable(match);
    const move = moveProgress(match.progress, report.status);
    if (move === undefined) throw conflict(`The request is ${match.progress}; it cannot become ${report.status}`);
    const stored = report.prepared && (await options.results.store(transaction, report.prepared));
    const results = addResults(match, [...report.results, ...(stored?.references ?? [])]);
    if (move.effects.includes('repeat')) {
      // Stores further or corrected results of a stage that was reported before.
      const isNothing = results.length === match.results.length && stored?.isNew !== true;
      if (!isNothing) await updateMatch(transaction, match, { results, ...reportedBy(report) }, new Date(clock.now()));
      return { changed: isNothing ? undefined : 'results', results: stored?.references };
    }
    const settled = await settle(transaction, claim, report, move.effects);
    const changes: MatchChanges = {
      progress: report.status,
      progressNote: report.note ?? report.reason ?? settled.progressNote,
      progressAt: report.occurredAt ?? new Date(clock.now()),
      results,
      ...reportedBy(report),
      // Work that was given up no longer keeps others from accepting.
      isExclusive: settled.isExclusive && report.status !== 'rejected',
    };
    await updateMatch(transaction, settled, changes, new Date(clock.now()));
    return { changed: 'progress', results: stored?.references };
  }

  /** Returns an error that is to be thrown after the commit. */
  async function take(
    transaction: Transaction,
    { reporter, receipt, report }: { reporter: Reporter; receipt: ReceiptRecord; report: CheckedReport },
  ): Promise<ServiceError | Applied> {
    const { serviceRequestId, requestGuid } = receipt;
    const { claim, refused } = await lockOpenMatch(transaction, receipt, options);
    if (refused !== undefined) return refused;
    const applied = await apply(transaction, claim, report);
    const { changed } = applied;
    if (changed === undefined) return applied;
    const notice = { serviceRequestId, requestGuid, by: reporter.principal };
    if (changed === 'results') {
      if (report.prepared !== undefined) await audit.record(transaction, entryOf(reporter, receipt, report));
      await applyProgress(transaction, { serviceRequestId, principal: reporter.principal });
      await notifier.notify(
        transaction,
        { ...notice, kind: 'report_received' },
        ...toPatient(serviceRequestId, report),
      );
      return applied;
    }
    if (report.status === 'rejected') await outbox.decline(transaction, requestGuid);
    await outbox.touch(transaction, [requestGuid]);
    await audit.record(transaction, entryOf(reporter, receipt, report));
    await applyProgress(transaction, { serviceRequestId, principal: reporter.principal });
    const kind = kindOf(report.status, claim.match);
    await notifier.notify(transaction, { ...notice, kind }, ...toPatient(serviceRequestId, report));
    return applied;
  }

  /** Results are checked first; with the status they are stored, and then sent to the engine. */
  async function prepare(reporter: Reporter, receipt: ReceiptRecord, report: Report): Promise<CheckedReport> {
    const { resultsIn: body, by, status } = report;
    if (body === undefined) return report;
    if (!WITH_RESULTS.includes(status)) throw validationError([NO_RESULTS]);
    const { principal, address, requestId } = reporter;
    const actor = principal && { principal, address, requestId };
    return { ...report, prepared: await options.results.prepare(receipt, { body, by, actor }) };
  }

  async function reportOn(reporter: Reporter, receipt: ReceiptRecord, given: Report): Promise<Reported> {
    const report = await prepare(reporter, receipt, given);
    const taken = await database.transaction((transaction) => take(transaction, { reporter, receipt, report }));
    if (taken instanceof ServiceError) throw taken;
    // What cannot be sent now, the background loop sends.
    if (report.prepared !== undefined) await options.results.sendNow(receipt.requestGuid);
    return { status: report.status, results: taken.results };
  }

  async function register(actor: Actor, receipt: ReceiptRecord, { results, by }: WrittenResults): Promise<void> {
    const { serviceRequestId, requestGuid, patientGuid, providerGuid } = receipt;
    await database.transaction(async (transaction) => {
      const claim = await settlement.lock(transaction, serviceRequestId, requestGuid);
      if (claim === undefined) throw notFound('Request');
      const { match } = claim;
      const all = addWrittenResults(match, results);
      if (all.length === match.results.length) return;
      await updateMatch(transaction, match, { results: all, ...reportedBy({ by }) }, new Date(clock.now()));
      const entities = [`ServiceRequest/${serviceRequestId}`, `request/${requestGuid}`, ...results];
      const detail = `written at the engine by provider ${providerGuid}`;
      const entry = { action: 'U', event: 'request.results', patientGuid, entities, detail } as const;
      await audit.record(transaction, auditedFor(actor, providerGuid, entry));
      await applyProgress(transaction, { serviceRequestId, principal: actor.principal });
      const kind = 'report_received';
      const notice = { kind, serviceRequestId, requestGuid, by: actor.principal } as const;
      await notifier.notify(transaction, notice, ...toPatient(serviceRequestId, { results }));
    });
  }

  const momentIssues = (occurredAt: Date) => issuesOfMoment(occurredAt, clock.now());
  return {
    momentIssues,
    async report(actor, requestGuid, report) {
      const issues = report.occurredAt === undefined ? [] : momentIssues(report.occurredAt);
      if (issues.length > 0) throw validationError(issues);
      const receipt = isGuid(requestGuid) ? await findReceipt(database, requestGuid) : undefined;
      const isTheirs = receipt !== undefined && (await options.mayReport(actor.principal, receipt.providerGuid));
      if (!isTheirs) throw notFound('Request');
      return reportOn(actor, receipt, { ...report, by: reporterOf(actor.principal, report.by) });
    },
    async register(actor, requestGuid, written) {
      const receipt = isGuid(requestGuid) ? await findReceipt(database, requestGuid) : undefined;
      if (receipt === undefined) throw notFound('Request');
      await register(actor, receipt, written);
    },
    async reportWithin(transaction, { address, requestId }, reported) {
      const reporter = { principal: undefined, address, requestId };
      const taken = await take(transaction, { reporter, ...reported });
      return taken instanceof ServiceError ? taken : undefined;
    },
    async reportByToken({ token, address, requestId }, report) {
      const issues = report.occurredAt === undefined ? [] : momentIssues(report.occurredAt);
      if (issues.length > 0) throw validationError(issues);
      const receipt = await requireReceipt(database, hashToken(token));
      return reportOn({ principal: undefined, address, requestId }, receipt, report);
    },
  };
}

/** What a report has changed, and the references to the resources that it brought. */
interface Applied {
  readonly changed: 'progress' | 'results' | undefined;
  readonly results: readonly string[] | undefined;
}

/** Results belong to work that has begun. */
const WITH_RESULTS: readonly ProgressStatus[] = ['in_progress', 'completed'];
const NO_RESULTS: Issue = { field: 'results', message: "'results' belong to in_progress and completed" };

function reportedBy({ by }: Pick<Report, 'by'>): Pick<MatchChanges, 'reportedByGuid' | 'reportedByName'> {
  return { reportedByGuid: by?.userGuid, reportedByName: by?.name ?? undefined };
}

/** The patient is notified of results about them, and not of the progress of the work. */
function toPatient(
  serviceRequestId: string,
  { prepared, results = [] }: { readonly prepared?: unknown; readonly results?: readonly string[] },
): Notice[] {
  if (prepared === undefined && results.length === 0) return [];
  return [{ kind: 'results_received', serviceRequestId, isToPatient: true }];
}

/** A rejection of work that had been accepted gives it up. */
function kindOf(status: ProgressStatus, before: Match): NotificationKind {
  if (status === 'completed') return 'request_completed';
  if (status !== 'rejected') return 'report_received';
  return before.status === 'accepted' ? 'request_given_up' : 'request_rejected';
}

function entryOf(
  { principal, address, requestId }: Reporter,
  { serviceRequestId, requestGuid, patientGuid, providerGuid }: ReceiptRecord,
  { status, by }: Report,
): AuditEntry {
  const entry = {
    action: 'U' as const,
    event: 'request.report',
    patientGuid,
    entities: [`ServiceRequest/${serviceRequestId}`, `request/${requestGuid}`],
  };
  if (principal !== undefined) {
    // The engine has recorded the person as the caller; here it is the engine that calls.
    const named = principal.kind === 'service' && by !== undefined ? `, by user ${by.userGuid}` : '';
    return auditedFor({ principal, address, requestId }, providerGuid, { ...entry, detail: `${status}${named}` });
  }
  return {
    ...entry,
    principal,
    detail: `${status}, by receipt token, for provider ${providerGuid}`,
    ...(address === undefined ? {} : { address }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

/** @throws ServiceError `already_taken`, `conflict` with the state */
function requireReportable(match: Match): void {
  const { status, progress } = match;
  if (status === 'withdrawn' && match.withdrawnReason === 'taken') throw refusal(match, 'accept');
  if (status === 'withdrawn' || status === 'expired') {
    throw conflict(`The request is ${requestStatus(status, progress)}; nothing more can be reported of it`);
  }
}

function issuesOfMoment(occurredAt: Date, now: number): Issue[] {
  if (occurredAt.getTime() <= now + CLOCK_SKEW_MS) return [];
  return [{ field: 'occurred_at', message: "'occurred_at' must not be in the future" }];
}
