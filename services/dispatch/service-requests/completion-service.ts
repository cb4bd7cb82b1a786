// Completes a ServiceRequest after a provider's response or report, in the same transaction (decision D3). It completes
// when an accepted match is completed and no push is unanswered and no work unfinished. Its CarePlan then shows the
// result.
import type { Audit } from '#lib/audit/audit.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { Clock } from '#lib/clock.ts';
import type { Transaction } from '#lib/db/database.ts';
import { listMatches, type Match, updateMatch } from '../shared/match-store.ts';
import type { Records } from '../shared/records.ts';
import { isWorkDone, moveServiceRequest, type ServiceRequestStatus } from '../shared/service-request-lifecycle.ts';
import {
  lockServiceRequest,
  type ServiceRequestRecord,
  updateServiceRequest,
} from '../shared/service-request-store.ts';
import type { TextTasks } from '../shared/text-tasks.ts';
import { LATE_RESULTS, MOVED, RESULT } from './change-tasks.ts';

export interface ProgressChange {
  readonly serviceRequestId: string;
  /** The caller; undefined for the holder of a receipt token or a background job. */
  readonly principal: Principal | undefined;
}

/**
 * Call it in the transaction that changed a match, after the change. It takes the lock of the request, which the caller
 * should have already. Returns the request's status.
 */
export type ApplyProgress = (
  transaction: Transaction,
  change: ProgressChange,
) => Promise<ServiceRequestStatus | undefined>;

export interface CompletionOptions {
  readonly records: Records;
  readonly texts: TextTasks;
  readonly audit: Audit;
  readonly clock: Clock;
}

export function createCompletion({ records, texts, audit, clock }: CompletionOptions): ApplyProgress {
  async function complete(tx: Transaction, record: ServiceRequestRecord, matches: readonly Match[]): Promise<void> {
    const now = new Date(clock.now());
    const completed = await updateServiceRequest(tx, record, { status: 'completed' }, now);
    // No push is open any more, so these matches were never sent, and there is nobody to notify.
    for (const match of matches.filter(({ status }) => status === 'pending')) {
      await updateMatch(tx, match, { status: 'withdrawn', withdrawnReason: 'completed' }, now);
    }
    const requestAddress = { resourceType: 'ServiceRequest', id: record.id };
    const request = await records.lock(tx, requestAddress);
    if (request !== undefined) {
      const moved = await texts.run(MOVED, { request: request.content, status: completed.status });
      await records.replace(tx, moved, requestAddress);
    }
    const planAddress = { resourceType: 'CarePlan', id: record.careplanGuid };
    const carePlan = await records.lock(tx, planAddress);
    if (carePlan === undefined) return;
    const given = { carePlan: carePlan.content, requestId: record.id, result: resultOf(matches, now) };
    await records.replace(tx, await texts.run(RESULT, given), planAddress);
  }

  /** Results may be added after the end. */
  async function showLate(tx: Transaction, record: ServiceRequestRecord, matches: readonly Match[]): Promise<void> {
    const planAddress = { resourceType: 'CarePlan', id: record.careplanGuid };
    const carePlan = await records.lock(tx, planAddress);
    if (carePlan === undefined) return;
    const { references } = resultOf(matches, new Date(clock.now()));
    const given = { carePlan: carePlan.content, requestId: record.id, references };
    const changed = await texts.run(LATE_RESULTS, given);
    if (changed !== undefined) await records.replace(tx, changed, planAddress);
  }

  return async (tx, { serviceRequestId, principal }) => {
    const record = await lockServiceRequest(tx, serviceRequestId);
    if (record === undefined) return undefined;
    const matches = await listMatches(tx, serviceRequestId);
    if (record.status === 'completed') await showLate(tx, record, matches);
    // A request on hold completes when it is resumed.
    if (record.status !== 'active' || record.archivedAt !== undefined || !isWorkDone(matches)) return record.status;
    moveServiceRequest({ status: record.status, isArchived: false, matches }, 'complete');
    await complete(tx, record, matches);
    const { patientGuid, careplanGuid } = record;
    const entities = [`ServiceRequest/${serviceRequestId}`, `CarePlan/${careplanGuid}`];
    await audit.record(tx, { action: 'U', event: 'service-request.complete', principal, patientGuid, entities });
    return 'completed';
  };
}

function resultOf(matches: readonly Match[], now: Date) {
  const done = matches.filter(({ status, progress }) => status === 'accepted' && progress === 'completed');
  return {
    time: now.toISOString(),
    notes: done.map(({ providerName, progressNote }) =>
      progressNote === undefined ? `${providerName}: completed` : `${providerName}: completed. ${progressNote}`,
    ),
    references: done.flatMap(({ results }) => results),
  };
}
