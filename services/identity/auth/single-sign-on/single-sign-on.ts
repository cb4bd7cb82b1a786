// A further sign-in by the browser session (decision L11, docs/adr/0080): it passes without asking while the session
// lives. It asks for the password again where more is needed. It asks for a click where the user has not been before
// and a copy of the address would be enough to take the token.
import { principalOfBlob } from '#lib/auth/access-blob.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { Database } from '#lib/db/database.ts';
import { currentTenant } from '#lib/tenants/current-tenant.ts';
import type { Origin } from '../../actor.ts';
import type { BrowserSession, BrowserSessions, OpenedSession } from '../../browser-sessions/service.ts';
import type { Clients } from '../../clients/service.ts';
import type { Prompt } from '../../shared/journey.ts';
import type { Memberships } from '../../tenants/service.ts';
import type { Users } from '../../users/service.ts';
import { type Grant, type Granted, targetOf } from '../grants.ts';
import type { Handshake } from '../second-step/challenges.ts';

/** The user whose session a browser has. */
export interface SignedInUser {
  readonly userGuid: string;
  readonly email: string;
}

/**
 * `ask`: for the password; with a user, whose session is not enough. `refuse`: the user may not use the tenant of the
 * address. `confirm`: whether to continue as this user. `pass`: nothing.
 */
export type NextStep =
  | { readonly kind: 'ask'; readonly user: SignedInUser | undefined }
  | { readonly kind: 'refuse' | 'confirm' | 'pass'; readonly user: SignedInUser };

export interface SingleSignOn {
  /** The user of the live session of this secret. */
  readSignedIn(secret: string | undefined): Promise<SignedInUser | undefined>;
  /** The caller of a page by the live session of this secret, where it is enough; undefined otherwise. */
  principalOfBrowser(secret: string | undefined): Promise<Principal | undefined>;
  /** Opens a session for a browser whose user was proved by a change that has ended all sessions. */
  openSessionAfterChange(session: {
    readonly userGuid: string;
    readonly hasSecondFactor: boolean;
    readonly origin: Origin;
  }): Promise<OpenedSession>;
  /** What the sign-in page does with this browser. */
  nextStep(visit: { secret: string | undefined; handshake: Handshake; prompt: Prompt | undefined }): Promise<NextStep>;
  /**
   * Grants by the session; undefined when it has ended meanwhile, or is not enough. `isConfirmed`: the user has chosen
   * to continue.
   */
  pass(visit: {
    secret: string;
    handshake: Handshake;
    isConfirmed: boolean;
    origin: Origin;
  }): Promise<Granted | undefined>;
}

export interface SingleSignOnDeps {
  readonly database: Database;
  readonly users: Pick<Users, 'readAccessBlob' | 'readCredentials'>;
  readonly clients: Pick<Clients, 'mustAsk'>;
  readonly browserSessions: BrowserSessions;
  readonly memberships: Pick<Memberships, 'isMember'>;
  readonly grant: Grant;
}

export function createSingleSignOn(deps: SingleSignOnDeps): SingleSignOn {
  const { database, users, clients, browserSessions, memberships, grant } = deps;

  async function userOf(session: BrowserSession) {
    const { userGuid } = session;
    const blob = await users.readAccessBlob(database, userGuid, null);
    const account = await users.readCredentials(userGuid);
    if (blob === undefined || account === null) return undefined;
    const isIncomplete = account.mustChangePassword || blob.must_set_up_second_factor === true;
    const lacksFactor = account.hasSecondFactor && !session.hasSecondFactor;
    const principal = principalOfBlob(blob);
    return { userGuid, email: account.email, isEnough: !isIncomplete && !lacksFactor, principal };
  }

  async function needsClick({ sessionGuid }: BrowserSession, { next, codeChallenge }: Handshake): Promise<boolean> {
    return codeChallenge === undefined && !(await browserSessions.knowsTarget(sessionGuid, targetOf(next)));
  }

  return {
    async readSignedIn(secret) {
      const session = secret === undefined ? undefined : await browserSessions.find(secret);
      const user = session && (await userOf(session));
      return user && { userGuid: user.userGuid, email: user.email };
    },

    async principalOfBrowser(secret) {
      const session = secret === undefined ? undefined : await browserSessions.find(secret);
      const user = session && (await userOf(session));
      if (session === undefined || user?.isEnough !== true) return undefined;
      await browserSessions.touch(session.sessionGuid);
      return user.principal;
    },

    openSessionAfterChange: (session) =>
      database.transaction((tx) => browserSessions.open(tx, { ...session, presented: undefined })),

    async nextStep({ secret, handshake, prompt }) {
      const session = secret === undefined ? undefined : await browserSessions.find(secret);
      const known = session && (await userOf(session));
      if (session === undefined || known === undefined) return { kind: 'ask', user: undefined };
      const { isEnough, userGuid, email } = known;
      const user = { userGuid, email };
      if (prompt === 'login') return { kind: 'ask', user: undefined };
      if (!(await memberships.isMember(database, userGuid, currentTenant()))) return { kind: 'refuse', user };
      if (!isEnough || clients.mustAsk(handshake.clientId)) return { kind: 'ask', user };
      await browserSessions.touch(session.sessionGuid);
      if (prompt === 'select_account' || (await needsClick(session, handshake))) return { kind: 'confirm', user };
      return { kind: 'pass', user };
    },

    async pass({ secret, handshake, isConfirmed, origin }) {
      if (clients.mustAsk(handshake.clientId)) return undefined;
      const found = await browserSessions.find(secret);
      const user = found && (await userOf(found));
      if (found === undefined || user?.isEnough !== true) return undefined;
      if (!isConfirmed && (await needsClick(found, handshake))) return undefined;
      return database.transaction(async (tx) => {
        const session = await browserSessions.hold(tx, secret);
        if (session === undefined) return undefined;
        if (isConfirmed) await browserSessions.addTarget(tx, session.sessionGuid, targetOf(handshake.next));
        return grant(tx, { userGuid: session.userGuid, handshake, origin, session });
      });
    },
  };
}
