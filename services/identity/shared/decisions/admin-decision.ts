// Requests of professionals on which an SU admin decides once: the decision, and the list of those that are pending
// (decisions I8 to I10).
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { conflict, notFound } from '#lib/errors.ts';
import { isGuid, newGuid } from '#lib/guid.ts';
import { currentTenant } from '#lib/tenants/current-tenant.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Actor } from '../../actor.ts';
import type { ListRange } from '../../list-page.ts';
import type { DecisionMails } from './decision-mail.ts';
import type { DecisionRecord, Made, RequestStatus } from './decision-store.ts';

export type DecidedStatus = Exclude<RequestStatus, 'pending'>;

export interface AdminDecisionDeps extends WriteDependencies {
  readonly users: {
    lockActor(tx: Transaction, actor: Actor): Promise<void>;
    lock(tx: Transaction, userGuid: string): Promise<boolean>;
  };
  readonly revocations: { userChanged(tx: Transaction, userGuid: string): Promise<void> };
  readonly decisionMails: DecisionMails;
  /** Resolves when this node knows the revocations of the decision. */
  readonly takeEffect: () => Promise<void>;
}

/** The decision of an SU admin. */
export interface AdminDecision extends DecisionRecord {
  readonly status: DecidedStatus;
}

/** The first part of the names of the audit events. */
type DecidableEvent = 'group-proposal' | 'leader-request';

interface DecidableRequest {
  readonly user_guid: string;
  readonly status: RequestStatus;
}

interface DecidableStore<Row, Pending> {
  readonly find: (tx: Transaction, guid: string) => Promise<Row | undefined>;
  readonly lock: (tx: Transaction, guid: string) => Promise<Row | undefined>;
  /** Oldest first. */
  readonly listPending: (db: Queryable, range: ListRange) => Promise<Pending[]>;
  readonly countPending: (db: Queryable) => Promise<number>;
  readonly readTenant: (db: Queryable, guid: string) => Promise<string | null>;
}

/** What differs between the kinds of requests. */
export interface DecisionKind<Row extends DecidableRequest, Pending, Outcome> {
  /** The first part of the names of the audit events. */
  readonly event: DecidableEvent;
  /** The name in error messages. */
  readonly name: string;
  readonly store: DecidableStore<Row, Pending>;
  /** Locks what the request is about; false when it no longer exists. Left out for a request about nothing else. */
  readonly lockSubject?: (tx: Transaction, row: Row) => Promise<boolean>;
  /** To whom the mail about the decision goes, and the name that it has; undefined when they are gone. */
  readonly addressee: (tx: Transaction, row: Row) => Promise<{ email: string; name: string } | undefined>;
  /** Stores the decision and what it brings about; `entities` are recorded in the audit log. */
  readonly apply: (
    tx: Transaction,
    row: Row,
    decision: AdminDecision,
  ) => Promise<{ readonly outcome: Outcome; readonly entities: readonly string[] }>;
}

export interface AdminDecisions<Pending, Outcome> {
  /** @throws ServiceError `not_found`, `conflict` when it is decided already or cannot be approved any more */
  decide(actor: Actor, guid: string, status: DecidedStatus, reason?: string): Promise<Outcome>;
  /** Oldest first. The read is recorded in the audit log. */
  pending(actor: Actor, range: ListRange): Promise<Pending[]>;
  countPending(): Promise<number>;
}

/** What is stored of a new request, and what the audit log names of it. */
interface Submitted<Row> {
  readonly row: Row;
  readonly entities: readonly string[];
}

/**
 * Stores a request of the actor together with its audit event.
 * @throws ServiceError what `insert` throws when the request cannot be made
 */
export function submitRequest<Row>(
  { database, clock, audit, users }: AdminDecisionDeps,
  actor: Actor,
  kind: DecidableEvent,
  insert: (tx: Transaction, made: Made & { readonly guid: string }) => Promise<Submitted<Row>>,
): Promise<Row> {
  const now = clock.now();
  return database.transaction(async (tx) => {
    await users.lockActor(tx, actor);
    const { row, entities } = await insert(tx, {
      guid: newGuid(now),
      at: new Date(now),
      tenant: currentTenant() ?? null,
    });
    const event = `${kind}.submit`;
    await audit.record(tx, { action: 'C', event, entities, subjectGuid: actor.principal.id, ...actor });
    return row;
  });
}

export function createAdminDecisions<Row extends DecidableRequest, Pending, Outcome>(
  deps: AdminDecisionDeps,
  kind: DecisionKind<Row, Pending, Outcome>,
): AdminDecisions<Pending, Outcome> {
  const { database, clock, audit, users, revocations, decisionMails } = deps;

  /** Locks the user first, then what the request is about, then the request; undefined when one no longer exists. */
  async function lock(tx: Transaction, guid: string): Promise<Row | undefined> {
    const known = isGuid(guid) ? await kind.store.find(tx, guid) : undefined;
    if (known === undefined || !(await users.lock(tx, known.user_guid))) return undefined;
    const exists = kind.lockSubject === undefined || (await kind.lockSubject(tx, known));
    return exists ? kind.store.lock(tx, guid) : undefined;
  }

  return {
    async decide(actor, guid, status, reason) {
      const decided = await database.transaction(async (tx) => {
        await users.lockActor(tx, actor);
        const row = await lock(tx, guid);
        if (row === undefined) throw notFound(kind.name);
        if (row.status !== 'pending') throw conflict(`The ${kind.name.toLowerCase()} is ${row.status} already`);
        const decision = { guid, status, by: actor.principal.id, at: new Date(clock.now()) };
        const { outcome, entities } = await kind.apply(tx, row, decision);
        const recorded = { event: `${kind.event}.${status}`, entities, subjectGuid: row.user_guid, detail: reason };
        await audit.record(tx, { action: 'U', ...recorded, ...actor });
        const addressee = await kind.addressee(tx, row);
        if (addressee !== undefined) {
          const asked = { userGuid: row.user_guid, tenant: await kind.store.readTenant(tx, guid) };
          await decisionMails.queue(tx, { kind: kind.event, status, reason, ...asked, ...addressee });
        }
        if (status === 'approved') await revocations.userChanged(tx, row.user_guid);
        return outcome;
      });
      await deps.takeEffect();
      return decided;
    },
    async pending(actor, range) {
      await audit.recordRead({ action: 'R', event: `${kind.event}s.list`, ...actor });
      return kind.store.listPending(database, range);
    },
    countPending: () => kind.store.countPending(database),
  };
}
