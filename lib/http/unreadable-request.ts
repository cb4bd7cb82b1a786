// Responses to data that is not valid HTTP (decision G2). Node.js passes the bare socket, because there is no request.
import type { Socket } from 'node:net';
import { UNSTORED_HEADERS } from './response/response-headers.ts';
import { statusText } from './response/status-text.ts';

const KNOWN_ERRORS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are larger than this service accepts'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions are larger than this service accepts'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time'],
};

/** Fastify's `clientErrorHandler`: sends the reason in our error format and closes the connection. */
export function respondToUnreadable(error: Error & { code?: string }, socket: Socket): void {
  // The client has disconnected.
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const [status, message] = KNOWN_ERRORS[error.code ?? ''] ?? [400, 'The request is no valid HTTP'];
  const body = JSON.stringify({ error: 'invalid_request', message });
  const head = [
    `HTTP/1.1 ${status} ${statusText(status)}`,
    'connection: close',
    ...UNSTORED_HEADERS.map(([name, value]) => `${name}: ${value}`),
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroySoon();
}
