// Standard Webhooks 1.0.0 signatures (standardwebhooks.com; decision D8): what dispatch puts on a webhook and the engine's
// inbox demands of one.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const TOLERANCE_SECONDS = 5 * 60;

export interface WebhookHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

export type WebhookVerdict = 'valid' | 'missing_header' | 'bad_timestamp' | 'bad_signature';

/** A new secret: `whsec_` and 32 random bytes in base64. */
export function newWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * The three headers of one attempt. `id` is the same on every attempt (the receiver's idempotency key), `timestampSeconds`
 * is the attempt's own; one signature is made for each secret, the newest first (two while a secret is rotated).
 */
export function signWebhook(
  message: { id: string; timestampSeconds: number; body: string | Uint8Array },
  secrets: readonly string[],
): WebhookHeaders {
  const signatures = secrets.map((secret) => `v1,${signatureOf(message, secret).toString('base64')}`);
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestampSeconds),
    'webhook-signature': signatures.join(' '),
  };
}

/**
 * Judges a received webhook over its raw bytes. A message is valid when any of its signatures was made with any of the
 * secrets and its timestamp is within five minutes of `nowSeconds`.
 */
export function verifyWebhook(
  received: { headers: Readonly<Record<string, string | string[] | undefined>>; body: string | Uint8Array },
  secrets: readonly string[],
  nowSeconds: number,
): WebhookVerdict {
  const id = received.headers['webhook-id'];
  const timestamp = received.headers['webhook-timestamp'];
  const signatures = received.headers['webhook-signature'];
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string')
    return 'missing_header';
  const timestampSeconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(nowSeconds - timestampSeconds) <= TOLERANCE_SECONDS)) return 'bad_timestamp';
  const expected = secrets.map((secret) => signatureOf({ id, timestampSeconds, body: received.body }, secret));
  const isSigned = signatures.split(' ').some((entry) => {
    const given = entry.startsWith('v1,') ? Buffer.from(entry.slice(3), 'base64') : Buffer.alloc(0);
    return expected.some((mac) => mac.length === given.length && timingSafeEqual(mac, given));
  });
  return isSigned ? 'valid' : 'bad_signature';
}

function signatureOf(
  message: { id: string; timestampSeconds: number; body: string | Uint8Array },
  secret: string,
): Buffer {
  const key = Buffer.from(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret, 'base64');
  return createHmac('sha256', key).update(`${message.id}.${message.timestampSeconds}.`).update(message.body).digest();
}
