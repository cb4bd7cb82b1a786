// The browser session (decision L11, docs/adr/0080): who signed in with this browser, for all services. Its secret is
// in a cookie, and only the hash is stored. Tokens that are issued by it belong to it and end with it.
import type { Clock } from '#lib/clock.ts';
import { randomSecret, sha256 } from '#lib/crypto/secret.ts';
import type { Database, Queryable, Transaction } from '#lib/db/database.ts';
import { newGuid } from '#lib/guid.ts';
import type { Origin } from '../actor.ts';
import type { Revocations } from '../revocations/service.ts';
import { liveBounds, type SessionLimits } from '../session-limits.ts';
import * as store from './store.ts';

/** The recorded last use is at most this old while a session is in use. */
const USE_GRANULARITY_MS = 15_000;
/** Nodes record uses a little later. */
const SWEEP_LEEWAY_MS = 60_000;
const SWEPT_AT_ONCE = 500;

export interface BrowserSession {
  readonly sessionGuid: string;
  readonly userGuid: string;
  readonly hasSecondFactor: boolean;
  /** When it ends at the latest. */
  readonly endsAt: Date;
}

export interface OpenedSession extends BrowserSession {
  /** For the cookie. */
  readonly secret: string;
  /** Whether another user's session in this browser has ended. Call `takeEffect` after the commit. */
  readonly endedAnother: boolean;
}

export interface BrowserSessions {
  /**
   * Opens a session with a new secret. The session that the browser presents ends: its tokens go to the new one when it
   * is of the same user. They end when it is of another.
   */
  open(
    tx: Transaction,
    session: {
      readonly userGuid: string;
      readonly hasSecondFactor: boolean;
      readonly presented: string | undefined;
      readonly origin: Origin;
    },
  ): Promise<OpenedSession>;
  /** The live session of the secret. */
  find(secret: string): Promise<BrowserSession | undefined>;
  /** As `find`. It does not end until the transaction does. */
  hold(tx: Transaction, secret: string): Promise<BrowserSession | undefined>;
  /** Holds the session that a one-time code belongs to. Call it before the code is taken. */
  holdOfCode(tx: Transaction, codeHash: Buffer): Promise<BrowserSession | undefined>;
  /** The session that a token belongs to. */
  guidOfToken(db: Queryable, tokenId: string): Promise<string | undefined>;
  /** Adds a token to its session; `destination` is where the sign-in led. */
  attach(tx: Transaction, token: { tokenId: string; sessionGuid: string; destination: string }): Promise<void>;
  /** Whether the user has been at this target in this session, knowingly. */
  knowsTarget(sessionGuid: string, target: string): Promise<boolean>;
  addTarget(tx: Transaction, sessionGuid: string, target: string): Promise<void>;
  /** Ends the session of the secret with its tokens and codes; undefined when there is none. */
  end(tx: Transaction, secret: string): Promise<BrowserSession | undefined>;
  /** Ends the user's session of this guid; false when there is none. */
  endOne(tx: Transaction, sessionGuid: string, userGuid: string): Promise<boolean>;
  /** Ends the session of a token; undefined when the token belongs to none. */
  endOfToken(tx: Transaction, tokenId: string): Promise<BrowserSession | undefined>;
  /**
   * Locks the user's sessions, before codes or tokens of the user are locked. `remove` then ends those sessions. It
   * leaves their tokens to the caller, who ends all tokens of the user.
   */
  lockOf(tx: Transaction, userGuid: string, keepSessionGuid?: string): Promise<{ remove(): Promise<void> }>;
  /** Records that a token was used, soon. */
  used(tokenId: string): void;
  /** Records at once that a session was used. */
  touch(sessionGuid: string): Promise<void>;
  flushUses(): Promise<void>;
  /** Ends sessions that have exceeded a limit. Returns how many. */
  sweep(): Promise<number>;
}

export interface BrowserSessionDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly limits: SessionLimits;
  readonly revocations: Pick<Revocations, 'revokeTokensOfSessions'>;
}

