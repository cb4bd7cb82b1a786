// The stored response for repeated requests: status, the headers of the created resource, and the body.
import type { FastifyReply } from 'fastify';

interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const HEADERS = ['content-type', 'location', 'content-location', 'etag', 'last-modified'];
/** A larger body is not stored; its headers are, and say where the same can be read. */
const BODY_LIMIT_CHARACTERS = 10 * 1024 * 1024;

/** What `payload`, about to be sent, is stored as; undefined for a stream. */
export function serializeResponse(reply: FastifyReply, payload: unknown): string | undefined {
  const body = Buffer.isBuffer(payload) ? payload.toString() : (payload ?? '');
  if (typeof body !== 'string') return undefined;
  const headers = HEADERS.flatMap((name) => {
    const value = reply.getHeader(name);
    return value === undefined ? [] : [[name, String(value)] as const];
  });
  const stored: StoredResponse = {
    status: reply.statusCode,
    headers: Object.fromEntries(headers),
    body: body.length > BODY_LIMIT_CHARACTERS ? '' : body,
  };
  return JSON.stringify(stored);
}

/** Sends again what `serializeResponse` has made. */
export function replayResponse(reply: FastifyReply, described: string): void {
  const { status, headers, body } = JSON.parse(described) as StoredResponse;
  reply.code(status).headers(headers).header('idempotency-replayed', 'true');
  reply.serializer(String).send(body);
}
