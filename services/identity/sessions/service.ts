// Sessions of a user. A caller may list them, end one, end all others or, as an SU admin, end all of a user (decisions
// I1, G8 and L11). A session is a browser's, with its tokens, or a token of its own. Its guid grants nothing.

import type { Transaction } from '#lib/db/database.ts';
import { notFound, ServiceError } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Actor } from '../actor.ts';
import type { AuthService } from '../auth/service.ts';
import type { BrowserSessions } from '../browser-sessions/service.ts';
import type { Clients } from '../clients/service.ts';
import type { ListRange } from '../list-page.ts';
import type { Revocations } from '../revocations/service.ts';
import { liveBounds, type SessionLimits } from '../session-limits.ts';
import * as store from './store.ts';

export interface SessionUse extends store.UseRow {
  /** The name of the client, if the sign-in named one. */
  readonly clientName: string | null;
}

export interface Session extends Omit<store.SessionRow, 'uses'> {
  /** Where it has been used: for a session of a browser its sign-ins whose tokens are valid. */
  readonly uses: readonly SessionUse[];
  /** When it ends without further use; null for a token of its own. */
  readonly idle_ends_at: Date | null;
  /** Whether it is the session of this request. */
  readonly isCurrent: boolean;
}

/** When a session ends. */
export interface SessionLife {
  /** At the latest. */
  readonly ends_at: Date;
  /** Without further use; null for a token of its own. */
  readonly idle_ends_at: Date | null;
}

export interface Sessions {
  /**
   * When the session of this request ends. It discloses nothing but these times, so the read is not recorded: a browser
   * asks it for the person who is signed in, unasked.
   * @throws ServiceError `unauthorized` without a token
   */
  lifeOfOwn(actor: Actor): Promise<SessionLife>;
  /** The caller's own sessions, newest first. The read is recorded in the audit log. */
  listOwn(actor: Actor, range: ListRange): Promise<Session[]>;
  countOwn(actor: Actor): Promise<number>;
  /** Those of another user, newest first, at most so many. The caller records the read. */
  listOf(actor: Actor, userGuid: string, limit: number): Promise<Session[]>;
  countOf(userGuid: string): Promise<number>;
  /** @throws ServiceError `not_found` when it is not an active session of the caller, `unauthorized` */
  revokeOne(actor: Actor, sessionGuid: string): Promise<void>;
  /** Ends every session of the caller but the present one; returns how many. @throws ServiceError `unauthorized` */
  revokeOthers(actor: Actor): Promise<number>;
  /** Ends every session of the user; returns how many. @throws ServiceError `not_found`, `unauthorized` */
  revokeAllOf(actor: Actor, userGuid: string): Promise<number>;
}

export interface SessionDeps extends WriteDependencies {
  readonly auth: Pick<AuthService, 'endSessions'>;
  readonly revocations: Revocations;
  readonly browserSessions: BrowserSessions;
  readonly limits: SessionLimits;
  readonly clients: Pick<Clients, 'nameOf'>;
  /** Makes committed revocations effective on this node. */
  readonly takeEffect: () => Promise<void>;
}

export function createSessions(deps: SessionDeps): Sessions {
  const { database, clock, audit, auth, revocations, browserSessions, clients, takeEffect, limits } = deps;
  const live = () => liveBounds(limits, clock.now());
  const now = () => new Date(clock.now());

  /**
   * Runs in one transaction that locks the feed of revocations and requires that the caller's token is active. The user
   * is locked first, as everywhere.
   */
  async function revoke<T>(actor: Actor, userGuid: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const tokenId = tokenOf(actor);
    const result = await database.transaction(async (tx) => {
      const isThere = isGuid(userGuid) && (await store.lockUser(tx, userGuid));
      await revocations.requireActive(tx, tokenId);
      if (!isThere) throw notFound('User');
      return work(tx);
    });
    await takeEffect();
    return result;
  }

  async function list(actor: Actor, userGuid: string, range: ListRange): Promise<Session[]> {
    const rows = await store.listActive(database, { userGuid, now: now(), live: live(), ...range });
    return rows.map(({ uses, ...row }) => {
      const isCurrent = row.token_ids.includes(actor.principal.tokenId ?? '');
      // The request itself is use, which is recorded a little later.
      const usedAt = isCurrent ? now() : row.last_used_at;
      return {
        ...row,
        uses: uses.map((use) => ({ ...use, clientName: use.client_id && clients.nameOf(use.client_id) })),
        idle_ends_at: row.last_used_at && usedAt && new Date(usedAt.getTime() + limits.idleMs),
        isCurrent,
      };
    });
  }

  return {
    async lifeOfOwn(actor) {
      const found = await store.findLife(database, tokenOf(actor));
      if (found === undefined) throw notFound('Session');
      const { expires_at: expiresAt, began_at: beganAt } = found;
      if (beganAt === null) return { ends_at: expiresAt, idle_ends_at: null };
      // The request itself is use.
      return {
        ends_at: new Date(beganAt.getTime() + limits.absoluteMs),
        idle_ends_at: new Date(clock.now() + limits.idleMs),
      };
    },

    async listOwn(actor, range) {
      const userGuid = actor.principal.id;
      const found = await list(actor, userGuid, range);
      await audit.recordRead({ action: 'R', event: 'session.list', subjectGuid: userGuid, ...actor });
      return found;
    },

    listOf: (actor, userGuid, limit) => list(actor, userGuid, { limit, offset: 0 }),

    countOf: (userGuid) => store.countActive(database, { userGuid, now: now(), live: live() }),

    countOwn: ({ principal }) => store.countActive(database, { userGuid: principal.id, now: now(), live: live() }),

    revokeOne: (actor, sessionGuid) =>
      revoke(actor, actor.principal.id, async (tx) => {
        const userGuid = actor.principal.id;
        const session = { tokenId: sessionGuid, userGuid, now: now() };
        if (!isGuid(sessionGuid)) throw notFound('Session');
        if (!(await browserSessions.endOne(tx, sessionGuid, userGuid))) {
          if (!(await store.isActive(tx, session))) throw notFound('Session');
          await revocations.revokeToken(tx, sessionGuid);
        }
        const touched = { entities: [`session/${sessionGuid}`], subjectGuid: userGuid };
        await audit.record(tx, { action: 'D', event: 'session.revoke', ...touched, ...actor });
      }),

    revokeOthers: (actor) =>
      revoke(actor, actor.principal.id, async (tx) => {
        const userGuid = actor.principal.id;
        const tokenId = tokenOf(actor);
        const sessionGuid = await browserSessions.guidOfToken(tx, tokenId);
        const count = (await store.countActive(tx, { userGuid, now: now(), live: live() })) - 1;
        await auth.endSessions(tx, userGuid, { tokenId, sessionGuid });
        const detail = `${count} sessions`;
        await audit.record(tx, {
          action: 'D',
          event: 'session.revoke-others',
          subjectGuid: userGuid,
          detail,
          ...actor,
        });
        return count;
      }),

    revokeAllOf: (actor, userGuid) =>
      revoke(actor, userGuid, async (tx) => {
        const count = await store.countActive(tx, { userGuid, now: now(), live: live() });
        await auth.endSessions(tx, userGuid);
        const detail = `${count} sessions`;
        await audit.record(tx, { action: 'D', event: 'user.revoke-sessions', subjectGuid: userGuid, detail, ...actor });
        return count;
      }),
  };
}

function tokenOf({ principal }: Actor): string {
  if (principal.tokenId === undefined) throw new ServiceError('unauthorized', 'Only a token has sessions beside it');
  return principal.tokenId;
}
