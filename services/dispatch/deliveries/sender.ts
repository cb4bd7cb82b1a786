// One attempt at one webhook over the network (decision D8): a time limit, no redirects, an answer read no further than needed.
import { type Dispatcher, request } from 'undici';
import { type NetworkFailure, networkFailureOf } from '#lib/net/failure-class.ts';

const ANSWER_BYTES = 1024;
const DRAIN_BYTES = 64 * 1024;
const ECHO_WINDOW = 48;
/** Fewer characters of a token are of no use to anyone. */
const TOKEN_START = 6;

export interface Message {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Must not be found in what is kept of the answer. */
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

/** Sends the message; `signal` ends it early. Never rejects. */
export type Sender = (message: Message, signal: AbortSignal) => Promise<AttemptResult>;

export function createSender(options: { dispatcher: Dispatcher; timeoutMs: number }): Sender {
  const { dispatcher, timeoutMs } = options;
  return async (message, signal) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await request(message.url, {
        dispatcher,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'Kedja-Webhooks/1', ...message.headers },
        body: message.body,
        signal: AbortSignal.any([timeout, signal]),
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      });
      const retryAfter = response.headers['retry-after'];
      return {
        kind: 'answered',
        status: response.statusCode,
        retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
        answer: withoutEcho(await readAnswer(response.body), message),
      };
    } catch (error) {
      if (signal.aborted) return { kind: 'failed', error: 'interrupted' };
      return { kind: 'failed', error: timeout.aborted ? 'timeout' : networkFailureOf(error) };
    }
  };
}

/** The first KiB. A little more is read so that the connection can be used again; what is longer costs it its connection. */
async function readAnswer(body: Dispatcher.ResponseData['body']): Promise<string> {
  const kept: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      if (length < ANSWER_BYTES) kept.push(chunk);
      length += chunk.length;
      if (length > DRAIN_BYTES) break;
    }
  } catch {
    // The status has been received, and that is what counts.
  }
  return Buffer.concat(kept).subarray(0, ANSWER_BYTES).toString('utf8').replaceAll('\u0000', '\ufffd');
}

/** Receivers that send back what they got must not bring the body or the token into the log. */
function withoutEcho(answer: string, { body, token }: Message): string {
  const clean = token === undefined ? answer : withoutToken(answer, token);
  const told = bare(clean);
  if (told.length < ECHO_WINDOW) return clean;
  const sent = bare(body.toString('utf8'));
  for (let at = 0; at + ECHO_WINDOW <= told.length; at += ECHO_WINDOW / 2) {
    if (sent.includes(told.slice(at, at + ECHO_WINDOW))) return '[left out: it repeats the body]';
  }
  return clean;
}

/** Also where the cut at the first KiB goes through it. */
function withoutToken(answer: string, token: string): string {
  const clean = answer.replaceAll(token, '[token]');
  for (let length = token.length - 1; length >= TOKEN_START; length -= 1) {
    if (clean.endsWith(token.slice(0, length))) return `${clean.slice(0, -length)}[token]`;
  }
  return clean;
}

/** Letters and digits alone: receivers that quote what they got escape it in ways of their own. */
function bare(text: string): string {
  return text.replace(/&#?\w{1,8};|\\u[0-9a-fA-F]{4}|\\[a-z]|%[0-9a-fA-F]{2}/g, '').replace(/[^A-Za-z0-9]+/g, '');
}
