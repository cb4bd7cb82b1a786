// Whether a request may be sent to another node (RFC 9110 §9.2.2, RFC 9113 §8.7): it was not processed, or processing
// it twice is safe.
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { DRAINING_HEADER } from '../closing.ts';
import { UNPROCESSED_HEADER } from '../serving-gate.ts';

/** Errors before anything of the request was sent. */
const NOT_CONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Errors of a connection on which the request may have arrived. */
const CUT_OFF: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

export type Failure = 'not-connected' | 'cut-off' | 'other';

export function failureOf(error: unknown): Failure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  // A name with several addresses: each of them failed.
  if (error instanceof AggregateError && error.errors.every((each) => failureOf(each) === 'not-connected'))
    return 'not-connected';
  if (NOT_CONNECTED.has(code)) return 'not-connected';
  return CUT_OFF.has(code) ? 'cut-off' : 'other';
}

type Sent = Pick<Dispatcher.RequestOptions, 'method' | 'path' | 'headers'>;

/**
 * Whether processing the request twice is safe: it only reads, it replaces or deletes what it names, or it carries an
 * Idempotency-Key.
 */
export function mayRepeat({ method, path, headers }: Sent): boolean {
  switch (method) {
    case 'GET':
    case 'HEAD':
    case 'OPTIONS':
      return true;
    case 'PUT':
    case 'DELETE':
      // The second time the named version would no longer be the current one.
      return !mayInclude(headers, 'if-match') && !mayInclude(headers, 'if-none-match');
    case 'POST':
      return holds(headers, 'idempotency-key') || /\/_search(?:\?|$)/.test(path);
    default:
      return false;
  }
}

function holds(headers: Sent['headers'], name: string): boolean {
  return isPlain(headers) && headers[name] !== undefined;
}

/** Headers in any other form than an object are not searched. */
function mayInclude(headers: Sent['headers'], name: string): boolean {
  return headers !== null && headers !== undefined && (!isPlain(headers) || headers[name] !== undefined);
}

function isPlain(headers: Sent['headers']): headers is IncomingHttpHeaders {
  return typeof headers === 'object' && headers !== null && !Array.isArray(headers) && !(Symbol.iterator in headers);
}

interface Head {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
}

/** Whether the response comes from a node that is stopping. */
export function isDraining({ headers }: Pick<Head, 'headers'>): boolean {
  return headers[DRAINING_HEADER] !== undefined;
}

/** Whether the node did not process the request at all. */
export function isUnprocessed({ statusCode, headers }: Head): boolean {
  return statusCode === 503 && headers[UNPROCESSED_HEADER] !== undefined;
}
