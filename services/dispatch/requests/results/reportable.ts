// Whether a provider may report about ServiceRequests. The engine asks before it stores what the provider writes there
// (decision L9, docs/adr/0078), once for all that it has to know. It is decided as for a status with results.
import type { Clock } from '#lib/clock.ts';
import type { Queryable } from '#lib/db/database.ts';
import { isGuid } from '#lib/guid.ts';
import { matchAt, moveProgress } from '../../shared/match-lifecycle.ts';
import { type RequestStatus, requestStatus } from '../status.ts';
import { listPushedTo, type PushedMatch } from './reportable-store.ts';

export interface Reportable {
  readonly serviceRequestId: string;
  readonly providerGuid: string;
  readonly requestGuid: string;
  readonly patientGuid: string;
  /** The organisation that ordered. */
  readonly organisationGuid: string;
  readonly providerName: string;
  readonly providerOrganisationGuid: string | undefined;
  readonly status: RequestStatus;
  readonly mayReport: boolean;
}

export interface ReportableQuestion {
  readonly providerGuids: readonly string[];
  readonly serviceRequestIds: readonly string[];
}

/** The requests by which these ServiceRequests were pushed to these providers, one for each pair that was. */
export type FindReportable = (asked: ReportableQuestion) => Promise<readonly Reportable[]>;

export function createFindReportable({
  database,
  clock,
}: {
  readonly database: Queryable;
  readonly clock: Clock;
}): FindReportable {
  return async ({ providerGuids, serviceRequestIds }) => {
    const matches = await listPushedTo(database, {
      providerGuids,
      serviceRequestIds: serviceRequestIds.filter(isGuid),
    });
    const found = new Map<string, Reportable>();
    for (const match of matches) {
      const key = `${match.providerGuid} ${match.serviceRequestId}`;
      const view = viewOf(match, clock.now());
      // By several contracts a provider has several requests.
      if (!found.has(key) || (view.mayReport && found.get(key)?.mayReport === false)) found.set(key, view);
    }
    return [...found.values()];
  };
}

function viewOf(match: PushedMatch, now: number): Reportable {
  const { respondBy: _, status: stored, progress: reported, ...rest } = match;
  const { status } = matchAt(match, now);
  const progress = reported ?? 'none';
  const isClosed = status === 'withdrawn' || status === 'expired';
  const takes = (['in_progress', 'completed'] as const).some((next) => moveProgress(progress, next) !== undefined);
  return { ...rest, status: requestStatus(status, progress), mayReport: !isClosed && takes };
}
