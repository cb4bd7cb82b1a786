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
  /** The cached response of the present state; undefined when there is none. */
  find(question: string): CachedOperationResponse | undefined;
  /** Stores a response, unless the state that it was computed from has passed. */
  set(question: string, text: string, computedFrom: { readonly route: ResponseSource; readonly state: number }): void;
}

interface Entry extends CachedOperationResponse {
  /** Whether it was read since the eviction last came by it. */
  isUsed: boolean;
}

/** Bytes of the responses and characters of their keys. */
const LIMIT = 64 * 1024 * 1024;
/** No response takes more than this part of the limit. */
const MOST_OF_LIMIT = 1 / 32;
/** The part of the limit that an eviction frees. */
const FREED = 1 / 64;

/** Texts of lengths, so that responses of one length share one text. */
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

/** The cached body in a form that any route can send. */
export function bodyOf({ body }: CachedOperationResponse): Buffer {
  return typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
}

/** The body to cache: a string if it is short, and so never compressed. */
function cachedBody(text: string): string | Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length >= LEAST_COMPRESSED) return bytes;
  return bytes.length === text.length ? text : bytes.toString('latin1');
}

/**
 * Creates a cache of at most `limit` bytes. It evicts by the CLOCK algorithm: in the order of arrival, but a response
 * that was read since the eviction came by it gets a second chance.
 */
export function createResponseCache(limit = LIMIT): ResponseCache {
  let state = 0;
  let size = 0;
  let kept = new Map<string, Entry>();

  function begin(latest: number): void {
    [state, size, kept] = [latest, 0, new Map()];
  }

  /** Evicts several at a time: an iteration over the map begins at its first slot, past those of deleted entries. */
  function evict(): void {
    const enough = limit * (1 - FREED);
    for (const [question, each] of kept) {
      if (size <= enough) return;
      kept.delete(question);
      if (each.isUsed) {
        // The second chance: it moves to the end.
        each.isUsed = false;
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
      // Written only if it changes, so that a response in constant use is not written to.
      if (!found.isUsed) found.isUsed = true;
      return found;
    },
    set: (question, text, { route, state: computedFrom }) => {
      if (computedFrom !== route.state()) return;
      if (computedFrom !== state) begin(computedFrom);
      // Two requests may have computed the same response at once.
      if (kept.has(question)) return;
      const body = cachedBody(text);
      const weight = question.length + body.length;
      if (weight > limit * MOST_OF_LIMIT) return;
      size += weight;
      kept.set(question, { route, body, contentLength: lengthText(body.length), isUsed: false });
      if (size > limit) evict();
    },
  };
}
