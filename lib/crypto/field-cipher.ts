// Single fields encrypted at rest, with a keyed index for look-ups and uniqueness. It uses AES-256-GCM (NIST SP
// 800-38D) and HMAC-SHA256, with keys derived from one secret by HKDF (RFC 5869).
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

export interface FieldCipher {
  /** Version, nonce, ciphertext and tag. `context` (such as the row's guid) must be the same when it is opened. */
  seal(text: string, context: string): Buffer;
  /** @throws Error when the value was altered, belongs to another context or was sealed with another key */
  open(sealed: Buffer, context: string): string;
  /** 32 bytes, equal for equal texts. Without the key they reveal nothing of the text. */
  index(text: string): Buffer;
}

/** `purpose` separates fields that share the secret. @throws Error for a secret of less than 32 bytes */
export function createFieldCipher(secret: Uint8Array, purpose: string): FieldCipher {
  if (secret.length < KEY_BYTES) throw new Error(`The secret for ${purpose} must have at least ${KEY_BYTES} bytes`);
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', secret, '', `${purpose} ${use}`, KEY_BYTES));
  const sealKey = derive('seal');
  const indexKey = derive('index');
  return {
    seal(text, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealKey, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.of(VERSION), nonce, body, cipher.getAuthTag()]);
    },
    open(sealed, context) {
      if (sealed[0] !== VERSION || sealed.length < 1 + NONCE_BYTES + TAG_BYTES) throw new Error('No sealed field');
      const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', sealKey, nonce, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(context))
        .setAuthTag(sealed.subarray(-TAG_BYTES));
      const body = sealed.subarray(1 + NONCE_BYTES, -TAG_BYTES);
      return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
    },
    index: (text) => createHmac('sha256', indexKey).update(text).digest(),
  };
}
