// Grants what a completed sign-in receives, in the caller's transaction. It grants a token, or a one-time code when the
// handshake asks for it (contract: identity, Auth; decision I3).
import type { Audit } from '#lib/audit/audit.ts';
import { principalOfBlob } from '#lib/auth/access-blob.ts';
import type { Clock } from '#lib/clock.ts';
import { randomSecret, sha256 } from '#lib/crypto/secret.ts';
import type { Transaction } from '#lib/db/database.ts';
import { currentTenant, currentTenantName } from '#lib/tenants/current-tenant.ts';
import type { Origin } from '../actor.ts';
import type { BrowserSession, BrowserSessions, OpenedSession } from '../browser-sessions/service.ts';
import type { Clients } from '../clients/service.ts';
import { invalidRedirect } from '../shared/journey.ts';
import type { Memberships } from '../tenants/service.ts';
import type { Users } from '../users/service.ts';
import type { Handshake } from './second-step/challenges.ts';
import * as store from './store.ts';
import type { SignedIn, TokenIssuer } from './token-issuer.ts';

const CODE = /^[A-Za-z0-9_-]{43}$/;
const CODE_LIFETIME_MS = 60_000;
export const SIGN_IN = 'user.sign-in';

export type Granted =
  | { readonly kind: 'direct'; readonly signedIn: SignedIn }
  | {
      readonly kind: 'handshake';
      readonly handshake: Handshake;
      readonly carried: { token: string } | { code: string };
      /** The browser session that this sign-in opened. */
      readonly opened?: OpenedSession | undefined;
    };

/** A browser at our own pages, for which a sign-in opens a session. */
export interface SigningBrowser {
  /** The secret of the session that it has now, alive or not. */
  readonly presented: string | undefined;
}

export interface GrantRequest {
  readonly userGuid: string;
  readonly handshake: Handshake | undefined;
  readonly origin: Origin;
  /** The browser of a sign-in that has just been proved, and whether by a second factor. */
  readonly browser?: (SigningBrowser & { readonly hasSecondFactor: boolean }) | undefined;
  /** The browser session by which a further sign-in passes. */
  readonly session?: BrowserSession | undefined;
}

export type Grant = (tx: Transaction, request: GrantRequest) => Promise<Granted>;

export interface GrantDeps {
  readonly clock: Clock;
  readonly users: Users;
  readonly audit: Audit;
  readonly tokens: TokenIssuer;
  readonly clients: Pick<Clients, 'lockAudience'>;
  readonly browserSessions: BrowserSessions;
  readonly memberships: Pick<Memberships, 'require'>;
}

export function createGrant(deps: GrantDeps): Grant {
  const { tokens, browserSessions } = deps;

  /** Opens the session of a browser that signs in to an application. */
  async function open(tx: Transaction, { userGuid, handshake, origin, browser }: GrantRequest) {
    if (browser === undefined || handshake === undefined) return undefined;
    const opened = await browserSessions.open(tx, { userGuid, origin, ...browser });
    await browserSessions.addTarget(tx, opened.sessionGuid, targetOf(handshake.next));
    return opened;
  }

  return async (tx, request) => {
    const { userGuid, handshake, origin } = request;
    const opened = await open(tx, request);
    const session = opened ?? request.session;
    const granted = await (handshake?.mode === 'code'
      ? grantCode(deps, tx, { userGuid, handshake, origin, session })
      : grantToken(tokens, tx, { userGuid, handshake, origin, session }));
    return granted.kind === 'handshake' && opened !== undefined ? { ...granted, opened } : granted;
  };
}

async function grantToken(tokens: TokenIssuer, tx: Transaction, request: GrantRequest): Promise<Granted> {
  const { userGuid, handshake, origin, session } = request;
  const of = session && handshake && { ...session, destination: targetOf(handshake.next) };
  const signedIn = await tokens.issue(tx, { userGuid, event: SIGN_IN, origin, session: of });
  return grantedToken(signedIn, handshake);
}

async function grantCode(
  { clock, users, audit, clients, memberships }: GrantDeps,
  tx: Transaction,
  { userGuid, handshake, origin, session }: GrantRequest & { readonly handshake: Handshake },
): Promise<Granted> {
  const code = randomSecret();
  const expiresAt = new Date(clock.now() + CODE_LIFETIME_MS);
  const { next, codeChallenge, clientId } = handshake;
  // The database decides: the client may have been disabled since the sign-in began.
  if (clientId !== undefined && (await clients.lockAudience(tx, clientId)) === undefined) throw invalidRedirect();
  await memberships.require(tx, userGuid, currentTenant());
  const bound = { next, codeChallenge, clientId, sessionGuid: session?.sessionGuid, tenant: currentTenantName() };
  await store.insertCode(tx, { hash: hashOfCode(code, clientId), userGuid, ...bound, expiresAt, from: origin });
  const blob = await users.readAccessBlob(tx, userGuid, null);
  const principal = blob && principalOfBlob(blob);
  const detail = clientId === undefined ? 'for a code' : `for a code of client ${clientId}`;
  await audit.record(tx, { action: 'E', event: SIGN_IN, principal, subjectGuid: userGuid, detail, ...origin });
  return { kind: 'handshake', handshake, carried: { code } };
}

/** Makes it effective on this node, too, when a sign-in has ended another user's session in its browser. */
export async function withEffect<T extends { readonly kind: string }>(
  outcome: T | (T & { readonly opened?: OpenedSession }),
  takeEffect: () => Promise<void>,
): Promise<T> {
  if ('opened' in outcome && outcome.opened?.endedAnother === true) await takeEffect();
  return outcome;
}

/** Where a sign-in leads, without the query: what users and session lists know it by. */
export function targetOf(next: string): string {
  const { origin, pathname } = new URL(next);
  return `${origin}${pathname}`;
}

/** A token, returned directly or by the redirect of the handshake. */
export function grantedToken(signedIn: SignedIn, handshake: Handshake | undefined): Granted {
  if (handshake === undefined) return { kind: 'direct', signedIn };
  return { kind: 'handshake', handshake, carried: { token: signedIn.token } };
}

/** Whether a text has the form of a one-time code: base64url of 32 bytes (RFC 4648 §5). */
export function isCode(text: string): boolean {
  return CODE.test(text);
}

/**
 * The stored hash of a one-time code. Codes have one length and no line break ({@link isCode}), so that two different
 * pairs of client and code never give the same text.
 */
export function hashOfCode(code: string, clientId?: string): Buffer {
  return sha256(clientId === undefined ? code : `${clientId}\n${code}`);
}
