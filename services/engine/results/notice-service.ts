// Tells dispatch what providers have written about their requests by FHIR, so that the match and the CarePlan show it
// as other results (docs/adr/0078). The notice commits with the report, and is sent until dispatch has it.
import type { DispatchClient } from '#clients/dispatch-client.ts';
import type { StaffPerson } from '#lib/auth/provider-staff.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { createWorkerLoop, type WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import { claimNotices, insertNotice, type Notice, postponeNotices, removeNotices } from './notice-store.ts';

/** Longer than a call may take, so that a lease expires only when its holder has ended. */
const LEASE_MS = 30_000;
const FIRST_DELAY_MS = 500;
const LAST_DELAY_MS = 60_000;
const POLL_MS = 500;
const MOST_AT_ONCE = 500;

export interface NoticedReport {
  readonly requestGuid: string;
  readonly resourceType: string;
  readonly id: string;
  readonly person: StaffPerson | undefined;
}

export interface ReportNotices {
  /** Sends notices in the background. */
  readonly loop: WorkerLoop;
  /** In the transaction of the report. */
  announce(tx: Transaction, report: NoticedReport): Promise<void>;
}

export interface ReportNoticeOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly dispatch: Pick<DispatchClient, 'registerResults'>;
  /** The engine's public FHIR base URL. */
  readonly baseUrl: string;
}

export function createReportNotices(options: ReportNoticeOptions): ReportNotices {
  const { database, clock, log } = options;

  async function sendNext(): Promise<boolean> {
    const now = clock.now();
    const times = { now: new Date(now), leaseEnds: new Date(now + LEASE_MS) };
    const notices = await claimNotices(database, times, MOST_AT_ONCE);
    const [first] = notices;
    if (first === undefined) return false;
    try {
      for (const together of ofPersons(notices)) await send(together, options);
      await removeNotices(database, notices);
    } catch (error) {
      await postponeNotices(database, notices, new Date(clock.now() + delayAfter(first.attempt)));
      if (!(error instanceof ServiceError)) throw error;
      const { request_guid: request, attempt } = first;
      log.warn({ event: 'report_notice.postponed', request, attempt, code: error.code });
    }
    return true;
  }

  return {
    loop: createWorkerLoop({ name: 'report-notices', intervalMs: POLL_MS, log, step: sendNext }),
    announce(tx, { requestGuid, resourceType, id, person }) {
      const named = person === undefined ? null : { user_guid: person.userGuid, name: person.name };
      const notice = { requestGuid, reference: `${resourceType}/${id}`, person: named };
      return insertNotice(tx, notice, new Date(clock.now()));
    },
  };
}

/** Of one request, by who reported. */
function ofPersons(notices: readonly Notice[]): readonly (readonly Notice[])[] {
  return [...Map.groupBy(notices, ({ person }) => person?.user_guid).values()];
}

/** @throws ServiceError `upstream_unavailable` when a retry may help */
async function send(notices: readonly Notice[], { dispatch, baseUrl, log }: ReportNoticeOptions): Promise<void> {
  const [first] = notices;
  if (first === undefined) return;
  const results = notices.map(({ reference }) => `${baseUrl}/${reference}`);
  const by = first.person === null ? {} : { by: first.person };
  const verdict = await dispatch.registerResults(first.request_guid, { results, ...by });
  if (verdict.kind === 'refused')
    log.error({ event: 'report_notice.refused', request: first.request_guid, code: verdict.code });
}

function delayAfter(attempt: number): number {
  const delay = Math.min(FIRST_DELAY_MS * 2 ** Math.min(attempt, 10), LAST_DELAY_MS);
  return delay * (0.8 + Math.random() * 0.4);
}
