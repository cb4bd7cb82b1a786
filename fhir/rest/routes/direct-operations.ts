// Responses of operations that are sent before routing: cached ones (docs/adr/0032), and those that are computed at
// once (docs/adr/0089). For other requests the route decides.
import type { IncomingMessage } from 'node:http';
import { bodyOf, isSendable, type ResponseBody } from '#lib/http/response/direct-body.ts';
import type { ComputingRoute, DirectResponse, FindDirectResponse } from '#lib/http/response/direct-response.ts';
import type { ServedOperation } from '../options.ts';
import { type Question, questionOf, type ResponseCache, type ResponseSource } from '../response-cache.ts';

/** What came of computing a response that could not be sent directly, for the route to go on with. */
export type Attempt = { readonly text: string } | { readonly thrown: unknown };

export interface DirectOperations {
  readonly find: FindDirectResponse;
  /** Computes responses of this operation from now on, if it can be computed at once. */
  add(operation: ServedOperation, source: ResponseSource): void;
  /** The attempt of this request, once. */
  takeAttempt(request: IncomingMessage): Attempt | undefined;
}

const FHIR_TYPE = 'application/fhir+json';
/** Characters. A longer address is left to the route, which checks it. */
const LONGEST_ADDRESS = 2_000;

const DEPENDS_ON_MORE = ['_format', '_pretty', 'date='];

/**
 * Whether the response depends on more than the state, the address and the language. That is so when the format
 * (`_format`, `_pretty`) or the current day (`date`) has a part in it.
 */
export function dependsOnMore(url: string): boolean {
  const plain = decoded(url);
  return DEPENDS_ON_MORE.some((each) => plain.includes(each));
}

/** Decodes percent-encoded names. A name that cannot be decoded is refused later. */
function decoded(url: string): string {
  try {
    return url.includes('%') ? decodeURIComponent(url) : url;
  } catch {
    return url;
  }
}

/** The cache key of a GET. */
export function questionIn(url: string, language: string | undefined): Question {
  return questionOf(language === undefined ? url : `${language} ${url}`);
}

export function createDirectOperations(memory: ResponseCache): DirectOperations {
  /** By the path of their addresses. */
  const computing = new Map<string, (question: Question) => ComputingRoute>();
  const attempts = new WeakMap<IncomingMessage, Attempt>();

  function computed(request: IncomingMessage, question: Question, { runNow, source }: Computed) {
    const { url = '', headers } = request;
    const language = headers['accept-language'];
    const computedFrom = source.state();
    try {
      const text = runNow(url.slice(url.indexOf('?') + 1), language);
      if (text === undefined) return undefined;
      const body = bodyOf(text);
      if (!isSendable(body, headers['accept-encoding'])) {
        attempts.set(request, { text: text.toString() });
        return undefined;
      }
      memory.set(question, body, { route: source, state: computedFrom });
      return responseOf(source, body);
    } catch (thrown) {
      attempts.set(request, { thrown });
      return undefined;
    }
  }

  return {
    find: (request) => {
      const { url = '', headers } = request;
      const { accept, 'accept-language': language } = headers;
      const operationAt = url.indexOf('/$');
      if (operationAt === -1) return undefined;
      if (accept !== undefined && accept !== '*/*' && accept !== FHIR_TYPE) return undefined;
      const question = questionIn(url, language);
      const kept = memory.find(question);
      if (kept !== undefined) return isSendable(kept, headers['accept-encoding']) ? kept : undefined;
      const queryAt = url.indexOf('?', operationAt);
      if (queryAt === -1 || url.length > LONGEST_ADDRESS) return undefined;
      const found = computing.get(url.slice(0, queryAt));
      return found === undefined || dependsOnMore(url) ? undefined : found(question);
    },
    add: ({ runNow, isOfInstance }, source) => {
      const { url } = source.served;
      if (runNow === undefined || isOfInstance || computing.has(url)) return;
      const operation = { runNow, source };
      computing.set(url, (question) => ({
        route: source,
        compute: (request) => computed(request, question, operation),
      }));
    },
    takeAttempt: (request) => {
      const attempt = attempts.get(request);
      attempts.delete(request);
      return attempt;
    },
  };
}

/** An operation whose responses are computed at once. */
interface Computed {
  readonly runNow: NonNullable<ServedOperation['runNow']>;
  readonly source: ResponseSource;
}

function responseOf(route: ResponseSource, { body, contentLength }: ResponseBody): DirectResponse {
  return { route, body, contentLength };
}
