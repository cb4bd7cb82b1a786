// Standard Webhooks 1.0.0 signatures (standardwebhooks.com; decision D8): what dispatch puts on a webhook and the engine's
// inbox demands of one.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const TOLERANCE_SECONDS = 5 * 60;
const VERSION = 'v1,';
/** An HMAC-SHA256 in base64. */
const SIGNATURE = /^v1,[A-Za-z0-9+/]{43}=$/;

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

/** What can be said of a webhook before its body has come: whether it is in time, and has a signature that could be one. */
export function judgeWebhookHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  nowSeconds: number,
): WebhookVerdict {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string')
    return 'missing_header';
  const timestampSeconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(nowSeconds - timestampSeconds) <= TOLERANCE_SECONDS)) return 'bad_timestamp';
  return signatures.split(' ').some((entry) => SIGNATURE.test(entry)) ? 'valid' : 'bad_signature';
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
  const verdict = judgeWebhookHeaders(received.headers, nowSeconds);
  if (verdict !== 'valid') return verdict;
  const id = String(received.headers['webhook-id']);
  const timestampSeconds = Number(received.headers['webhook-timestamp']);
  const expected = secrets.map((secret) => signatureOf({ id, timestampSeconds, body: received.body }, secret));
  const entries = String(received.headers['webhook-signature']).split(' ');
  const isSigned = entries.some((entry) => {
    if (!SIGNATURE.test(entry)) return false;
    const given = Buffer.from(entry.slice(VERSION.length), 'base64');
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
