// Which tokens no longer count, and whose rights changed (decisions G8 and I1): recorded with the change itself, in
// effect on this node when `takeEffect` resolves and elsewhere within two seconds.
import type { RevocationEvent, RevocationList, RevocationPage, RevocationSource } from '#lib/auth/revocation-list.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import type { Logger } from '#lib/log/logger.ts';
import type { IssuedToken } from '../shared/issued-token.ts';
import * as store from './store.ts';

const PAGE = 5_000;
/** The clocks of nodes may differ by as much before a token that one thinks expired is judged by another. */
const CLOCK_LEEWAY_MS = 60_000;
const CHANGES_KEPT_MS = 3_600_000;

export interface Revocations {
  /** The feed, read from the database. */
  readonly source: RevocationSource;
  /** PostgreSQL's notification channel: a hint that the feed has grown. */
  readonly channel: string;
  /** @throws ServiceError `unavailable` when the key that signed the token has been revoked meanwhile */
  recordIssued(tx: Transaction, token: IssuedToken): Promise<void>;
  /** False when it is revoked already, or has expired and is forgotten. */
  revokeToken(tx: Transaction, tokenId: string): Promise<boolean>;
  /** Revokes every living token of the user, or all but one; answers how many. */
  revokeTokensOf(tx: Transaction, userGuid: string, keepTokenId?: string): Promise<number>;
  /**
   * Nobody else revokes anything until the transaction ends, and this token counts: of callers who revoke each other at
   * once one is left.
   * @throws ServiceError `unauthorized` when the token has been revoked meanwhile
   */
  requireLiving(tx: Transaction, tokenId: string): Promise<void>;
  /** Tells everybody that the user's access blob is no longer what it was. */
  userChanged(tx: Transaction, userGuid: string): Promise<void>;
  /** As `userChanged`, for many at once. */
  usersChanged(tx: Transaction, userGuids: readonly string[]): Promise<void>;
  /** Tells everybody to read the published keys anew. */
  keysChanged(tx: Transaction): Promise<void>;
  /** Revokes every living token that the key signed. */
  revokeTokensOfKey(tx: Transaction, keyId: string): Promise<void>;
  /** Remembers the one-time code that a token was issued for, and the client that it was given to. */
  exchanged(tx: Transaction, tokenId: string, exchange: store.Exchange): Promise<void>;
  /**
   * Revokes the token that was issued to that client, or to none, for a one-time code: it presents the code once more
   * (RFC 6749 §4.1.2). Answers whose it was; undefined when there was no living one.
   */
  revokeTokenOfCode(tx: Transaction, exchange: store.Exchange): Promise<string | undefined>;
  /** Revokes every living token that was given to the client; answers how many. */
  revokeTokensOfClient(tx: Transaction, clientId: string): Promise<number>;
  sweep(): Promise<void>;
}

export function createRevocations(deps: { database: Database; clock: Clock }): Revocations {
  const { database, clock } = deps;
  const channel = `${database.schema}_revocations`;
  const now = () => new Date(clock.now());

  /** A reader who is ahead of the counter (the database was restored) begins anew. */
  async function readAfter(sequence: number): Promise<RevocationPage> {
    const last = await store.readCounter(database);
    const after = sequence > last ? 0 : sequence;
    const living = new Date(clock.now() - CLOCK_LEEWAY_MS);
    const rows = await store.readFeed(database, { after, upTo: last, now: living, limit: PAGE });
    const hasMore = rows.length === PAGE;
    return { events: rows.map(toEvent), sequence: hasMore ? (rows.at(-1)?.sequence ?? last) : last, hasMore };
  }

  async function usersChanged(tx: Transaction, userGuids: readonly string[]): Promise<void> {
    await store.insertUserChanges(tx, userGuids, now());
    await store.notify(tx, channel);
  }

  return {
    source: { readAfter },
    channel,
    async recordIssued(tx, token) {
      if (!(await store.insertIssued(tx, token))) throw keyRevoked();
    },
    async revokeToken(tx, tokenId) {
      const isNew = await store.insertRevoked(tx, tokenId, now());
      await store.notify(tx, channel);
      return isNew;
    },
    async revokeTokensOf(tx, userGuid, keepTokenId) {
      const count = await store.revokeAllOf(tx, { userGuid, keepTokenId: keepTokenId ?? null, now: now() });
      await store.notify(tx, channel);
      return count;
    },
    async requireLiving(tx, tokenId) {
      await store.lockCounter(tx);
      if (await store.isRevoked(tx, tokenId)) throw new ServiceError('unauthorized', 'The token has been revoked');
    },
    userChanged: (tx, userGuid) => usersChanged(tx, [userGuid]),
    usersChanged,
    async keysChanged(tx) {
      await store.insertKeyChange(tx, now());
      await store.notify(tx, channel);
    },
    async revokeTokensOfKey(tx, keyId) {
      await store.revokeAllOfKey(tx, { keyId, now: now() });
      await store.notify(tx, channel);
    },
    exchanged: store.markExchanged,
    async revokeTokenOfCode(tx, exchange) {
      const issued = await store.findExchanged(tx, exchange);
      if (issued === undefined || !(await store.insertRevoked(tx, issued.tokenId, now()))) return undefined;
      await store.notify(tx, channel);
      return issued.userGuid;
    },
    async revokeTokensOfClient(tx, clientId) {
      const count = await store.revokeAllOfClient(tx, { clientId, now: now() });
      await store.notify(tx, channel);
      return count;
    },
    sweep: () =>
      store.sweep(database, {
        expiredBefore: new Date(clock.now() - CLOCK_LEEWAY_MS),
        changedBefore: new Date(clock.now() - CHANGES_KEPT_MS),
      }),
  };
}

/** For a token whose key is gone. */
export function keyRevoked(): ServiceError {
  return new ServiceError('unavailable', 'The signing key has just been revoked; try again', { retryAfterSeconds: 2 });
}

/**
 * Makes what was committed count here at once: on this node and, by `onRevoked`, in the services beside it. Those keep
 * the promise of two seconds by themselves, so that their failure is no failure of the change.
 */
export function createTakeEffect(deps: {
  list: RevocationList;
  onRevoked: () => Promise<void>;
  log: Logger;
}): () => Promise<void> {
  const { list, onRevoked, log } = deps;
  const tell = () => onRevoked().catch((error: unknown) => log.warn({ event: 'revocation.not-told', err: error }));
  return async () => {
    await Promise.all([list.refresh(), tell()]);
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
