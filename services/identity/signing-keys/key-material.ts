// Creates signing keys and encrypts their private parts at rest (decision I1). The database or its backup alone is not
// enough to sign.
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { TOKEN_ALGORITHM } from '#lib/auth/token-verifier.ts';
import { type KeySet, MissingKeyError } from '#lib/secrets/key-set.ts';
import { createRotatingSealer } from '#lib/secrets/sealer.ts';
import type { NewKey, SigningKeyRow } from './store.ts';

const MODULUS_BITS = 2048;

export interface KeyMaterial {
  /** A new key, which signs from the given time on (milliseconds). */
  make(times: { now: number; signsFrom: number }): Promise<NewKey>;
  seal(keyId: string, privateJwk: JWK): Buffer;
  /** The key to sign with. @throws Error when it was sealed under another secret */
  open(row: Pick<SigningKeyRow, 'key_id' | 'private_sealed'>): Promise<CryptoKey>;
}

/** The cipher of private parts. */
export function signingKeyCipher(keys: KeySet) {
  return createRotatingSealer({ keys, purpose: 'signing-key', place: 'signing_key.private_sealed' });
}

/** `keys` are the sealing keys, shared by all nodes and not stored in the database. */
export function createKeyMaterial(keys: KeySet): KeyMaterial {
  const cipher = signingKeyCipher(keys);
  const seal = (keyId: string, privateJwk: JWK) => cipher.seal(JSON.stringify(privateJwk), keyId);
  return {
    seal,
    async make({ now, signsFrom }) {
      const options = { modulusLength: MODULUS_BITS, extractable: true };
      const { publicKey, privateKey } = await generateKeyPair(TOKEN_ALGORITHM, options);
      const publicPart = await exportJWK(publicKey);
      const keyId = await calculateJwkThumbprint(publicPart);
      return {
        key_id: keyId,
        public_jwk: { ...publicPart, kid: keyId, alg: TOKEN_ALGORITHM, use: 'sig' },
        private_sealed: seal(keyId, await exportJWK(privateKey)),
        created_at: new Date(now),
        signs_from: new Date(signsFrom),
      };
    },
    async open({ key_id: keyId, private_sealed: sealed }) {
      const key = await importJWK(JSON.parse(openSealed(sealed, keyId)), TOKEN_ALGORITHM);
      if (key instanceof Uint8Array) throw new TypeError(`The signing key ${keyId} is no RSA key`);
      return key;
    },
  };

  function openSealed(sealed: Buffer | null, keyId: string): string {
    if (sealed === null) throw new Error(`The signing key ${keyId} signs no more`);
    try {
      return cipher.open(sealed, keyId);
    } catch (cause) {
      if (cause instanceof MissingKeyError) throw cause;
      const hint = 'is keys/personnummer.key in KEDJA_DATA_DIR the one that all nodes of identity share?';
      throw new Error(`The signing key ${keyId} was sealed with another key: ${hint}`, { cause });
    }
  }
}
