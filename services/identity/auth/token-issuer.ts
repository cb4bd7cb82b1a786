// Issues tokens (decision I1): signed, on record so that they can be revoked, and audited, in the caller's transaction.
import type { Audit } from '#lib/audit/audit.ts';
import { type AccessBlob, principalOfBlob } from '#lib/auth/access-blob.ts';
import type { TokenClaims } from '#lib/auth/token-verifier.ts';
import type { Clock } from '#lib/clock.ts';
import type { Transaction } from '#lib/db/database.ts';
import { newGuid } from '#lib/guid.ts';
import type { Origin, SignInPlace } from '../actor.ts';
import type { Revocations } from '../revocations/service.ts';
import type { SigningKeys } from '../signing-keys/service.ts';
import type { Users } from '../users/service.ts';
import { wrongCredentials } from './credential-check.ts';

export interface SignedIn {
  readonly token: string;
  readonly userGuid: string;
  readonly mustChangePassword: boolean;
  readonly mustSetUpSecondFactor: boolean;
}

/** `event` names in the audit record what the token was issued for. */
export interface TokenGrant {
  readonly userGuid: string;
  readonly event: string;
  readonly origin: Origin;
  /** Where the person signed in, when that is not where the token is handed out. */
  readonly from?: SignInPlace;
}

export interface TokenIssuerDeps {
  readonly clock: Clock;
  readonly users: Users;
  readonly keys: SigningKeys;
  readonly revocations: Revocations;
  readonly audit: Audit;
  readonly tokenTtlSeconds: number;
}

export type TokenIssuer = (tx: Transaction, grant: TokenGrant) => Promise<SignedIn>;

export function createTokenIssuer(deps: TokenIssuerDeps): TokenIssuer {
  const { clock, users, keys, revocations, audit, tokenTtlSeconds } = deps;
  return async (tx, { userGuid, event, origin, from }) => {
    const tokenId = newGuid(clock.now());
    const blob = await users.readAccessBlob(tx, userGuid, tokenId);
    if (blob === undefined) throw wrongCredentials();
    const issuedAt = Math.floor(clock.now() / 1000);
    const claims = claimsOf(blob, { tokenId, issuedAt, expiresAt: issuedAt + tokenTtlSeconds });
    const { token, keyId } = await keys.sign(claims);
    const times = { issuedAt: new Date(claims.issuedAt * 1000), expiresAt: new Date(claims.expiresAt * 1000) };
    await revocations.recordIssued(tx, { tokenId, userGuid, keyId, ...times, ...(from ?? origin) });
    const principal = principalOfBlob(blob, tokenId);
    await audit.record(tx, { action: 'E', event, principal, subjectGuid: userGuid, ...origin });
    const { mustChangePassword, mustSetUpSecondFactor = false } = principal;
    return { token, userGuid, mustChangePassword, mustSetUpSecondFactor };
  };
}

function claimsOf(blob: AccessBlob, token: Omit<TokenClaims, 'userGuid' | 'userType'>): TokenClaims {
  return { ...token, userGuid: blob.user_guid, userType: blob.user_type };
}
