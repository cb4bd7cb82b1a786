// Revocation of tokens and changes of rights (decisions G8 and I1). A revocation commits with the change that causes
// it. It is effective on this node when `takeEffect` resolves, and elsewhere within two seconds.

import type { RevocationEvent, RevocationList, RevocationPage, RevocationSource } from '#lib/auth/revocation-list.ts';
import { type Clock, HOUR_MS } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { notify } from '#lib/db/listener.ts';
import { ServiceError } from '#lib/errors.ts';
import type { Logger } from '#lib/log/logger.ts';
import { readLastChange } from '../shared/change-counter.ts';
import type { IssuedToken } from '../shared/issued-token.ts';
import * as store from './store.ts';

const PAGE = 5_000;
/** How much the clocks of nodes may differ: a token that has expired for one node may still be valid for another. */
const CLOCK_LEEWAY_MS = 60_000;
const CHANGES_KEPT_MS = HOUR_MS;

export type { KeptTokens } from './store.ts';

export interface Revocations {
  /** The feed, read from the database. */
  readonly source: RevocationSource;
  /** PostgreSQL's notification channel: a hint that the feed has grown. */
  readonly channel: string;
  /** @throws ServiceError `unavailable` when the key that signed the token has been revoked meanwhile */
  recordIssued(tx: Transaction, token: IssuedToken): Promise<void>;
  /** False when the token is revoked already, or has expired and was deleted. */
  revokeToken(tx: Transaction, tokenId: string): Promise<boolean>;
  /** Revokes every active token of the user but those to keep; returns how many. */
  revokeTokensOf(tx: Transaction, userGuid: string, keep?: store.KeptTokens): Promise<number>;
  /**
   * Locks the feed until the transaction ends and requires that this token is active. When callers revoke each other at
   * the same time, one of them remains.
   * @throws ServiceError `unauthorized` when the token has been revoked meanwhile
   */
  requireActive(tx: Transaction, tokenId: string): Promise<void>;
  /** Publishes that the user's access blob has changed. */
  userChanged(tx: Transaction, userGuid: string): Promise<void>;
  /** As `userChanged`, for many users. */
  usersChanged(tx: Transaction, userGuids: readonly string[]): Promise<void>;
  /** Publishes that the signing keys have changed and must be read again. */
  keysChanged(tx: Transaction): Promise<void>;
  /** Revokes every active token that the key signed. */
  revokeTokensOfKey(tx: Transaction, keyId: string): Promise<void>;
  /** Stores the one-time code that the token was issued for, and its client. */
  exchanged(tx: Transaction, tokenId: string, exchange: store.Exchange): Promise<void>;
  /**
   * Revokes the token that was issued for a one-time code to that client, or to none: the code was presented again (RFC
   * 6749 §4.1.2). Returns the user; undefined when there was no active token.
   */
  revokeTokenOfCode(tx: Transaction, exchange: store.Exchange): Promise<string | undefined>;
  /** Revokes every active token that was issued to the client; returns how many. */
  revokeTokensOfClient(tx: Transaction, clientId: string): Promise<number>;
  /** Revokes every active token of these browser sessions; returns how many. */
  revokeTokensOfSessions(tx: Transaction, sessionGuids: readonly string[]): Promise<number>;
  sweep(): Promise<void>;
}

export function createRevocations(deps: { database: Database; clock: Clock }): Revocations {
  const { database, clock } = deps;
  const channel = `${database.schema}_revocations`;
  const now = () => new Date(clock.now());

  /** A reader that is ahead of the counter (the database was restored) starts again from the beginning. */
  async function readAfter(sequence: number): Promise<RevocationPage> {
    const last = await readLastChange(database);
    const after = sequence > last ? 0 : sequence;
    const living = new Date(clock.now() - CLOCK_LEEWAY_MS);
    const rows = await store.readFeed(database, { after, upTo: last, now: living, limit: PAGE });
    const hasMore = rows.length === PAGE;
    return { events: rows.map(toEvent), sequence: hasMore ? (rows.at(-1)?.sequence ?? last) : last, hasMore };
  }

  async function usersChanged(tx: Transaction, userGuids: readonly string[]): Promise<void> {
    await store.insertUserChanges(tx, userGuids, now());
    await notify(tx, channel);
  }

  return {
    source: { readAfter },
    channel,
    async recordIssued(tx, token) {
      if (!(await store.insertIssued(tx, token))) throw keyRevoked();
    },
    async revokeToken(tx, tokenId) {
      const isNew = await store.insertRevoked(tx, tokenId, now());
      await notify(tx, channel);
      return isNew;
    },
    async revokeTokensOf(tx, userGuid, keep = {}) {
      const count = await store.revokeAllOf(tx, { userGuid, keep, now: now() });
      await notify(tx, channel);
      return count;
    },
    async requireActive(tx, tokenId) {
      await store.lockCounter(tx);
      if (await store.isRevoked(tx, tokenId)) throw new ServiceError('unauthorized', 'The token has been revoked');
    },
    userChanged: (tx, userGuid) => usersChanged(tx, [userGuid]),
    usersChanged,
    async keysChanged(tx) {
      await store.insertKeyChange(tx, now());
      await notify(tx, channel);
    },
    async revokeTokensOfKey(tx, keyId) {
      await store.revokeAllOfKey(tx, { keyId, now: now() });
      await notify(tx, channel);
    },
    exchanged: store.markExchanged,
    async revokeTokenOfCode(tx, exchange) {
      const issued = await store.findExchanged(tx, exchange);
      if (issued === undefined || !(await store.insertRevoked(tx, issued.tokenId, now()))) return undefined;
      await notify(tx, channel);
      return issued.userGuid;
    },
    async revokeTokensOfClient(tx, clientId) {
      const count = await store.revokeAllOfClient(tx, { clientId, now: now() });
      await notify(tx, channel);
      return count;
    },
    async revokeTokensOfSessions(tx, sessionGuids) {
      const count = await store.revokeAllOfSessions(tx, { sessionGuids, now: now() });
      await notify(tx, channel);
      return count;
    },
    sweep: () =>
      store.sweep(database, {
        expiredBefore: new Date(clock.now() - CLOCK_LEEWAY_MS),
        changedBefore: new Date(clock.now() - CHANGES_KEPT_MS),
      }),
  };
}

/** The error for a token whose key is revoked. */
export function keyRevoked(): ServiceError {
  return new ServiceError('unavailable', 'The signing key has just been revoked; try again', { retryAfterSeconds: 2 });
}

/**
 * Makes committed revocations effective at once: on this node and, by `onRevoked`, in the services of the same process.
 * Those meet the limit of two seconds by themselves, so their failure does not fail the change.
 */
export function createTakeEffect(deps: {
  list: RevocationList;
  onRevoked: () => Promise<void>;
  log: Logger;
}): () => Promise<void> {
  const { list, onRevoked, log } = deps;
  const notifyServices = () =>
    onRevoked().catch((error: unknown) => log.warn({ event: 'revocation.not-told', err: error }));
  return async () => {
    await Promise.all([list.refresh(), notifyServices()]);
  };
}

function toEvent(row: store.FeedRow): RevocationEvent {
  switch (row.kind) {
    case 'token_revoked': {
      const expiresAt = Math.ceil((row.expires_at?.getTime() ?? 0) / 1000);
      return { kind: row.kind, tokenId: row.token_id ?? '', expiresAt };
    }
    case 'user_changed':
      return { kind: row.kind, userGuid: row.user_guid ?? '' };
    case 'keys_changed':
      return { kind: row.kind };
    default:
      return row.kind satisfies never;
  }
}
