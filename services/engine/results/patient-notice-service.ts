// Tells dispatch what patients have reported by FHIR, so that planners are notified (docs/adr/0070, docs/adr/0072). The
// notice commits with the report, and is sent until dispatch has it. Many values are one notice for dispatch.
import type { DispatchClient, PatientReportNotice } from '#clients/dispatch-client.ts';
import type { Transaction } from '#lib/db/database.ts';
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

export function createPatientNotices({ database, clock, log, dispatch }: PatientNoticeOptions): PatientNotices {
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
      const verdict = await dispatch.noticeReports(once(notices));
      if (verdict.kind === 'refused') log.error({ event: 'patient_report_notice.refused', code: verdict.code });
      await removePatientNotices(database, notices);
    },
    postpone: ({ notices }, nextAt) => postponePatientNotices(database, notices, nextAt),
    about: ({ notices }) => ({ notices: notices.length }),
  });
  return { loop, announce: (tx, report) => insertPatientNotice(tx, report, new Date(clock.now())) };
}

/** What says the same is said once. */
function once(notices: readonly WaitingNotice[]): PatientReportNotice[] {
  const distinct = new Map<string, PatientReportNotice>();
  for (const { notice_id: _id, attempt: _attempt, ...notice } of notices) distinct.set(JSON.stringify(notice), notice);
  return [...distinct.values()];
}
