// Reports to dispatch what providers have written about their requests by FHIR, so that the match and the CarePlan show
// it as other results (docs/adr/0078). The notice commits with the report, and is sent until dispatch has it.
import type { DispatchClient } from '#clients/dispatch-client.ts';
import type { StaffPerson } from '#lib/auth/provider-staff.ts';
import type { Transaction } from '#lib/db/database.ts';
import { createLeasedCalls } from '#lib/jobs/leased-calls.ts';
import type { WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { WorkDependencies } from '#lib/work-dependencies.ts';
import { claimNotices, insertNotice, type Notice, postponeNotices, removeNotices } from './notice-store.ts';

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

/** Those of one request that are due. */
interface Claimed {
  readonly notices: readonly Notice[];
  readonly attempt: number;
  readonly request: string;
}

export interface ReportNoticeOptions extends WorkDependencies {
  readonly dispatch: Pick<DispatchClient, 'registerResults'>;
  /** The engine's public FHIR base URL. */
  readonly baseUrl: string;
}

export function createReportNotices(options: ReportNoticeOptions): ReportNotices {
  const { database, clock, log } = options;

  const { loop } = createLeasedCalls<Claimed>({
    name: 'report-notices',
    postponedEvent: 'report_notice.postponed',
    clock,
    log,
    async claim(times) {
      const notices = await claimNotices(database, times, MOST_AT_ONCE);
      const [first] = notices;
      return first && { notices, attempt: first.attempt, request: first.request_guid };
    },
    async send({ notices }) {
      for (const together of ofPersons(notices)) await send(together, options);
      await removeNotices(database, notices);
    },
    postpone: ({ notices }, nextAt) => postponeNotices(database, notices, nextAt),
    about: ({ request }) => ({ request }),
  });

  return {
    loop,
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
