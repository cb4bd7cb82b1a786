// Sends one webhook over the network (decision D8): one time limit, no redirects, and only the beginning of the
// response is read.
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { createSlices } from '#lib/jobs/slices.ts';
import { type NetworkFailure, networkFailureOf } from '#lib/net/failure-class.ts';
import type { Body } from './envelope.ts';

const ANSWER_BYTES = 1024;
const DRAIN_BYTES = 64 * 1024;
const ECHO_WINDOW = 48;
/** The length of a token's beginning that is removed; a shorter one is of no use to anyone. */
const TOKEN_START = 6;

export interface Message {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Pick<Body, 'pieces' | 'length'>;
  /** Must not appear in the stored part of the response. */
  readonly token: string | undefined;
}

export type FailureClass = NetworkFailure | 'interrupted' | 'key_missing' | 'body_differs';

export type AttemptResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfter: string | undefined;
      /** The first KiB as text. */
      readonly answer: string;
    }
  | { readonly kind: 'failed'; readonly error: FailureClass };

/** Sends the message; `signal` aborts it. Never rejects. */
export type Sender = (message: Message, signal: AbortSignal) => Promise<AttemptResult>;

export function createSender(options: { dispatcher: Dispatcher; timeoutMs: number }): Sender {
  const { dispatcher, timeoutMs } = options;
  const endWith = createEndings();
  const addressOf = createAddresses();
  return (message, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve({ kind: 'failed', error: 'interrupted' });
      const exchange = new Exchange((result) => {
        clearTimeout(timer);
        forget();
        resolve(withoutEcho(result, message));
      });
      const timer = setTimeout(() => exchange.end('timeout'), timeoutMs);
      const forget = endWith(signal, () => exchange.end('interrupted'));
      try {
        dispatcher.dispatch(
          {
            ...addressOf(message.url),
            method: 'POST',
            headers: {
              'content-type': 'application/json',
              'content-length': String(message.body.length),
              'user-agent': 'Kedja-Webhooks/1',
              ...message.headers,
            },
            body: bodyOf(message),
            // The only time limit is that of the whole attempt.
            headersTimeout: 0,
            bodyTimeout: 0,
          },
          exchange,
        );
      } catch (error) {
        exchange.onResponseError(undefined, error);
      }
    });
}

/** Bounds the memory; there are far fewer endpoints. */
const MAX_ADDRESSES = 10_000;

/** Parses each URL once. @throws TypeError for a text that is no URL */
function createAddresses(): (url: string) => { readonly origin: string; readonly path: string } {
  const parsed = new Map<string, { readonly origin: string; readonly path: string }>();
  return (url) => {
    const known = parsed.get(url);
    if (known !== undefined) return known;
    const { origin, pathname, search } = new URL(url);
    if (parsed.size >= MAX_ADDRESSES) parsed.clear();
    const address = { origin, path: `${pathname}${search}` };
    parsed.set(url, address);
    return address;
  };
}

/**
 * Runs callbacks when a signal is aborted, by one listener for all. Returns a function that adds one; that returns a
 * function that removes it.
 */
function createEndings(): (signal: AbortSignal, end: () => void) => () => void {
  const bySignal = new WeakMap<AbortSignal, Set<() => void>>();
  return (signal, end) => {
    let ends = bySignal.get(signal);
    if (ends === undefined) {
      const all = new Set<() => void>();
      signal.addEventListener('abort', () => [...all].forEach((each) => void each()), { once: true });
      bySignal.set(signal, all);
      ends = all;
    }
    ends.add(end);
    return () => ends.delete(end);
  };
}

