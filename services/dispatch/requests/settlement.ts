// Accepts, rejects, withdraws and expires pushed matches (decisions D3, D5, D11). Every function works in the caller's
// transaction under the lock of the ServiceRequest. So exactly one of two concurrent acceptances wins.
import type { StaffPerson } from '#lib/auth/provider-staff.ts';
import type { Clock } from '#lib/clock.ts';
import type { Transaction } from '#lib/db/database.ts';
import { conflict, ServiceError } from '#lib/errors.ts';
import type { Closing, Outbox } from '../deliveries/outbox-service.ts';
import type { Notifier } from '../notifications/notify-service.ts';
import { type MatchEvent, matchAt, moveMatch, type WithdrawnReason } from '../shared/match-lifecycle.ts';
import { listMatches, type Match, type MatchChanges, updateMatch } from '../shared/match-store.ts';
import { lockServiceRequest, type ServiceRequestRecord } from '../shared/service-request-store.ts';

/** A pushed match and its siblings, under the lock of their ServiceRequest. */
export interface LockedMatch {
  readonly record: ServiceRequestRecord;
  readonly match: Match;
  readonly matches: readonly Match[];
}

export interface Settlement {
  /** Locks the request of the match; undefined when there is none. */
  lock(transaction: Transaction, serviceRequestId: string, requestGuid: string): Promise<LockedMatch | undefined>;
  /** Whether the deadline has passed and the expiry is not stored yet. */
  isOverdue(match: Match): boolean;
  /**
   * Accepts, by the person if one is known; under `first` it withdraws the others and notifies them.
   * @throws ServiceError as `refusal`
   */
  accept(transaction: Transaction, claim: LockedMatch, by: StaffPerson | undefined): Promise<Match>;
  /** @throws ServiceError as `refusal` */
  reject(transaction: Transaction, claim: LockedMatch, reason: string | undefined): Promise<Match>;
  /** Withdraws pending and pushed matches, and notifies the providers of pushed ones. */
  withdraw(transaction: Transaction, matches: readonly Match[], reason: WithdrawnReason): Promise<void>;
  /** Expires pushes past their deadline, and notifies their providers. */
  expire(transaction: Transaction, matches: readonly Match[]): Promise<void>;
}

export interface SettlementOptions {
  readonly clock: Clock;
  readonly outbox: Outbox;
  readonly notifier: Notifier;
}

export function createSettlement({ clock, outbox, notifier }: SettlementOptions): Settlement {
  const now = () => new Date(clock.now());

  async function close(transaction: Transaction, matches: readonly Match[], closing: Closing): Promise<void> {
    const addresses = matches.flatMap(({ requestGuid, providerGuid }) =>
      requestGuid === undefined ? [] : [{ requestGuid, providerGuid }],
    );
    await outbox.close(transaction, addresses, closing);
    const notices = matches.flatMap(({ requestGuid, providerGuid, serviceRequestId }) =>
      requestGuid === undefined
        ? []
        : [{ kind: 'request_withdrawn' as const, serviceRequestId, requestGuid, toProvider: providerGuid }],
    );
    await notifier.notify(transaction, ...notices);
  }

  async function withdraw(transaction: Transaction, matches: readonly Match[], reason: WithdrawnReason): Promise<void> {
    const open = matches.filter(({ status }) => moveMatch(status, 'withdraw') !== undefined);
    for (const match of open) {
      await updateMatch(transaction, match, { status: 'withdrawn', withdrawnReason: reason }, now());
    }
    await close(transaction, open, reason === 'revoked' ? 'revoked' : 'withdrawn');
  }

  return {
    async lock(transaction, serviceRequestId, requestGuid) {
      const record = await lockServiceRequest(transaction, serviceRequestId);
      if (record === undefined) return undefined;
      const matches = await listMatches(transaction, serviceRequestId);
      const match = matches.find((candidate) => candidate.requestGuid === requestGuid);
      return match && { record, match, matches };
    },
    isOverdue: (match) => match.status === 'pushed' && matchAt(match, clock.now()).status === 'expired',
    async accept(transaction, { record, match, matches }, by) {
      const move = moveMatch(match.status, 'accept');
      if (move === undefined) throw refusal(match, 'accept');
      if (move.effects.includes('repeat')) return match;
      const isExclusive = record.selection === 'first';
      const others = matches.filter(({ matchGuid }) => matchGuid !== match.matchGuid);
      if (isExclusive && others.some(isTaken)) throw taken();
      if (isExclusive) await outbox.lock(transaction, providersOf(matches));
      const person = { acceptedByGuid: by?.userGuid, acceptedByName: by?.name ?? undefined };
      const changes = { status: move.to, isExclusive, respondedAt: now(), ...person };
      const accepted = await updateMatch(transaction, match, changes, now());
      if (isExclusive) await withdraw(transaction, others, 'taken');
      return accepted;
    },
    async reject(transaction, { match }, reason) {
      const move = moveMatch(match.status, 'reject');
      if (move === undefined) throw refusal(match, 'reject');
      if (move.effects.includes('repeat')) return match;
      const at = now();
      const answer = { rejectedReason: reason, respondedAt: at };
      const changes: MatchChanges = { ...answer, status: move.to, progress: 'rejected', progressAt: at };
      if (match.requestGuid !== undefined) await outbox.decline(transaction, match.requestGuid);
      return updateMatch(transaction, match, changes, at);
    },
    withdraw,
    async expire(transaction, matches) {
      const overdue = matches.filter(({ status }) => moveMatch(status, 'expire') !== undefined);
      for (const match of overdue) await updateMatch(transaction, match, { status: 'expired' }, now());
      await close(transaction, overdue, 'expired');
    },
  };
}

/**
 * The error when a match in this state is accepted or rejected: 410 when it is closed, 409 with the state when it was
 * answered.
 */
export function refusal(match: Match, event: Extract<MatchEvent, 'accept' | 'reject'>): ServiceError {
  switch (match.status) {
    case 'withdrawn':
      return match.withdrawnReason === 'taken' && event === 'accept'
        ? taken()
        : new ServiceError('expired', 'The request has been withdrawn');
    case 'expired':
      return new ServiceError('expired', 'The time to respond has run out');
    default:
      return conflict(`The request is ${match.status} already`);
  }
}

function taken(): ServiceError {
  return new ServiceError('already_taken', 'Another provider has accepted the request');
}

/** Whether a provider has accepted and not given up the work. */
function isTaken({ status, progress }: Match): boolean {
  return status === 'accepted' && progress !== 'rejected';
}

/** The providers that were sent the request. */
function providersOf(matches: readonly Match[]): string[] {
  return matches.filter(({ requestGuid }) => requestGuid !== undefined).map(({ providerGuid }) => providerGuid);
}
