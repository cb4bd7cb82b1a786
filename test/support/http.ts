// Plain HTTP for tests that play users of the whole system: JSON in, JSON out, and an unexpected status fails with the
// body.
import assert from 'node:assert/strict';

const PAUSE_MS = 20;

export interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly token?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The expected status; any 2xx when left out. */
  readonly expect?: number;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; tests reach into it freely. */
  // biome-ignore lint/suspicious/noExplicitAny: the assertions check what comes over the wire
  readonly body: any;
}

export async function call(url: string, options: CallOptions = {}): Promise<TestResponse> {
  const { token, apiKey, json, expect } = options;
  const method = options.method ?? (json === undefined ? 'GET' : 'POST');
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
      ...options.headers,
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  const isExpected = expect === undefined ? response.ok : response.status === expect;
  assert.ok(isExpected, `${method} ${url} answered ${response.status} instead of ${expect ?? '2xx'}: ${text}`);
  const isJson = (response.headers.get('content-type') ?? '').includes('json');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}

/**
 * Asks again after each pause (20 ms) until `check` returns a value, for what happens in another process. Fails with
 * `what` after the limit, and after as many checks as there are pauses in it: a busy machine delays the checks, too.
 */
export async function eventually<T>(
  what: string | (() => string),
  check: () => Promise<T | undefined>,
  limitMs = 20_000,
  pauseMs = PAUSE_MS,
): Promise<T> {
  const deadline = Date.now() + limitMs;
  for (let asked = 1; ; asked += 1) {
    const found = await check();
    if (found !== undefined) return found;
    const isTooLate = Date.now() >= deadline && asked * pauseMs >= limitMs;
    assert.ok(!isTooLate, `waited ${limitMs} ms in vain until ${typeof what === 'string' ? what : what()}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/**
 * The same with a limit of `withinMs`. It fails after as many checks as there are pauses in that time, because a busy
 * machine delays the checks too.
 */
export async function promptly<T>(
  what: string,
  check: () => Promise<T | undefined>,
  withinMs: number,
  pauseMs = PAUSE_MS,
): Promise<T> {
  for (let asked = 0; asked * pauseMs < withinMs; asked += 1) {
    const found = await check();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return assert.fail(`it took longer than ${withinMs} ms until ${what}`);
}
