// Response deadlines (decisions D3, D6): a background loop expires pushes that were not answered in time.

import type { Queryable, Transaction } from '#lib/db/database.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Notifier } from '../notifications/notify-service.ts';
import type { ApplyProgress } from '../service-requests/completion-service.ts';
import type { SettleOverdue } from '../service-requests/transition-service.ts';
import { listMatches } from '../shared/match-store.ts';
import { lockServiceRequest } from '../shared/service-request-store.ts';
import type { Settlement } from './settlement.ts';

const BATCH = 100;

const OVERDUE = {
  name: 'match-overdue',
  text: `SELECT DISTINCT service_request_id FROM (
      SELECT service_request_id FROM match WHERE status = 'pushed' AND respond_by IS NOT NULL AND respond_by <= $1
      ORDER BY respond_by LIMIT ${BATCH}
    ) overdue`,
};

export interface DeadlineJobOptions extends WriteDependencies {
  readonly settlement: Settlement;
  readonly notifier: Notifier;
  readonly applyProgress: ApplyProgress;
}

export type ExpiryOptions = Omit<DeadlineJobOptions, 'database' | 'clock'>;

export function createSettleOverdue(options: ExpiryOptions): SettleOverdue {
  return (transaction, id) => expireOverdue(transaction, id, options);
}

/** Creates the step of the background loop. It returns whether there may be more to do at once. */
export function createDeadlineStep(options: DeadlineJobOptions): () => Promise<boolean> {
  const { database, clock } = options;
  return async () => {
    const found = await findOverdue(database, new Date(clock.now()));
    const failures: unknown[] = [];
    // An error at one request does not stop the others.
    for (const id of found) {
      await database
        .transaction((transaction) => expireOverdue(transaction, id, options))
        .catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
    return found.length === BATCH;
  };
}

async function findOverdue(db: Queryable, now: Date): Promise<string[]> {
  const { rows } = await db.query<{ service_request_id: string }>(OVERDUE, [now]);
  return rows.map((row) => row.service_request_id);
}

/** Records the expiry of this request's pushes past their deadline. */
export async function expireOverdue(
  transaction: Transaction,
  id: string,
  { audit, settlement, applyProgress, notifier }: ExpiryOptions,
): Promise<void> {
  const record = await lockServiceRequest(transaction, id);
  if (record === undefined) return;
  const overdue = (await listMatches(transaction, id)).filter((match) => settlement.isOverdue(match));
  if (overdue.length === 0) return;
  await settlement.expire(transaction, overdue);
  const entries = overdue.map(({ requestGuid }) => ({
    action: 'U' as const,
    event: 'request.expire',
    principal: undefined,
    patientGuid: record.patientGuid,
    entities: [`ServiceRequest/${id}`, `request/${requestGuid ?? ''}`],
  }));
  await audit.record(transaction, ...entries);
  await applyProgress(transaction, { serviceRequestId: id, principal: undefined });
  const notices = overdue.map(({ requestGuid }) => ({
    kind: 'request_expired' as const,
    serviceRequestId: id,
    requestGuid,
  }));
  await notifier.notify(transaction, ...notices);
}
