// Makes one HTTP call to an external server, with limits of time and size and without redirects. It reads the whole
// response.
import { type Dispatcher, request } from 'undici';
import { networkFailureOf } from '#lib/net/failure-class.ts';
import type { UpstreamProblem } from './upstream-error.ts';

export interface UpstreamCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly timeoutMs: number;
  /** The largest body of a successful response, in bytes. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export interface UpstreamResponse {
  readonly status: number;
  /** Headers with lower-case names; the first of repeated ones. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The reason why there is no response. */
export class CallFailed extends Error {
  readonly problem: UpstreamProblem;

  constructor(problem: UpstreamProblem) {
    super(problem.reason);
    this.problem = problem;
  }
}

/** The largest body of an error response. */
const FAILURE_BYTES = 256 * 1024;

/** @throws CallFailed; the signal's reason when the caller aborted it */
export async function callUpstream(dispatcher: Dispatcher, call: UpstreamCall): Promise<UpstreamResponse> {
  const { method, url, headers, body, timeoutMs, signal } = call;
  const timeout = AbortSignal.timeout(timeoutMs);
  const limit = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
  try {
    const response = await request(url, {
      dispatcher,
      method,
      headers: { accept: 'application/fhir+json', 'accept-encoding': 'identity', 'user-agent': 'Kedja/1', ...headers },
      signal: limit,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      ...(body === undefined ? {} : { body }),
    });
    const isSuccess = response.statusCode < 300;
    const read = await readBody(response.body, isSuccess ? call.maxBytes : Math.min(call.maxBytes, FAILURE_BYTES));
    if (read === undefined && isSuccess) throw new CallFailed({ reason: 'too_large', status: response.statusCode });
    return {
      status: response.statusCode,
      headers: headersOf(response.headers),
      body: read ?? Buffer.alloc(0),
    };
  } catch (error) {
    if (error instanceof CallFailed) throw error;
    signal?.throwIfAborted();
    throw new CallFailed({ reason: timeout.aborted ? 'timeout' : networkFailureOf(error) });
  }
}

/** Reads the whole body; undefined when it is larger than the limit, and then the connection is closed. */
async function readBody(body: Dispatcher.ResponseData['body'], limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function headersOf(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const first = Array.isArray(value) ? value[0] : value;
      return first === undefined ? [] : [[name.toLowerCase(), first]];
    }),
  );
}
