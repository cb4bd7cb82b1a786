// Signing tokens (decision I1): RS256 keys that are made here, shared by all nodes through the database, and published at
// /.well-known/jwks.json. A key signs from its `signs_from` on and is published before and after that.
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import {
  type KeySource,
  TOKEN_ALGORITHM,
  TOKEN_AUDIENCE,
  TOKEN_ISSUER,
  type TokenClaims,
} from '#lib/auth/token-verifier.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { insertKey, lockKeys, readKeys, type SigningKeyRow } from './store.ts';

const MODULUS_BITS = 2048;

interface UsableKey {
  readonly keyId: string;
  readonly key: CryptoKey;
  readonly signsFrom: number;
}

export interface SigningKeys extends KeySource {
  /** Makes the first key when there is none; of several nodes one does. */
  ensure(): Promise<void>;
  /** Reads the keys anew; call it at start and every half minute, well before a new key begins to sign. */
  refresh(): Promise<void>;
  /** A signed token. @throws ServiceError `unavailable` before the keys are read */
  sign(claims: TokenClaims): Promise<string>;
}

export function createSigningKeys(deps: { database: Database; clock: Clock }): SigningKeys {
  const { database, clock } = deps;
  let usable: readonly UsableKey[] = [];
  const readNow = () => readKeys(database, new Date(clock.now()));

  async function ensure(): Promise<void> {
    if ((await readNow()).length > 0) return;
    const made = await makeKey(clock.now());
    await database.transaction(async (tx) => {
      await lockKeys(tx);
      if ((await readKeys(tx, new Date(clock.now()))).length === 0) await insertKey(tx, made, new Date(clock.now()));
    });
  }

  async function refresh(): Promise<void> {
    const known = new Map(usable.map((key) => [key.keyId, key]));
    usable = await Promise.all((await readNow()).map((row) => known.get(row.key_id) ?? toUsable(row)));
  }

  async function sign(claims: TokenClaims): Promise<string> {
    const now = clock.now();
    const key = usable.findLast(({ signsFrom }) => signsFrom <= now);
    if (key === undefined) throw new ServiceError('unavailable', 'The signing keys are not loaded yet');
    return new SignJWT({ user_type: claims.userType })
      .setProtectedHeader({ alg: TOKEN_ALGORITHM, kid: key.keyId, typ: 'JWT' })
      .setIssuer(TOKEN_ISSUER)
      .setAudience(TOKEN_AUDIENCE)
      .setSubject(claims.userGuid)
      .setJti(claims.tokenId)
      .setIssuedAt(claims.issuedAt)
      .setNotBefore(claims.issuedAt)
      .setExpirationTime(claims.expiresAt)
      .sign(key.key);
  }

  return { ensure, refresh, sign, load: async () => ({ keys: (await readNow()).map((row) => row.public_jwk) }) };
}

async function makeKey(now: number): Promise<SigningKeyRow> {
  const { publicKey, privateKey } = await generateKeyPair(TOKEN_ALGORITHM, {
    modulusLength: MODULUS_BITS,
    extractable: true,
  });
  const publicPart = await exportJWK(publicKey);
  const keyId = await calculateJwkThumbprint(publicPart);
  const common: JWK = { kid: keyId, alg: TOKEN_ALGORITHM, use: 'sig' };
  return {
    key_id: keyId,
    public_jwk: { ...publicPart, ...common },
    private_jwk: { ...(await exportJWK(privateKey)), ...common },
    signs_from: new Date(now),
  };
}

async function toUsable(row: SigningKeyRow): Promise<UsableKey> {
  const key = await importJWK(row.private_jwk, TOKEN_ALGORITHM);
  if (key instanceof Uint8Array) throw new TypeError(`The signing key ${row.key_id} is no RSA key`);
  return { keyId: row.key_id, key, signsFrom: row.signs_from.getTime() };
}
