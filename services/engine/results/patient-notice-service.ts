// Tells dispatch what patients have reported by FHIR, so that planners are notified (docs/adr/0070, docs/adr/0072). The
// notice commits with the report, and is sent until dispatch has it. Many values are one notice for dispatch.
import type { DispatchClient, PatientReportNotice } from '#clients/dispatch-client.ts';
import { DAY_MS } from '#lib/clock.ts';
import type { Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { createLeasedCalls } from '#lib/jobs/leased-calls.ts';
import type { WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { WorkDependencies } from '#lib/work-dependencies.ts';
import {
  claimPatientNotices,
  insertPatientNotice,
  postponePatientNotices,
  removePatientNotices,
  type WaitingNotice,
} from './patient-notice-store.ts';

/** As many as dispatch takes at once. */
const MOST_AT_ONCE = 100;

export interface PatientNotices {
  /** Sends notices in the background. */
  readonly loop: WorkerLoop;
  /** In the transaction of the report. */
  announce(tx: Transaction, report: PatientReportNotice): Promise<void>;
}

interface Claimed {
  readonly notices: readonly WaitingNotice[];
  readonly attempt: number;
}

export interface PatientNoticeOptions extends WorkDependencies {
  readonly dispatch: Pick<DispatchClient, 'noticeReports'>;
}

/** How long a notice that is refused is sent again: a rolling upgrade of dispatch is over by then. */
const REFUSED_FOR_MS = DAY_MS;

export function createPatientNotices({ database, clock, log, dispatch }: PatientNoticeOptions): PatientNotices {
  /**
   * Dispatch of the release before may not know the address, or what a notice says. So one that is refused waits, at
   * most a day. Returns why some wait.
   */
  async function settle(notices: readonly WaitingNotice[]): Promise<string | undefined> {
    const verdict = await dispatch.noticeReports(once(notices));
    if (verdict.kind === 'done') {
      await removePatientNotices(database, notices);
      return undefined;
    }
    const { code } = verdict;
    // What one of them is refused for does not hold up the others.
    if (notices.length > 1 && !UNKNOWN_ADDRESS.has(code)) return settleEach(notices);
    const before = clock.now() - REFUSED_FOR_MS;
    const tooOld = notices.filter(({ created_at: createdAt }) => createdAt.getTime() <= before);
    if (tooOld.length > 0) log.error({ event: 'patient_report_notice.refused', code, notices: tooOld.length });
    await removePatientNotices(database, tooOld);
    return tooOld.length < notices.length ? code : undefined;
  }

  async function settleEach(notices: readonly WaitingNotice[]): Promise<string | undefined> {
    let refused: string | undefined;
    for (const notice of notices) refused = (await settle([notice])) ?? refused;
    return refused;
  }

  const { loop } = createLeasedCalls<Claimed>({
    name: 'patient-report-notices',
    postponedEvent: 'patient_report_notice.postponed',
    clock,
    log,
    async claim(times) {
      const notices = await claimPatientNotices(database, times, MOST_AT_ONCE);
      const [first] = notices;
      return first && { notices, attempt: first.attempt };
    },
    async send({ notices }) {
      const refused = await settle(notices);
      if (refused !== undefined) throw new ServiceError('upstream_error', `Dispatch refuses a notice: ${refused}`);
    },
    // Those that were settled are gone.
    postpone: ({ notices }, nextAt) => postponePatientNotices(database, notices, nextAt),
    about: ({ notices }) => ({ notices: notices.length }),
  });
  return { loop, announce: (tx, report) => insertPatientNotice(tx, report, new Date(clock.now())) };
}

/** As dispatch says it, and as something on the way may. */
const UNKNOWN_ADDRESS: ReadonlySet<string> = new Set(['not_found', '404']);

/** What says the same is said once. */
function once(notices: readonly WaitingNotice[]): PatientReportNotice[] {
  const distinct = new Map<string, PatientReportNotice>();
  for (const { notice } of notices) distinct.set(JSON.stringify(notice), notice);
  return [...distinct.values()];
}
