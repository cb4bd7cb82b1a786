import type { Database, Transaction } from '#lib/db/database.ts';
import { conflict, notFound } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Actor } from '../actor.ts';
import type { ListRange } from '../list-page.ts';

export type DecidedStatus = 'approved' | 'rejected';

export interface AdminDecisionDeps extends WriteDependencies {
  readonly users: { lockActor(tx: Transaction, actor: Actor): Promise<void> };
  readonly revocations: { userChanged(tx: Transaction, userGuid: string): Promise<void> };
  /** Resolves when this node knows the revocations of the decision. */
  readonly takeEffect: () => Promise<void>;
}

/** A decision as it is stored. */
export interface AdminDecision {
  readonly guid: string;
  readonly status: DecidedStatus;
  /** The user guid of the SU admin. */
  readonly by: string;
  readonly at: Date;
}

interface DecidableRequest {
  readonly user_guid: string;
  readonly status: 'pending' | DecidedStatus;
}

/** What differs between the kinds of requests. */
export interface DecisionKind<Row extends DecidableRequest, Outcome> {
  /** The first part of the names of the audit events. */
  readonly event: 'group-proposal' | 'leader-request';
  /** The name in error messages. */
  readonly name: string;
  /** Locks the user first, then the group, then the request; null when one of them no longer exists. */
  readonly lock: (tx: Transaction, guid: string) => Promise<Row | null>;
  /** Stores the decision and what it brings about; `entities` are recorded in the audit log. */
  readonly apply: (
    tx: Transaction,
    row: Row,
    decision: AdminDecision,
  ) => Promise<{ readonly outcome: Outcome; readonly entities: readonly string[] }>;
}

/** @throws ServiceError `not_found`, `conflict` when it is decided already, and those of `apply` */
export async function decideOnce<Row extends DecidableRequest, Outcome>(
  deps: AdminDecisionDeps,
  kind: DecisionKind<Row, Outcome>,
  actor: Actor,
  { guid, status }: Pick<AdminDecision, 'guid' | 'status'>,
): Promise<Outcome> {
  const { database, clock, audit, users, revocations } = deps;
  const decided = await database.transaction(async (tx) => {
    await users.lockActor(tx, actor);
    const row = isGuid(guid) ? await kind.lock(tx, guid) : null;
    if (row === null) throw notFound(kind.name);
    if (row.status !== 'pending') throw conflict(`The ${kind.name.toLowerCase()} is ${row.status} already`);
    const decision = { guid, status, by: actor.principal.id, at: new Date(clock.now()) };
    const { outcome, entities } = await kind.apply(tx, row, decision);
    const recorded = { event: `${kind.event}.${status}`, entities, subjectGuid: row.user_guid };
    await audit.record(tx, { action: 'U', ...recorded, ...actor });
    if (status === 'approved') await revocations.userChanged(tx, row.user_guid);
    return outcome;
  });
  await deps.takeEffect();
  return decided;
}

interface PendingQueries<Pending> {
  readonly list: (database: Database, range: ListRange) => Promise<Pending[]>;
  readonly count: (database: Database) => Promise<number>;
}

/** The list of pending requests for SU admins. */
export interface PendingList<Pending> {
  /** Oldest first. The read is recorded in the audit log. */
  pending(actor: Actor, range: ListRange): Promise<Pending[]>;
  countPending(): Promise<number>;
}

export function createPendingList<Pending>(
  { database, audit }: Pick<AdminDecisionDeps, 'database' | 'audit'>,
  event: string,
  queries: PendingQueries<Pending>,
): PendingList<Pending> {
  return {
    async pending(actor, range) {
      await audit.recordRead({ action: 'R', event, ...actor });
      return queries.list(database, range);
    },
    countPending: () => queries.count(database),
  };
}
