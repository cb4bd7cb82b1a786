// Signs tokens (decision I1) with RS256 keys that all nodes share through the database; the public keys are at
// /.well-known/jwks.json. A key signs from its `signs_from` on and is published before and after that (./rotation.ts).
import { type CryptoKey, SignJWT } from 'jose';
import { type KeySource, TOKEN_ALGORITHM, TOKEN_ISSUER, type TokenClaims } from '#lib/auth/token-verifier.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import type { KeyMaterial } from './key-material.ts';
import { insertKey, lockKeys, readClearKeys, readKeys, type SigningKeyRow, sealKey } from './store.ts';

/** No node signs with an older list of keys, so that a key is known to all before it signs (./rotation.ts). */
const KEYS_FRESH_FOR_MS = 60_000;

interface UsableKey {
  readonly keyId: string;
  readonly key: CryptoKey;
  readonly signsFrom: number;
}

export interface SignedToken {
  readonly token: string;
  /** The id of the key that signed the token. */
  readonly keyId: string;
}

export interface SigningKeys extends KeySource {
  /**
   * Creates the first key when there is none, and encrypts private parts that an earlier version stored in the clear.
   * When several nodes start, one of them does it.
   */
  ensure(): Promise<void>;
  /** Reloads the keys; call it at start and every half minute. */
  refresh(): Promise<void>;
  /** Signs a token. @throws ServiceError `unavailable` when no key can sign now */
  sign(claims: TokenClaims): Promise<SignedToken>;
}

export function createSigningKeys(deps: { database: Database; clock: Clock; material: KeyMaterial }): SigningKeys {
  const { database, clock, material } = deps;
  let usable: readonly UsableKey[] = [];
  let readAt = Number.NEGATIVE_INFINITY;

  async function ensure(): Promise<void> {
    await database.transaction(async (tx) => {
      for (const row of await readClearKeys(tx)) {
        await sealKey(tx, row.key_id, material.seal(row.key_id, row.private_jwk));
      }
    });
    if ((await readKeys(database)).some(canSign)) return;
    const now = clock.now();
    const made = await material.make({ now, signsFrom: now });
    await database.transaction(async (tx) => {
      await lockKeys(tx);
      if (!(await readKeys(tx)).some(canSign)) await insertKey(tx, made);
    });
  }

  async function refresh(): Promise<void> {
    const startedAt = clock.now();
    const known = new Map(usable.map(({ keyId, key }) => [keyId, key]));
    const rows = (await readKeys(database)).filter(canSign);
    usable = await Promise.all(
      rows.map(async (row) => ({
        keyId: row.key_id,
        key: known.get(row.key_id) ?? (await material.open(row)),
        signsFrom: row.signs_from.getTime(),
      })),
    );
    readAt = startedAt;
  }

  async function sign(claims: TokenClaims): Promise<SignedToken> {
    if (clock.now() - readAt > KEYS_FRESH_FOR_MS) await refresh();
    const now = clock.now();
    const key = usable.findLast(({ signsFrom }) => signsFrom <= now);
    if (key === undefined) throw new ServiceError('unavailable', 'There is no key to sign with');
    const token = await new SignJWT({
      user_type: claims.userType,
      ...(claims.tenant === undefined ? {} : { tenant: claims.tenant }),
    })
      .setProtectedHeader({ alg: TOKEN_ALGORITHM, kid: key.keyId, typ: 'JWT' })
      .setIssuer(TOKEN_ISSUER)
      .setAudience(claims.audience)
      .setSubject(claims.userGuid)
      .setJti(claims.tokenId)
      .setIssuedAt(claims.issuedAt)
      .setNotBefore(claims.issuedAt)
      .setExpirationTime(claims.expiresAt)
      .sign(key.key);
    return { token, keyId: key.keyId };
  }

  return {
    ensure,
    refresh,
    sign,
    load: async () => ({ keys: (await readKeys(database)).map((row) => row.public_jwk) }),
  };
}

function canSign(row: SigningKeyRow): boolean {
  return row.private_sealed !== null;
}
