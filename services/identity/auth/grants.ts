// Grants what a completed sign-in receives, in the caller's transaction: a token, or a one-time code when the handshake
// asks for it (contract: identity, Auth; decision I3).
import { createHash, randomBytes } from 'node:crypto';
import type { Audit } from '#lib/audit/audit.ts';
import { principalOfBlob } from '#lib/auth/access-blob.ts';
import type { Clock } from '#lib/clock.ts';
import type { Transaction } from '#lib/db/database.ts';
import type { Origin } from '../actor.ts';
import type { Clients } from '../clients/service.ts';
import { invalidRedirect } from '../shared/journey.ts';
import type { Users } from '../users/service.ts';
import type { Handshake } from './second-step/challenges.ts';
import * as store from './store.ts';
import type { SignedIn, TokenIssuer } from './token-issuer.ts';

const CODE_BYTES = 32;
const CODE = /^[A-Za-z0-9_-]{43}$/;
const CODE_LIFETIME_MS = 60_000;
export const SIGN_IN = 'user.sign-in';

export type Granted =
  | { readonly kind: 'direct'; readonly signedIn: SignedIn }
  | {
      readonly kind: 'handshake';
      readonly handshake: Handshake;
      readonly carried: { token: string } | { code: string };
    };

export interface GrantRequest {
  readonly userGuid: string;
  readonly handshake: Handshake | undefined;
  readonly origin: Origin;
}

export type Grant = (tx: Transaction, request: GrantRequest) => Promise<Granted>;

export interface GrantDeps {
  readonly clock: Clock;
  readonly users: Users;
  readonly audit: Audit;
  readonly tokens: TokenIssuer;
  readonly clients: Pick<Clients, 'lockAudience'>;
}

export function createGrant({ clock, users, audit, tokens, clients }: GrantDeps): Grant {
  return async (tx, { userGuid, handshake, origin }) => {
    if (handshake?.mode !== 'code') {
      const signedIn = await tokens.issue(tx, { userGuid, event: SIGN_IN, origin });
      return grantedToken(signedIn, handshake);
    }
    const code = randomBytes(CODE_BYTES).toString('base64url');
    const expiresAt = new Date(clock.now() + CODE_LIFETIME_MS);
    const { next, codeChallenge, clientId } = handshake;
    // The database decides: the client may have been disabled since the sign-in began.
    if (clientId !== undefined && (await clients.lockAudience(tx, clientId)) === undefined) throw invalidRedirect();
    const bound = { next, codeChallenge, clientId };
    await store.insertCode(tx, { hash: hashOfCode(code, clientId), userGuid, ...bound, expiresAt, from: origin });
    const blob = await users.readAccessBlob(tx, userGuid, null);
    const principal = blob && principalOfBlob(blob);
    const touched = {
      subjectGuid: userGuid,
      detail: clientId === undefined ? 'for a code' : `for a code of client ${clientId}`,
    };
    await audit.record(tx, { action: 'E', event: SIGN_IN, principal, ...touched, ...origin });
    return { kind: 'handshake', handshake, carried: { code } };
  };
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
  return createHash('sha256')
    .update(clientId === undefined ? code : `${clientId}\n${code}`)
    .digest();
}
