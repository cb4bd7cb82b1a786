// When a request may be sent to another node (RFC 9110 §9.2.2, RFC 9113 §8.7): it was not processed, or processing it
// twice does no harm.
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { DRAINING_HEADER } from '../closing.ts';
import { UNPROCESSED_HEADER } from '../serving-gate.ts';

/** Failures before anything of the request was sent. */
const NOT_CONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Failures of a connection on which the request may have arrived. */
const CUT_OFF: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

export type Failure = 'not-connected' | 'cut-off' | 'other';

export function failureOf(error: unknown): Failure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  // Where a name has several addresses, each of them failed.
  if (error instanceof AggregateError && error.errors.every((each) => failureOf(each) === 'not-connected'))
    return 'not-connected';
  if (NOT_CONNECTED.has(code)) return 'not-connected';
  return CUT_OFF.has(code) ? 'cut-off' : 'other';
}

type Sent = Pick<Dispatcher.RequestOptions, 'method' | 'path' | 'headers'>;

/**
 * Whether the request may be processed twice: it only reads, or it replaces or removes what it names, or it carries an
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
      // The second time the version that is named would not be the current one any more.
      return !mayHold(headers, 'if-match') && !mayHold(headers, 'if-none-match');
    case 'POST':
      return holds(headers, 'idempotency-key') || /\/_search(?:\?|$)/.test(path);
    default:
      return false;
  }
}

function holds(headers: Sent['headers'], name: string): boolean {
  return isPlain(headers) && headers[name] !== undefined;
}

/** Headers in another form than names with values are not searched. */
function mayHold(headers: Sent['headers'], name: string): boolean {
  return headers !== null && headers !== undefined && (!isPlain(headers) || headers[name] !== undefined);
}

function isPlain(headers: Sent['headers']): headers is IncomingHttpHeaders {
  return typeof headers === 'object' && headers !== null && !Array.isArray(headers) && !(Symbol.iterator in headers);
}

interface Head {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
}

/** Whether the node has said that it is stopping. */
export function isDraining({ headers }: Pick<Head, 'headers'>): boolean {
  return headers[DRAINING_HEADER] !== undefined;
}

/** Whether the node has said that it did nothing with the request. */
export function isUnprocessed({ statusCode, headers }: Head): boolean {
  return statusCode === 503 && headers[UNPROCESSED_HEADER] !== undefined;
}
