// Answers to what is not even HTTP (decision G2): Node.js hands the bare socket over, and no request exists yet.
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { UNSTORED_HEADERS } from './response/response-headers.ts';

const ANSWERS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are larger than this service accepts'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions are larger than this service accepts'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time'],
};

/** Fastify's `clientErrorHandler`: says in our form why the connection is closed, and closes it. */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  // Whoever has hung up hears nothing.
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const [status, message] = ANSWERS[error.code ?? ''] ?? [400, 'The request is no valid HTTP'];
  const body = JSON.stringify({ error: 'invalid_request', message });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'connection: close',
    ...UNSTORED_HEADERS.map(([name, value]) => `${name}: ${value}`),
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroySoon();
}
