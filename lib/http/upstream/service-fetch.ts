// Calls from one service to another. One fetch-shaped interface has two transports, the network and, in the same
// process, `app.inject`; client and JSON are the same. Network calls have a time limit. A service that cannot be
// reached is `upstream_unavailable`.
import { ServiceError } from '../../errors.ts';
import { parseInSlices } from '../../jobs/sliced-json.ts';
import { beginStep, errorType } from '../../traces/steps.ts';
import { traceHeaders } from '../../traces/trace-context.ts';
import type { HttpApp } from '../http-app.ts';
import { requirePlainPath } from '../plain-path.ts';
import type { Upstream } from './upstream.ts';

export interface ServiceRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** The body as text that is JSON already. */
  readonly jsonText?: string;
  readonly signal?: AbortSignal;
  /** The largest response body, decompressed, where the call needs more than {@link MAX_RESPONSE_BYTES}. */
  readonly maxBytes?: number;
}

export interface ServiceResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body's text. */
  readonly text: string;
}

/**
 * `path` begins with a slash.
 * @throws ServiceError `upstream_unavailable`; `not_found` for a path with more than one meaning
 */
export type ServiceFetch = (path: string, request?: ServiceRequest) => Promise<ServiceResponse>;

const TIMEOUT_MS = 5_000;
/** The largest response body, decompressed. Services exchange short responses; a call that needs more says so. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

/** Passes the trace of the current request on, and records the call where that request is recorded. */
function traced(send: ServiceFetch): ServiceFetch {
  return async (path, request = {}) => {
    const { method = 'GET' } = request;
    const span = beginStep({ name: method, kind: 'client', attributes: { 'http.request.method': method } });
    try {
      const response = await send(path, { ...request, headers: { ...traceHeaders(span), ...request.headers } });
      const { status } = response;
      span?.end({
        attributes: { 'http.response.status_code': status },
        error: status >= 400 ? String(status) : undefined,
      });
      return response;
    } catch (error) {
      span?.end({ error: errorType(error) });
      throw error;
    }
  };
}

/** Calls over the network; `baseUrl` has no trailing slash. */
export function networkFetch(baseUrl: string): ServiceFetch {
  return traced(async (path, request = {}) => {
    requirePlainPath(path);
    try {
      const response = await fetch(baseUrl + path, {
        method: request.method ?? 'GET',
        headers: headersOf(request),
        signal: signalOf(request),
        redirect: 'error',
        body: bodyOf(request),
      });
      const text = await readText(response, request);
      return { status: response.status, headers: Object.fromEntries(response.headers), text };
    } catch (error) {
      throw unreachablePeer(error);
    }
  });
}

/** Calls any node of a service that can respond; `prefix` is put before every path. */
export function nodesFetch({ pool, ...upstream }: Pick<Upstream, 'pool' | 'prefix'>, prefix = ''): ServiceFetch {
  return traced(async (path, request = {}) => {
    requirePlainPath(path);
    const { method = 'GET' } = request;
    try {
      const answer = await pool.send({
        method,
        path: upstream.prefix + prefix + path,
        headers: headersOf(request),
        body: bodyOf(request),
        signal: signalOf(request),
      });
      const headers = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
      return { status: answer.statusCode, headers: Object.fromEntries(headers), text: await readText(answer, request) };
    } catch (error) {
      throw unreachablePeer(error);
    }
  });
}

/** Reads the body as text. @throws ServiceError `upstream_error` for one that is too large when decompressed */
async function readText(
  { body }: { readonly body: AsyncIterable<Uint8Array> | null },
  { maxBytes = MAX_RESPONSE_BYTES }: ServiceRequest,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw tooLong(maxBytes);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** Calls an application of the same process, which may be created after its callers. */
export function injectFetch(app: () => HttpApp | undefined): ServiceFetch {
  return traced(async (path, request = {}) => {
    requirePlainPath(path);
    const target = app();
    if (target === undefined) {
      throw new ServiceError('upstream_unavailable', 'A service that this one needs has not started yet');
    }
    const response = await target.inject({
      method: request.method ?? 'GET',
      url: path,
      headers: headersOf(request),
      ...payloadOf(request),
    });
    const { maxBytes = MAX_RESPONSE_BYTES } = request;
    if (response.rawPayload.length > maxBytes) throw tooLong(maxBytes);
    const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
    return { status: response.statusCode, headers: Object.fromEntries(headers), text: response.payload };
  });
}

/**
 * Checks the status.
 * @throws ServiceError `upstream_unavailable` for an unexpected 5xx or 429, `upstream_error` for any other status
 */
export function expectStatus({ status }: ServiceResponse, ...statuses: readonly number[]): void {
  if (statuses.includes(status)) return;
  const code = status >= 500 || status === 429 ? 'upstream_unavailable' : 'upstream_error';
  throw new ServiceError(code, `A service that this one needs answered ${status}`);
}

/**
 * The JSON of a response with an expected status; a long one is parsed in slices.
 * @throws ServiceError as {@link expectStatus}
 */
export async function expectJson(response: ServiceResponse, ...statuses: readonly number[]): Promise<unknown> {
  expectStatus(response, ...statuses);
  try {
    return response.text === '' ? undefined : await parseInSlices(response.text);
  } catch {
    // The parser's error quotes the body, which must not be logged.
    throw new ServiceError('upstream_error', 'A service that this one needs answered no JSON');
  }
}

function tooLong(maxBytes: number): ServiceError {
  return new ServiceError('upstream_error', `A service that this one needs answered more than ${maxBytes} bytes`);
}

function bodyOf({ json, jsonText }: ServiceRequest): string | null {
  return jsonText ?? (json === undefined ? null : JSON.stringify(json));
}

function payloadOf(request: ServiceRequest): { readonly payload?: string } {
  const payload = bodyOf(request);
  return payload === null ? {} : { payload };
}

function unreachablePeer(cause: unknown): ServiceError {
  if (cause instanceof ServiceError) return cause;
  return new ServiceError('upstream_unavailable', 'A service that this one needs cannot be reached', { cause });
}

function signalOf({ signal }: ServiceRequest): AbortSignal {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  return signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
}

function headersOf(request: ServiceRequest): Record<string, string> {
  return {
    ...(request.json === undefined && request.jsonText === undefined ? {} : { 'content-type': 'application/json' }),
    ...request.headers,
  };
}
