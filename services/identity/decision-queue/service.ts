// One queue of what waits for a decision (docs/adr/0098). For an SU admin it has everything, for a leader the
// memberships of the own groups and the access requests that name the leader. The decisions themselves are those of
// each kind.
import type { Audit } from '#lib/audit/audit.ts';
import { type Clock, DAY_MS } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import type { Actor } from '../actor.ts';
import type { QueueKind } from './schema.ts';
import * as store from './store.ts';

export interface QueueEntry extends store.QueueEntry {
  /** Whether the reader decides; else an SU admin does. */
  readonly mayDecide: boolean;
}

export interface QueueQuery {
  readonly kind: QueueKind | undefined;
  readonly search: string | undefined;
  /** Only what has waited for so many days. */
  readonly minDays: number | undefined;
  readonly order: 'oldest' | 'newest';
}

export interface QueuePage {
  readonly entries: readonly QueueEntry[];
  readonly total: number;
  readonly counts: Readonly<Record<QueueKind, number>>;
}

export interface DecisionQueue {
  /** The read is recorded in the audit log. */
  list(actor: Actor, query: QueueQuery, range: { limit: number; offset: number }): Promise<QueuePage>;
}

export function createDecisionQueue(deps: {
  readonly database: Database;
  readonly audit: Audit;
  readonly clock: Clock;
}): DecisionQueue {
  const { database, audit, clock } = deps;
  return {
    async list(actor, { kind, search, minDays, order }, range) {
      const isAdmin = actor.principal.roles.has('admin');
      const filter = {
        leader: isAdmin ? null : actor.principal.id,
        search: search?.trim() || null,
        before: minDays === undefined ? null : new Date(clock.now() - minDays * DAY_MS),
        kind: kind ?? null,
        order,
      };
      await audit.recordRead({ action: 'R', event: 'decision-queue.list', ...actor });
      const { entries, counts } = await store.readQueue(database, filter, range);
      const all = { access_request: 0, membership: 0, leader_request: 0, group_proposal: 0, ...counts };
      const total = kind === undefined ? Object.values(all).reduce((sum, count) => sum + count, 0) : all[kind];
      return {
        entries: entries.map((entry) => ({ ...entry, mayDecide: isAdmin || entry.kind === 'membership' })),
        total,
        counts: all,
      };
    },
  };
}
