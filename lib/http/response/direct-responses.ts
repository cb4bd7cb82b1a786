// Sends responses before routing: cached ones (docs/adr/0032), and those that are computed at once (docs/adr/0089).
// They go to an authenticated caller in the cache. Any other request, and any other caller, takes the normal path. Both
// paths send, log and count alike.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../../auth/principal.ts';
import type { Tracer } from '../../traces/tracer.ts';
import type { AuthenticatorOf } from '../admission.ts';
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
  readonly principal: Principal;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly found: DirectResponse | ComputingRoute;
  /** By `performance.now()`. */
  readonly arrivedAt: number;
  /** Undefined until it is found, and where only the route can respond. */
  answer: DirectResponse | undefined;
}

interface Site {
  readonly authenticatorOf: AuthenticatorOf;
  /**
   * Decides the tenant of a request; returns whether its service can respond now. Without it all are the default
   * tenant's.
   */
  readonly enter?: ((request: IncomingMessage) => boolean) | undefined;
  readonly record: RequestRecord;
  readonly tracer: Tracer;
  /** The headers of every response: names and values alternate. */
  readonly headers: readonly string[];
}

/** Of one turn. Requests beyond it wait for the next, so that nothing else does. */
const COMPUTING_MS = 10;

/** Call it once, before the application listens. Requests by `inject` take the normal path. */
export function sendDirectResponses(app: HttpApp, site: Site): void {
  const finders: FindDirectResponse[] = [];
  let isClosing = false;
  const take = createSender(site, route);
  const { enter } = site;
  app.decorate('offerDirectResponses', (find) => void finders.push(find));
  // During shutdown every response says so (../closing.ts), and only the normal path does that.
  app.addHook('preClose', async () => {
    isClosing = true;
  });

  function isTaken(request: IncomingMessage, response: ServerResponse): boolean {
    if (isClosing || request.method !== 'GET') return false;
    for (const find of finders) {
      const found = find(request);
      if (found !== undefined) return take(request, response, found);
    }
    return false;
  }

  function route(request: IncomingMessage, response: ServerResponse): void {
    // During shutdown Fastify refuses requests without our hooks.
    if (isClosing) response.setHeaders(UNSTORED);
    app.routing(request, response);
  }

  app.server.removeAllListeners('request');
  app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const isOpen = enter === undefined || enter(request);
    if (!isOpen || !isTaken(request, response)) route(request, response);
  });
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void;
type Take = (request: IncomingMessage, response: ServerResponse, found: DirectResponse | ComputingRoute) => boolean;

/**
 * Creates the function that takes requests where no lookup is needed, and returns whether it did. `route` gets those
 * that turn out to need the normal path.
 */
function createSender({ authenticatorOf, record, tracer, headers: standing }: Site, route: Handle): Take {
  let waiting: Waiting[] = [];

  // The requests of a turn take each step together. For all but the first, the processor's caches then hold the code
  // and the data of the step. Responses are written together for one more reason (fhir/rest/http/respond-together.ts).
  function respond(): void {
    const taken = computed();
    const later = taken.filter((each) => each.answer !== undefined && !isWritten(each, each.answer));
    for (const each of taken) {
      const { request, response, answer } = each;
      if (answer === undefined) route(request, response);
      else if (!later.includes(each)) recordSent(each, answer);
      else response.once('close', () => recordSent(each, answer));
    }
  }

  /** Takes requests from those that wait, with their responses. */
  function computed(): readonly Waiting[] {
    const startedAt = performance.now();
    let count = 0;
    for (const each of waiting) {
      if (count > 0 && performance.now() - startedAt > COMPUTING_MS) break;
      const { found, request, principal } = each;
      each.answer = 'compute' in found ? found.compute(request, principal) : found;
      count += 1;
    }
    const taken = waiting.slice(0, count);
    waiting = waiting.slice(count);
    if (waiting.length > 0) setImmediate(respond);
    return taken;
  }

  /** Whether nothing is left to be written: nearly always the kernel takes all bytes. */
  function isWritten({ response, id }: Waiting, { route: of, body, contentLength }: DirectResponse): boolean {
    // The client may have disconnected.
    if (response.destroyed) return true;
    const own = ['x-request-id', id, 'content-type', of.contentType, 'content-length', contentLength];
    if (typeof body !== 'string') own.push('vary', 'Accept-Encoding');
    response.writeHead(200, standing.length === 0 ? own : [...standing, ...own]);
    response.end(body, 'latin1');
    return response.socket?.writableLength === 0;
  }

  function recordSent(each: Waiting, { route: { served } }: DirectResponse): void {
    record.recordDirectResponse(served, each, performance.now() - each.arrivedAt);
  }

  return (request, response, found) => {
    const { headers } = request;
    const { callerOf, callerHeaders } = found.route;
    if (!isPlain(headers, callerHeaders)) return false;
    const principal = callerOf === undefined ? authenticatorOf(request).findCached(headers) : callerOf(request);
    if (principal === undefined || !found.route.admits(principal)) return false;
    const arrivedAt = performance.now();
    const id = takeRequestId(request);
    const trace = tracer.begin(id, headers);
    if (waiting.length === 0) setImmediate(respond);
    waiting.push({ id, principal, trace, request, raw: request, response, found, arrivedAt, answer: undefined });
    return true;
  };
}

function isPlain(headers: IncomingMessage['headers'], more: ReadonlySet<string> | undefined): boolean {
  for (const name of Object.keys(headers)) {
    if (!PLAIN_HEADERS.has(name) && more?.has(name) !== true) return false;
  }
  return true;
}
