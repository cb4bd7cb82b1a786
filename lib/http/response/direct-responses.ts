// Sends responses before routing: cached ones (docs/adr/0032), and those that are computed at once (docs/adr/0089).
// They go to an authenticated caller in the cache. Any other request, and any other caller, takes the normal path. Both
// paths send, log and count alike.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authenticator } from '../../auth/authenticator.ts';
import type { Tracer } from '../../traces/tracer.ts';
import type { HttpApp } from '../http-app.ts';
import { takeRequestId } from '../record/request-id.ts';
import type { RequestRecord, RespondedRequest } from '../record/request-record.ts';
import type { ComputingRoute, DirectResponse, FindDirectResponse } from './direct-response.ts';
import { UNSTORED_HEADERS } from './response-headers.ts';

/**
 * Request headers that cannot change such a response, besides those that `FindDirectResponse` reads and the
 * credentials.
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
  readonly answer: DirectResponse;
  /** By `performance.now()`. */
  readonly arrivedAt: number;
}

interface Site {
  readonly authenticator: Authenticator;
  readonly record: RequestRecord;
  readonly tracer: Tracer;
  /** The headers of every response: names and values alternate. */
  readonly headers: readonly string[];
}

/** Call it once, before the application listens. Requests by `inject` take the normal path. */
export function sendDirectResponses(app: HttpApp, site: Site): void {
  const finders: FindDirectResponse[] = [];
  let isClosing = false;
  const send = createSender(site);
  app.decorate('offerDirectResponses', (find) => void finders.push(find));
  // During shutdown every response says so (../closing.ts), and only the normal path does that.
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
    // During shutdown Fastify refuses requests without our hooks.
    if (isClosing) response.setHeaders(UNSTORED);
    if (!answer(request, response)) app.routing(request, response);
  });
}

type Send = (request: IncomingMessage, response: ServerResponse, found: DirectResponse | ComputingRoute) => boolean;

/** Creates the function that responds where no lookup is needed, and returns whether it did. */
function createSender({ authenticator, record, tracer, headers: standing }: Site): Send {
  let waiting: Waiting[] = [];

  // Responses are sent together at the end of the turn, like all others (fhir/rest/http/respond-together.ts).
  function sendAll(): void {
    const sending = waiting;
    waiting = [];
    for (const each of sending) sendOne(each);
  }

  function sendOne(each: Waiting): void {
    const { response, answer, id } = each;
    const { route, body, contentLength } = answer;
    const recordSent = () => record.recordDirectResponse(route.served, each, performance.now() - each.arrivedAt);
    // The client may have disconnected.
    if (!response.destroyed) {
      const own = ['x-request-id', id, 'content-type', route.contentType, 'content-length', contentLength];
      response.writeHead(200, standing.length === 0 ? own : [...standing, ...own]);
      response.end(body, 'latin1');
      // Nearly always the kernel has taken all bytes by now.
      if (response.socket?.writableLength !== 0) {
        response.once('close', recordSent);
        return;
      }
    }
    recordSent();
  }

  return (request, response, found) => {
    const { headers } = request;
    if (!isPlain(headers)) return false;
    const principal = authenticator.findCached(headers);
    if (principal === undefined || !found.route.admits(principal)) return false;
    const arrivedAt = performance.now();
    const id = takeRequestId(request);
    const trace = tracer.begin(id, headers);
    const answer = 'compute' in found ? found.compute(request) : found;
    if (answer === undefined) return false;
    if (waiting.length === 0) setImmediate(sendAll);
    waiting.push({ id, principal, trace, response, answer, arrivedAt });
    return true;
  };
}

function isPlain(headers: IncomingMessage['headers']): boolean {
  for (const name of Object.keys(headers)) if (!PLAIN_HEADERS.has(name)) return false;
  return true;
}
