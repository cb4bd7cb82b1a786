// Issues tokens (decision I1): signs them, stores them so that they can be revoked, and audits them, in the caller's
// transaction.
import type { Audit } from '#lib/audit/audit.ts';
import type { AuditEntry } from '#lib/audit/audit-event.ts';
import { type AccessBlob, principalOfBlob } from '#lib/auth/access-blob.ts';
import { wrongCredentials } from '#lib/auth/login-failures.ts';
import { TOKEN_AUDIENCE, type TokenClaims } from '#lib/auth/token-verifier.ts';
import type { Clock } from '#lib/clock.ts';
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { newGuid } from '#lib/guid.ts';
import { currentTenant } from '#lib/tenants/current-tenant.ts';
import type { Origin, SignInPlace } from '../actor.ts';
import type { BrowserSession, BrowserSessions } from '../browser-sessions/service.ts';
import type { Revocations } from '../revocations/service.ts';
import type { PasswordChangeReason } from '../shared/credentials.ts';
import type { IssuedToken } from '../shared/issued-token.ts';
import type { SigningKeys } from '../signing-keys/service.ts';
import type { Memberships } from '../tenants/service.ts';
import type { Users } from '../users/service.ts';

export interface SignedIn {
  readonly token: string;
  readonly userGuid: string;
  readonly mustChangePassword: boolean;
  /** Why the password must be changed, where it is known. */
  readonly passwordChangeReason?: PasswordChangeReason;
  readonly mustSetUpSecondFactor: boolean;
}

/** `event` is the audit event under which the token is recorded. */
export interface TokenGrant {
  readonly userGuid: string;
  readonly event: string;
  readonly origin: Origin;
  /** Where the user signed in, when the token is handed out elsewhere. */
  readonly from?: SignInPlace;
  /** The hash of the one-time code that is exchanged for the token. */
  readonly codeHash?: Buffer;
  /** The browser session that it belongs to, and where the sign-in led. */
  readonly session?: (BrowserSession & { readonly destination: string }) | undefined;
  /** The client that exchanges the code, and the audience of its tokens. Undefined when the sign-in named none. */
  readonly client?: { readonly clientId: string; readonly audience: string } | undefined;
}

export interface TokenIssuerDeps {
  readonly clock: Clock;
  readonly users: Users;
  readonly keys: SigningKeys;
  readonly revocations: Revocations;
  readonly audit: Audit;
  readonly browserSessions: Pick<BrowserSessions, 'attach'>;
  readonly tokenTtlSeconds: number;
  readonly memberships: Pick<Memberships, 'require' | 'shownName'>;
}

/** A signed token, and what is to be stored with it. The token is not valid before it is stored. */
export interface PreparedToken {
  readonly signedIn: SignedIn;
  readonly issued: IssuedToken;
  readonly entry: AuditEntry;
}

export interface TokenIssuer {
  /**
   * For the tenant at whose address the request is.
   * @throws ServiceError `authentication_failed` when the user is gone, `forbidden` for one who may not use the tenant,
   * `unavailable` when no key can sign
   */
  prepare(db: Queryable, grant: TokenGrant): Promise<PreparedToken>;
  /** Prepares and stores. @throws ServiceError as `prepare` */
  issue(tx: Transaction, grant: TokenGrant): Promise<SignedIn>;
}

export function createTokenIssuer(deps: TokenIssuerDeps): TokenIssuer {
  const { clock, users, keys, revocations, audit, browserSessions, tokenTtlSeconds, memberships } = deps;

  /** A token does not outlive its session. In seconds. */
  function expiryOf(issuedAt: number, { session }: TokenGrant): number {
    const expiry = issuedAt + tokenTtlSeconds;
    return session === undefined ? expiry : Math.min(expiry, Math.floor(session.endsAt.getTime() / 1000));
  }

  async function prepare(db: Queryable, grant: TokenGrant): Promise<PreparedToken> {
    const { userGuid, event, origin, from, client } = grant;
    const tokenId = newGuid(clock.now());
    const blob = await users.readAccessBlob(db, userGuid, tokenId);
    if (blob === undefined) throw wrongCredentials();
    const tenant = currentTenant();
    await memberships.require(db, userGuid, tenant);
    const issuedAt = Math.floor(clock.now() / 1000);
    const audience = client?.audience ?? TOKEN_AUDIENCE;
    const expiresAt = expiryOf(issuedAt, grant);
    const claims = claimsOf(blob, {
      tokenId,
      audience,
      issuedAt,
      expiresAt,
      ...(tenant === undefined ? {} : { tenant }),
    });
    const { token, keyId } = await keys.sign(claims);
    const times = { issuedAt: new Date(claims.issuedAt * 1000), expiresAt: new Date(claims.expiresAt * 1000) };
    const { address, userAgent } = from ?? origin;
    const principal = principalOfBlob(blob, tokenId);
    const { mustChangePassword, mustSetUpSecondFactor = false } = principal;
    return {
      signedIn: { token, userGuid, mustChangePassword, mustSetUpSecondFactor },
      issued: { tokenId, userGuid, keyId, ...times, address, userAgent, tenant: memberships.shownName(tenant) ?? null },
      entry: { action: 'E', event, principal, subjectGuid: userGuid, ...detailOf(client, tenant), ...origin },
    };
  }

  return {
    prepare,
    async issue(tx, request) {
      const { signedIn, issued, entry } = await prepare(tx, request);
      await revocations.recordIssued(tx, issued);
      const { codeHash, client, session } = request;
      if (session !== undefined) await browserSessions.attach(tx, { tokenId: issued.tokenId, ...session });
      if (codeHash !== undefined) {
        await revocations.exchanged(tx, issued.tokenId, { codeHash, clientId: client?.clientId });
      }
      await audit.record(tx, entry);
      return signedIn;
    },
  };
}

function detailOf(client: TokenGrant['client'], tenant: string | undefined): { detail?: string } {
  const details = [
    ...(client === undefined ? [] : [`client ${client.clientId}`]),
    ...(tenant === undefined ? [] : [`tenant ${tenant}`]),
  ];
  return details.length === 0 ? {} : { detail: details.join('; ') };
}

function claimsOf(blob: AccessBlob, token: Omit<TokenClaims, 'userGuid' | 'userType'>): TokenClaims {
  return { ...token, userGuid: blob.user_guid, userType: blob.user_type };
}
