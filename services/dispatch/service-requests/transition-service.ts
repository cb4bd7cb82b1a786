// Hold, resume, archive and revoke (decision D3): the transitions that need only the request and its matches.

import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import type { Actor } from '../shared/actor.ts';
import type { WithdrawnReason } from '../shared/match-lifecycle.ts';
import type { Match } from '../shared/match-store.ts';
import type { LockedRequest, RequestContext } from '../shared/request-context.ts';
import type { ServiceRequestRecord } from '../shared/service-request-store.ts';
import { updateServiceRequest } from '../shared/service-request-store.ts';
import type { TextTasks } from '../shared/text-tasks.ts';
import { ARCHIVED, MOVED } from './change-tasks.ts';
import type { ApplyProgress } from './completion-service.ts';

/**
 * Withdraws the pending and pushed ones of the matches and notifies providers that have a push, in the caller's
 * transaction and under the request's lock.
 */
export type WithdrawMatches = (
  transaction: Transaction,
  change: {
    readonly serviceRequest: ServiceRequestRecord;
    readonly matches: readonly Match[];
    readonly reason: WithdrawnReason;
    readonly actor: Actor;
  },
) => Promise<void>;

/** Records the expiry of pushes past their deadline, in the caller's transaction and under the request's lock. */
export type SettleOverdue = (transaction: Transaction, serviceRequestId: string) => Promise<void>;

export interface TransitionService {
  /** @throws ServiceError `not_found`, `conflict`; so do the others */
  hold(actor: Actor, id: string): Promise<StoredVersion>;
  resume(actor: Actor, id: string): Promise<StoredVersion>;
  archive(actor: Actor, id: string): Promise<StoredVersion>;
  /** Providers see `reason` too. */
  revoke(actor: Actor, id: string, reason: string | undefined): Promise<StoredVersion>;
}

export interface TransitionServiceOptions {
  readonly database: Database;
  readonly texts: TextTasks;
  readonly requestContext: RequestContext;
  readonly clock: Clock;
  readonly applyProgress: ApplyProgress;
  readonly withdrawMatches: WithdrawMatches;
  readonly settleOverdue: SettleOverdue;
}

export function createTransitionService(options: TransitionServiceOptions): TransitionService {
  const { database, texts, requestContext, clock, applyProgress, withdrawMatches, settleOverdue } = options;

  function move(
    actor: Actor,
    id: string,
    event: 'hold' | 'resume' | 'archive' | 'revoke',
    work: (tx: Transaction, held: LockedRequest, now: Date) => Promise<StoredVersion>,
  ): Promise<StoredVersion> {
    return database.transaction(async (tx) => {
      await requestContext.find(tx, actor, id);
      // First expires pushes past their deadline, as those no longer keep the request open.
      await settleOverdue(tx, id);
      const held = await requestContext.lock(tx, actor, id, event);
      const version = await work(tx, held, new Date(clock.now()));
      await requestContext.record(tx, actor, { record: held.record, event, action: 'U' });
      return version;
    });
  }

  async function setStatus(
    tx: Transaction,
    record: ServiceRequestRecord,
    change: { actor: Actor; status: 'active' | 'on-hold' | 'revoked'; reason?: string | undefined },
    now: Date,
  ): Promise<StoredVersion> {
    const { actor, status, reason } = change;
    await updateServiceRequest(tx, record, { status, revokeReason: reason }, now);
    const note = reason === undefined ? undefined : { time: now.toISOString(), text: reason };
    return requestContext.rewrite(tx, actor, record.id, (request) =>
      texts.run(MOVED, { request, status, note }, actor),
    );
  }

  return {
    hold: (actor, id) =>
      move(actor, id, 'hold', (tx, { record }, now) => setStatus(tx, record, { actor, status: 'on-hold' }, now)),
    resume: (actor, id) =>
      move(actor, id, 'resume', async (tx, { record }, now) => {
        const version = await setStatus(tx, record, { actor, status: 'active' }, now);
        const status = await applyProgress(tx, { serviceRequestId: id, principal: actor.principal });
        return status === 'completed' ? (await requestContext.find(tx, actor, id)).version : version;
      }),
    archive: (actor, id) =>
      move(actor, id, 'archive', async (tx, { record, move: { effects } }, now) => {
        if (!effects.includes('set_archived_at')) return (await requestContext.find(tx, actor, id)).version;
        await updateServiceRequest(tx, record, { archivedAt: now }, now);
        return requestContext.rewrite(tx, actor, id, (request) => texts.run(ARCHIVED, { request }, actor));
      }),
    revoke: (actor, id, reason) =>
      move(actor, id, 'revoke', async (tx, { record, matches }, now) => {
        const version = await setStatus(tx, record, { actor, status: 'revoked', reason }, now);
        const serviceRequest = { ...record, status: 'revoked' as const, revokeReason: reason };
        await withdrawMatches(tx, { serviceRequest, matches, reason: 'revoked', actor });
        return version;
      }),
  };
}