/**
 * One request and its response, as a handler of undici. It settles once: by the response, an error or an abort. A
 * request that is aborted before it has a connection is not sent. Once the status has arrived it decides the outcome;
 * the rest is only text for the log.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #settle: (result: AttemptResult) => void;
  readonly #kept: Buffer[] = [];
  #length = 0;
  #status: number | undefined;
  #retryAfter: string | undefined;
  #isSettled = false;
  #controller: Dispatcher.DispatchController | undefined;

  constructor(settle: (result: AttemptResult) => void) {
    this.#settle = settle;
  }

  end(reason: 'timeout' | 'interrupted'): void {
    this.#finish(reason);
    this.#controller?.abort(new Error(reason));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isSettled) controller.abort(new Error('ended before it began'));
  }

  onResponseStart(_controller: unknown, status: number, headers: Readonly<Record<string, unknown>>): void {
    // Interim responses come before the final one (RFC 9110 §15.2).
    if (status < 200) return;
    this.#status = status;
    const retryAfter = headers['retry-after'];
    this.#retryAfter = typeof retryAfter === 'string' ? retryAfter : undefined;
  }

  /**
   * Stores the first KiB. It reads a little more, so that the connection can be reused; a longer response closes it.
   */
  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#length < ANSWER_BYTES) this.#kept.push(Buffer.from(chunk));
    this.#length += chunk.length;
    if (this.#length <= DRAIN_BYTES) return;
    this.#finish('network_error');
    controller.abort(new Error('the answer is too long'));
  }

  onResponseEnd(): void {
    this.#finish('network_error');
  }

  onResponseError(_controller: unknown, error: unknown): void {
    this.#finish(networkFailureOf(error));
  }

  /** Settles with the response if its status has arrived, else with the failure. */
  #finish(failure: FailureClass): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    if (this.#status === undefined) {
      this.#settle({ kind: 'failed', error: failure });
      return;
    }
    const answer = textOf(this.#kept);
    this.#settle({ kind: 'answered', status: this.#status, retryAfter: this.#retryAfter, answer });
  }
}

function textOf(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).subarray(0, ANSWER_BYTES).toString('utf8').replaceAll('\u0000', '\ufffd');
}

/** A long body is written to the socket in slices. */
function bodyOf({ body: { pieces } }: Message): Buffer | Readable {
  const [only] = pieces;
  return only !== undefined && pieces.length === 1 ? only : Readable.from(inSlices(pieces), { objectMode: false });
}

async function* inSlices(pieces: readonly Buffer[]): AsyncGenerator<Buffer, void, void> {
  const slices = createSlices();
  for (const piece of pieces) {
    yield piece;
    await slices.rest();
  }
}

/** Removes the body or the token from the response of a receiver that echoes them, as the response is logged. */
async function withoutEcho(result: AttemptResult, { body, token }: Message): Promise<AttemptResult> {
  if (result.kind === 'failed' || result.answer === '') return result;
  const clean = token === undefined ? result.answer : withoutToken(result.answer, token);
  const answer = (await isEcho(bare(clean), body)) ? '[left out: it repeats the body]' : clean;
  return { ...result, answer };
}

/** The first characters of the escapes that {@link bare} removes, and the longest escape. */
const ESCAPE = /[&\\%]/g;
const LONGEST_ESCAPE = 11;

/** Whether a part of the response occurs in the body, whose pieces are compared one by one. */
async function isEcho(response: string, { pieces }: Message['body']): Promise<boolean> {
  const windows: string[] = [];
  for (let at = 0; at + ECHO_WINDOW <= response.length; at += ECHO_WINDOW / 2)
    windows.push(response.slice(at, at + ECHO_WINDOW));
  if (windows.length === 0) return false;
  const slices = createSlices();
  let [unread, sent] = ['', ''];
  for (const [index, piece] of pieces.entries()) {
    const text = unread + piece.toString('utf8');
    // An escape may continue in the next piece. No escape contains the beginning of another.
    const tail = text.slice(-LONGEST_ESCAPE);
    const begun = index === pieces.length - 1 ? undefined : [...tail.matchAll(ESCAPE)].at(-1)?.index;
    const end = begun === undefined ? text.length : text.length - tail.length + begun;
    unread = text.slice(end);
    sent = sent.slice(1 - ECHO_WINDOW) + bare(text.slice(0, end));
    if (windows.some((window) => sent.includes(window))) return true;
    await slices.rest();
  }
  return false;
}

/** Also removes a token that the cut at the first KiB splits. */
function withoutToken(answer: string, token: string): string {
  const clean = answer.replaceAll(token, '[token]');
  for (let length = token.length - 1; length >= TOKEN_START; length -= 1) {
    if (clean.endsWith(token.slice(0, length))) return `${clean.slice(0, -length)}[token]`;
  }
  return clean;
}

/** Letters and digits alone, as receivers that echo the body escape it in various ways. */
function bare(text: string): string {
  return text.replace(/&#?\w{1,8};|\\u[0-9a-fA-F]{4}|\\[a-z]|%[0-9a-fA-F]{2}/g, '').replace(/[^A-Za-z0-9]+/g, '');
}
