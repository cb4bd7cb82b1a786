// Standard Webhooks 1.0.0 signatures (standardwebhooks.com; decision D8): dispatch signs webhooks, and the engine's
// inbox verifies them.
import { createHmac, type Hmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createSlices } from '../jobs/slices.ts';

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
 * The three headers of one attempt. `id` is the same on every attempt (the receiver's idempotency key),
 * `timestampSeconds` is that of the attempt. Each secret makes one signature, the newest first (two while a secret is
 * rotated).
 */
export function signWebhook(
  message: { id: string; timestampSeconds: number; body: string | Uint8Array },
  secrets: readonly string[],
): WebhookHeaders {
  return headersOf(
    message,
    secrets.map((secret) => signatureOf(message, secret)),
  );
}

/** The same for a body of any length in pieces, processed in slices. */
export async function signLongWebhook(
  message: { id: string; timestampSeconds: number; body: readonly Uint8Array[] },
  secrets: readonly string[],
): Promise<WebhookHeaders> {
  return headersOf(message, await signaturesInSlices(message, secrets));
}

function headersOf(message: { id: string; timestampSeconds: number }, macs: readonly Buffer[]): WebhookHeaders {
  const signatures = macs.map((mac) => VERSION + mac.toString('base64'));
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestampSeconds),
    'webhook-signature': signatures.join(' '),
  };
}

/**
 * Checks the headers of a webhook before its body arrives: the timestamp, and the form of the signature.
 */
export function verifyWebhookHeaders(
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
 * Verifies a received webhook over its raw bytes. A message is valid when any of its signatures was made with any of
 * the secrets and its timestamp is within five minutes of `nowSeconds`.
 */
export function verifyWebhook(
  received: { headers: Readonly<Record<string, string | string[] | undefined>>; body: string | Uint8Array },
  secrets: readonly string[],
  nowSeconds: number,
): WebhookVerdict {
  const verdict = verifyWebhookHeaders(received.headers, nowSeconds);
  if (verdict !== 'valid') return verdict;
  const { body } = received;
  return checkSignatures(
    received,
    secrets.map((secret) => signatureOf({ ...signedBy(received), body }, secret)),
  );
}

/** The same for a body of any length, processed in slices. */
export async function verifyLongWebhook(
  received: { headers: Readonly<Record<string, string | string[] | undefined>>; body: Uint8Array },
  secrets: readonly string[],
  nowSeconds: number,
): Promise<WebhookVerdict> {
  const verdict = verifyWebhookHeaders(received.headers, nowSeconds);
  if (verdict !== 'valid') return verdict;
  return checkSignatures(received, await signaturesInSlices({ ...signedBy(received), body: [received.body] }, secrets));
}

type Headed = { readonly headers: Readonly<Record<string, string | string[] | undefined>> };

function signedBy({ headers }: Headed): { id: string; timestampSeconds: number } {
  return { id: String(headers['webhook-id']), timestampSeconds: Number(headers['webhook-timestamp']) };
}

function checkSignatures({ headers }: Headed, expected: readonly Buffer[]): WebhookVerdict {
  const entries = String(headers['webhook-signature']).split(' ');
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
  return begin(message, secret).update(message.body).digest();
}

/** Bytes of a slice. */
const PIECE = 1024 * 1024;

/** One for each secret. */
async function signaturesInSlices(
  message: { id: string; timestampSeconds: number; body: readonly Uint8Array[] },
  secrets: readonly string[],
): Promise<Buffer[]> {
  const macs = secrets.map((secret) => begin(message, secret));
  const slices = createSlices();
  for (const bytes of message.body) {
    for (let start = 0; start < bytes.length; start += PIECE) {
      const piece = bytes.subarray(start, start + PIECE);
      for (const mac of macs) mac.update(piece);
      await slices.rest();
    }
  }
  return macs.map((mac) => mac.digest());
}

function begin({ id, timestampSeconds }: { id: string; timestampSeconds: number }, secret: string): Hmac {
  const key = Buffer.from(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret, 'base64');
  return createHmac('sha256', key).update(`${id}.${timestampSeconds}.`);
}
