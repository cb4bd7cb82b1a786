// One call over the network to an address of an external server: limited in time and size, without redirects, its
// answer read whole.
import { type Dispatcher, request } from 'undici';
import { networkFailureOf } from '#lib/net/failure-class.ts';
import type { UpstreamProblem } from './upstream-error.ts';

export interface UpstreamCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly timeoutMs: number;
  /** Bytes that are read of an answer of success. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export interface UpstreamResponse {
  readonly status: number;
  /** Lower-case names; of repeated headers the first. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Why there is no answer. */
export class CallFailed extends Error {
  readonly problem: UpstreamProblem;

  constructor(problem: UpstreamProblem) {
    super(problem.reason);
    this.problem = problem;
  }
}

/** Of an answer of failure no more is read. */
const FAILURE_BYTES = 256 * 1024;

/** @throws CallFailed; the signal's reason when the caller ended it */
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

/** The whole body; undefined when it is larger than the limit, which costs it its connection. */
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
