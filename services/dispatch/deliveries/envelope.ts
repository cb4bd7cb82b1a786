// The body of a webhook (decision D8). It is stored as text with two placeholders for the receipt token and the bundle
// (docs/adr/0006): control characters, which JSON text cannot contain. Filled in, it has the same bytes in every
// attempt.
import { createHash } from 'node:crypto';
import { createSlices } from '#lib/jobs/slices.ts';
import { piecesOf } from '#lib/jobs/text-pieces.ts';

const TOKEN_MARK = '\u0001';
const BUNDLE_MARK = '\u0002';

export const WEBHOOK_TYPES = ['request.dispatched', 'request.withdrawn', 'request.revoked', 'ping'] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

export interface EnvelopeFilling {
  readonly token?: string;
  /** JSON text. */
  readonly bundle?: string;
}

/** The addresses at which a provider responds; `baseUrl` includes `/api/v1` and ends without slash. */
interface AnswerUrls {
  readonly respondUrl: string;
  readonly statusUrl: string;
}

function answerUrls(baseUrl: string, requestGuid: string, token: string): AnswerUrls {
  return {
    respondUrl: `${baseUrl}/ServiceRequest/receipt/${token}/respond`,
    statusUrl: `${baseUrl}/requests/${requestGuid}/status`,
  };
}

export function dispatchedEnvelope(baseUrl: string, requestGuid: string, at: number): string {
  const { respondUrl, statusUrl } = answerUrls(baseUrl, requestGuid, TOKEN_MARK);
  return envelope('request.dispatched', at, {
    request_guid: requestGuid,
    receipt_token: TOKEN_MARK,
    respond_url: respondUrl,
    status_url: statusUrl,
    bundle: BUNDLE_MARK,
  });
}

/** Notifies a provider that it need not respond or work any more; it has no data about the patient. */
export function closedEnvelope(
  type: 'request.withdrawn' | 'request.revoked',
  requestGuid: string,
  reason: string,
  at: number,
): string {
  return envelope(type, at, { request_guid: requestGuid, reason });
}

export function pingEnvelope(providerGuid: string, at: number): string {
  return envelope('ping', at, { provider_guid: providerGuid });
}

/** The body as it is sent. */
export interface Body {
  /** Its bytes in order; no piece ends within a character. */
  readonly pieces: readonly Buffer[];
  readonly length: number;
  readonly sha256: Buffer;
}

/** Fills in the placeholders. A long body is built in slices of the event loop. */
export async function fillEnvelope(text: string, filling: EnvelopeFilling): Promise<Body> {
  const [head = '', tail] = text.split(BUNDLE_MARK, 2);
  const fill = (part: string) => part.replaceAll(TOKEN_MARK, () => filling.token ?? '');
  const texts = tail === undefined ? [fill(head)] : joinedIfShort([fill(head), filling.bundle ?? 'null', fill(tail)]);
  const hash = createHash('sha256');
  const pieces: Buffer[] = [];
  const slices = createSlices();
  for (const each of texts) {
    for (const piece of piecesOf(each)) {
      const bytes = Buffer.from(piece);
      hash.update(bytes);
      pieces.push(bytes);
      await slices.rest();
    }
  }
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return { pieces, length, sha256: hash.digest() };
}

/** UTF-16 units. */
const SHORT = 64 * 1024;

/** Joins a short body, as most are, into one piece. */
function joinedIfShort(texts: readonly string[]): readonly string[] {
  return texts.reduce((sum, text) => sum + text.length, 0) <= SHORT ? [texts.join('')] : texts;
}

/** JSON.stringify escapes the placeholders. They are put back as raw characters, which it never writes itself. */
function envelope(type: WebhookType, at: number, data: Readonly<Record<string, string>>): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data })
    .replaceAll('"\\u0002"', BUNDLE_MARK)
    .replaceAll('\\u0001', TOKEN_MARK);
}
