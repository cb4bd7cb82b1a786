// Whether a provider may report about a ServiceRequest: the engine asks before it stores what the provider writes there
// (decision L9, docs/adr/0078). It is decided as for a status with results.
import type { Clock } from '#lib/clock.ts';
import type { Queryable } from '#lib/db/database.ts';
import { isGuid } from '#lib/guid.ts';
import { matchAt, moveProgress } from '../../shared/match-lifecycle.ts';
import { listMatches, type Match } from '../../shared/match-store.ts';
import { findServiceRequest } from '../../shared/service-request-store.ts';
import { findReceipt } from '../feed/feed-store.ts';
import { type RequestStatus, requestStatus } from '../status.ts';

export interface Reportable {
  readonly requestGuid: string;
  readonly patientGuid: string;
  /** The organisation that ordered. */
  readonly organisationGuid: string;
  readonly providerName: string;
  readonly providerOrganisationGuid: string | undefined;
  readonly status: RequestStatus;
  readonly mayReport: boolean;
}

/** The request by which the ServiceRequest was pushed to the provider; undefined when it was not. */
export type FindReportable = (providerGuid: string, serviceRequestId: string) => Promise<Reportable | undefined>;

export function createFindReportable({
  database,
  clock,
}: {
  readonly database: Queryable;
  readonly clock: Clock;
}): FindReportable {
  return async (providerGuid, serviceRequestId) => {
    if (!isGuid(serviceRequestId)) return undefined;
    const matches = await listMatches(database, serviceRequestId);
    const pushed = matches
      .filter((match) => match.providerGuid === providerGuid)
      .flatMap((match) => stateOf(match, clock.now()) ?? []);
    // By several contracts a provider has several requests.
    const found = pushed.find(({ mayReport }) => mayReport) ?? pushed[0];
    if (found === undefined) return undefined;
    const [receipt, record] = await Promise.all([
      findReceipt(database, found.requestGuid),
      findServiceRequest(database, serviceRequestId),
    ]);
    if (receipt === undefined || record === undefined) return undefined;
    return { ...found, patientGuid: receipt.patientGuid, organisationGuid: record.organisationGuid };
  };
}

type State = Omit<Reportable, 'patientGuid' | 'organisationGuid'>;

function stateOf(match: Match, now: number): State | undefined {
  const { requestGuid, providerName, providerOrganisationGuid, progress } = match;
  const { status } = matchAt(match, now);
  if (requestGuid === undefined || status === 'pending') return undefined;
  const isClosed = status === 'withdrawn' || status === 'expired';
  const takes = (['in_progress', 'completed'] as const).some((next) => moveProgress(progress, next) !== undefined);
  return {
    requestGuid,
    providerName,
    providerOrganisationGuid,
    status: requestStatus(status, progress),
    mayReport: !isClosed && takes,
  };
}
