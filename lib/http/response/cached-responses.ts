// Answers that are ready when they are asked for, sent before the router is asked (docs/adr/0032): a caller who is
// remembered, a question that was answered before. Whatever else a request says goes the way of all requests, and so
// does whoever is not known yet; both ways answer, record and count alike.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authenticator } from '../../auth/authenticator.ts';
import type { HttpApp } from '../http-app.ts';
import { takeRequestId } from '../record/request-id.ts';
import type { RequestRecord, RespondedRequest } from '../record/request-record.ts';
import { traceOf } from '../record/trace-context.ts';
import type { CachedResponse, FindCachedResponse } from './cached-response.ts';
import { UNSTORED_HEADERS } from './response-headers.ts';

/**
 * Headers by which answers like these do not differ, but for those that `FindCachedResponse` reads and those that say
 * who asks.
 */
const PLAIN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'authorization',
  'cache-control',
  'connection',
  'host',
  'pragma',
  'sec-fetch-mode',
  'traceparent',
  'tracestate',
  'user-agent',
  'x-api-key',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-kedja-gateway',
  'x-request-id',
]);

const UNSTORED = new Map(UNSTORED_HEADERS);

interface Waiting extends RespondedRequest {
  readonly response: ServerResponse;
  readonly answer: CachedResponse;
  /** By `performance.now()`. */
  readonly arrivedAt: number;
}

interface Site {
  readonly authenticator: Authenticator;
  readonly record: RequestRecord;
  /** Names and values in turn, of every answer. */
  readonly headers: readonly string[];
}

/** To be called once, before the application listens. What comes by `inject` goes the way of all requests. */
export function sendCachedResponse(app: HttpApp, site: Site): void {
  const finders: FindCachedResponse[] = [];
  let isClosing = false;
  const send = createSender(site);
  app.decorate('offerCachedResponses', (find) => void finders.push(find));
  // The end of an application is told with each answer (../closing.ts).
  app.addHook('preClose', async () => {
    isClosing = true;
  });

  function answer(request: IncomingMessage, response: ServerResponse): boolean {
    if (isClosing || request.method !== 'GET') return false;
    for (const find of finders) {
      const found = find(request);
      if (found !== undefined) return send(request, response, found);
    }
    return false;
  }

  app.server.removeAllListeners('request');
  app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    // Fastify refuses what comes now by itself, without our hooks.
    if (isClosing) response.setHeaders(UNSTORED);
    if (!answer(request, response)) app.routing(request, response);
  });
}

/** What sends an answer to whom it may be sent without asking anybody; tells whether it does. */
function createSender({ authenticator, record, headers: standing }: Site) {
  let waiting: Waiting[] = [];

  // Together at the end of the turn, as the other answers (fhir/rest/http/respond-together.ts).
  function sendAll(): void {
    const sending = waiting;
    waiting = [];
    for (const each of sending) sendOne(each);
  }

  function sendOne(each: Waiting): void {
    const { response, answer, id } = each;
    const { route, body, contentLength } = answer;
    const tell = () => record.ofReady(route.served, each, performance.now() - each.arrivedAt);
    // Whoever asked may be gone meanwhile.
    if (!response.destroyed) {
      const own = ['x-request-id', id, 'content-type', route.contentType, 'content-length', contentLength];
      response.writeHead(200, standing.length === 0 ? own : [...standing, ...own]);
      response.end(body, 'latin1');
      // Nearly always the system has taken it by now.
      if (response.socket?.writableLength !== 0) {
        response.once('close', tell);
        return;
      }
    }
    tell();
  }

  return (request: IncomingMessage, response: ServerResponse, answer: CachedResponse): boolean => {
    const { headers } = request;
    if (!isPlain(headers)) return false;
    const principal = authenticator.recall(headers);
    if (principal === undefined || !answer.route.admits(principal)) return false;
    const arrivedAt = performance.now();
    const id = takeRequestId(request);
    const trace = traceOf({ id, traceparent: headers.traceparent });
    if (waiting.length === 0) setImmediate(sendAll);
    waiting.push({ id, principal, trace, response, answer, arrivedAt });
    return true;
  };
}

function isPlain(headers: IncomingMessage['headers']): boolean {
  for (const name of Object.keys(headers)) if (!PLAIN_HEADERS.has(name)) return false;
  return true;
}
