// Response cache of operations whose response depends on the request alone, such as $lookup. An entry is valid until
// the state that it was computed from changes.

import type { CachedResponse, CachedRoute } from '#lib/http/response/cached-response.ts';
import { LEAST_COMPRESSED } from '#lib/http/response/compression.ts';

/** The operation that an answer is of. */
export interface ResponseSource extends CachedRoute {
  /** Another number whenever its answers may have changed. */
  readonly state: () => number;
}

/** A short one is a {@link CachedResponse}. */
export interface CachedOperationResponse {
  readonly route: ResponseSource;
  /** The bytes of the text in UTF-8: of a short one as a text of one character (`latin1`) each, as it is then sent. */
  readonly body: string | Buffer;
  readonly contentLength: string;
}

export interface ResponseCache {
  /** Undefined when there is none of the present state. */
  find(question: string): CachedOperationResponse | undefined;
  /** Keeps the answer, unless the state that it was made of has passed. */
  set(question: string, text: string, madeOf: { readonly route: ResponseSource; readonly state: number }): void;
}

interface Kept extends CachedOperationResponse {
  /** Whether it was asked for since room was last made at its place. */
  isAskedFor: boolean;
}

/** Bytes of answers and characters of their questions. */
const LIMIT = 64 * 1024 * 1024;
/** No answer takes more than this part of what is kept. */
const MOST_OF_LIMIT = 1 / 32;
/** So much of the limit is free when room has been made. */
const ROOM_MADE = 1 / 64;

/** By number: answers of one length have one text of it, which is at hand when the next one is asked for. */
const lengthTexts: string[] = [];

function lengthText(length: number): string {
  if (length >= LEAST_COMPRESSED) return String(length);
  const text = lengthTexts[length] ?? String(length);
  lengthTexts[length] = text;
  return text;
}

export function isSendable(kept: CachedOperationResponse): kept is CachedOperationResponse & CachedResponse {
  return typeof kept.body === 'string';
}

/** What is kept of an answer, as a body that any route can send. */
export function bodyOf({ body }: CachedOperationResponse): Buffer {
  return typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
}

/** Short are those that are never compressed. */
function keptBody(text: string): string | Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length >= LEAST_COMPRESSED) return bytes;
  return bytes.length === text.length ? text : bytes.toString('latin1');
}

/**
 * Keeps at most `limit` bytes. Room is made in the order of arrival, past what was asked for again since it was passed
 * last.
 */
export function createResponseCache(limit = LIMIT): ResponseCache {
  let state = 0;
  let size = 0;
  let kept = new Map<string, Kept>();

  function begin(latest: number): void {
    [state, size, kept] = [latest, 0, new Map()];
  }

  /** For several at once: the map is gone through from its first place, where those stood that are gone already. */
  function makeRoom(): void {
    const enough = limit * (1 - ROOM_MADE);
    for (const [question, each] of kept) {
      if (size <= enough) return;
      kept.delete(question);
      if (each.isAskedFor) {
        // Behind all others: it is passed once more before it goes.
        each.isAskedFor = false;
        kept.set(question, each);
      } else size -= question.length + each.body.length;
    }
  }

  return {
    find: (question) => {
      const found = kept.get(question);
      if (found === undefined) return undefined;
      const latest = found.route.state();
      if (latest !== state) {
        begin(latest);
        return undefined;
      }
      // Written only when it is another: what is asked for all the time is not touched.
      if (!found.isAskedFor) found.isAskedFor = true;
      return found;
    },
    set: (question, text, { route, state: madeOf }) => {
      if (madeOf !== route.state()) return;
      if (madeOf !== state) begin(madeOf);
      // Two may have asked the same at once.
      if (kept.has(question)) return;
      const body = keptBody(text);
      const weight = question.length + body.length;
      if (weight > limit * MOST_OF_LIMIT) return;
      size += weight;
      kept.set(question, { route, body, contentLength: lengthText(body.length), isAskedFor: false });
      if (size > limit) makeRoom();
    },
  };
}