export function createBrowserSessions(deps: BrowserSessionDeps): BrowserSessions {
  const { database, clock, limits, revocations } = deps;
  const now = () => new Date(clock.now());
  const bounds = () => liveBounds(limits, clock.now());
  const toSession = (row: store.SessionRow): BrowserSession => ({
    sessionGuid: row.session_guid,
    userGuid: row.user_guid,
    hasSecondFactor: row.has_second_factor,
    endsAt: new Date(row.created_at.getTime() + limits.absoluteMs),
  });
  const toSessionOrNone = (row: store.SessionRow | undefined) => row && toSession(row);
  const usedTokens = new Set<string>();

  /** The sessions are locked by the caller. */
  async function endLocked(tx: Transaction, sessionGuids: readonly string[]): Promise<void> {
    await revocations.revokeTokensOfSessions(tx, sessionGuids);
    await store.remove(tx, sessionGuids);
  }

  async function endRow(tx: Transaction, row: store.SessionRow | undefined): Promise<BrowserSession | undefined> {
    if (row === undefined) return undefined;
    await endLocked(tx, [row.session_guid]);
    return toSession(row);
  }

  async function replace(tx: Transaction, presented: string, by: { guid: string; userGuid: string }) {
    const before = await store.lock(tx, sha256(presented));
    if (before === undefined) return false;
    const isOther = before.user_guid !== by.userGuid;
    if (!isOther) await store.move(tx, before.session_guid, by.guid);
    await endLocked(tx, [before.session_guid]);
    return isOther;
  }

  return {
    async open(tx, { userGuid, hasSecondFactor, presented, origin }) {
      const secret = randomSecret();
      const [at, guid] = [now(), newGuid(clock.now())];
      const session = { sessionGuid: guid, userGuid, hasSecondFactor };
      await store.insert(tx, { ...session, secretHash: sha256(secret), at, from: origin });
      const endedAnother = presented !== undefined && (await replace(tx, presented, { guid, userGuid }));
      return { ...session, endsAt: new Date(at.getTime() + limits.absoluteMs), secret, endedAnother };
    },
    find: async (secret) => toSessionOrNone(await store.find(database, sha256(secret), bounds())),
    hold: async (tx, secret) => toSessionOrNone(await store.hold(tx, sha256(secret), bounds())),
    holdOfCode: async (tx, codeHash) => toSessionOrNone(await store.holdOfCode(tx, codeHash)),
    guidOfToken: async (db, tokenId) => (await store.sessionOfToken(db, tokenId)) ?? undefined,
    attach: store.attach,
    knowsTarget: (sessionGuid, target) => store.isTarget(database, sessionGuid, target),
    addTarget: store.insertTarget,
    end: async (tx, secret) => endRow(tx, await store.lock(tx, sha256(secret))),
    async endOne(tx, sessionGuid, userGuid) {
      if (!(await store.lockOne(tx, sessionGuid, userGuid))) return false;
      await endLocked(tx, [sessionGuid]);
      return true;
    },
    endOfToken: async (tx, tokenId) => endRow(tx, await store.lockOfToken(tx, tokenId)),
    async lockOf(tx, userGuid, keepSessionGuid) {
      const locked = await store.lockOf(tx, userGuid, keepSessionGuid ?? null);
      return { remove: () => store.remove(tx, locked) };
    },
    used: (tokenId) => {
      usedTokens.add(tokenId);
    },
    touch: (sessionGuid) => store.touch(database, sessionGuid, now()),
    async flushUses() {
      if (usedTokens.size === 0) return;
      const tokenIds = [...usedTokens];
      usedTokens.clear();
      const at = now();
      await store.touchByTokens(database, { tokenIds, at, before: new Date(at.getTime() - USE_GRANULARITY_MS) });
    },
    sweep: () =>
      database.transaction(async (tx) => {
        const dead = await store.lockDead(tx, liveBounds(limits, clock.now() - SWEEP_LEEWAY_MS), SWEPT_AT_ONCE);
        if (dead.length > 0) await endLocked(tx, dead);
        return dead.length;
      }),
  };
}
