// Response cache of operations whose response depends on the request alone, such as $lookup. An entry is valid until
// the state that it was computed from changes.

import { bodyOf, type ResponseBody } from '#lib/http/response/direct-body.ts';
import type { DirectResponse, DirectRoute } from '#lib/http/response/direct-response.ts';

/** The operation that an answer is of. */
export interface ResponseSource extends DirectRoute {
  /** Another number whenever its answers may have changed. */
  readonly state: () => number;
}

export interface CachedOperationResponse extends DirectResponse {
  readonly route: ResponseSource;
}

/** A request as the key of its response. */
export interface Question {
  readonly text: string;
  /** Of 30 bits. Different texts may have the same. */
  readonly hash: number;
}

export interface ResponseCache {
  /** The cached response of the present state; undefined when there is none. */
  find(question: Question): CachedOperationResponse | undefined;
  /**
   * Stores a response to a question that has been asked before of late, unless the state that it was computed from has
   * passed. Most questions are asked once, and to store their responses would cost more than to compute them.
   */
  set(
    question: Question,
    response: string | ResponseBody,
    computedFrom: { readonly route: ResponseSource; readonly state: number },
  ): void;
}

interface Entry extends CachedOperationResponse {
  readonly question: string;
  /** Whether it was read since the eviction last came by it. */
  isUsed: boolean;
}

/** Bytes of the responses and characters of their keys. */
const LIMIT = 64 * 1024 * 1024;
/** No response takes more than this part of the limit. */
const MOST_OF_LIMIT = 1 / 32;
/** The part of the limit that an eviction frees. */
const FREED = 1 / 64;

/** Slots of the record of questions, a power of two. */
const SLOTS = 1 << 18;

/**
 * The key of a text. The hash is our own, as a `Map` by the text would enter each new text in V8's table of strings:
 * that takes longer than to compute most responses.
 */
export function questionOf(text: string): Question {
  // As FNV-1a, over four characters at a time; one before the first is NaN, which counts as 0.
  let hash = 0x81_1c_9d_c5 ^ text.length;
  for (let at = text.length - 1; at >= 0; at -= 4) {
    const last = text.charCodeAt(at) ^ (text.charCodeAt(at - 1) << 8);
    hash ^= last ^ (text.charCodeAt(at - 2) << 16) ^ (text.charCodeAt(at - 3) << 24);
    hash = Math.imul(hash, 0x9e_37_79_b1);
    hash ^= hash >>> 15;
  }
  // V8 holds a number of at most 30 bits in place, without a memory cell for it.
  return { text, hash: hash >>> 2 };
}

/**
 * Records which requests came of late, by a byte of a hash each. A question may be forgotten, and very
 * rarely one is taken for another: then a response is cached a request later or earlier.
 */
function createAskedRecord(): (question: Question) => boolean {
  // Most tenants ask nothing that is cached.
  let marks: Uint8Array | undefined;
  return ({ hash }) => {
    marks ??= new Uint8Array(SLOTS);
    const slot = (hash >>> 8) & (SLOTS - 1);
    const mark = (hash & 0xff) | 1;
    if (marks[slot] === mark) return true;
    marks[slot] = mark;
    return false;
  };
}

/**
 * Creates a cache of at most `limit` bytes. It evicts by the CLOCK algorithm. It goes in the order of arrival, but a
 * response that was read since the eviction came by it gets a second chance.
 */
export function createResponseCache(limit = LIMIT): ResponseCache {
  let state = 0;
  let size = 0;
  /** By the hash of the question; of two questions with the same hash the last is kept. */
  let kept = new Map<number, Entry>();
  const wasAsked = createAskedRecord();

  function begin(latest: number): void {
    [state, size, kept] = [latest, 0, new Map()];
  }

  /** Evicts several at a time: an iteration over the map begins at its first slot, past those of deleted entries. */
  function evict(): void {
    const enough = limit * (1 - FREED);
    for (const [hash, each] of kept) {
      if (size <= enough) return;
      kept.delete(hash);
      if (each.isUsed) {
        // The second chance: it moves to the end.
        each.isUsed = false;
        kept.set(hash, each);
      } else size -= weightOf(each);
    }
  }

  function find({ text, hash }: Question): Entry | undefined {
    const found = kept.get(hash);
    return found?.question === text ? found : undefined;
  }

  return {
    find: (question) => {
      const found = find(question);
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
    set: (question, response, { route, state: computedFrom }) => {
      if (computedFrom !== route.state()) return;
      if (computedFrom !== state) begin(computedFrom);
      // Two requests may have computed the same response at once.
      if (!wasAsked(question) || find(question) !== undefined) return;
      const { body, contentLength } = typeof response === 'string' ? bodyOf(response) : response;
      const entry = { route, question: question.text, body, contentLength, isUsed: false };
      if (weightOf(entry) > limit * MOST_OF_LIMIT) return;
      const replaced = kept.get(question.hash);
      if (replaced !== undefined) size -= weightOf(replaced);
      size += weightOf(entry);
      kept.delete(question.hash);
      kept.set(question.hash, entry);
      if (size > limit) evict();
    },
  };
}

function weightOf({ question, body }: Entry): number {
  return question.length + body.length;
}
