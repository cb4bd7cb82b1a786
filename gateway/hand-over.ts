// Requests to a service of the same process (docs/adr/0086). The gateway hands them over as they are, with their
// connection, instead of sending them to the service's port. The service sees what it would see over the network.
// Whatever cannot be handed over takes that way. That is a service that is starting, a gateway that is stopping, an
// address or method that the gateway refuses.
import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http';
import { createForwarding, markHandedOver } from '#lib/http/forwarding.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { ConsoleSession } from './console/session.ts';
import { type EventStreams, isEventStream } from './event-streams.ts';
import { changeHeaders, isMalformed, isPassable, PREFIXED, withPrefix } from './passage.ts';

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The one address below a prefix that is the gateway's own: it leads to the reference page. */
const OWN = '/docs';

type Headers = Record<string, OutgoingHttpHeader | undefined>;

/** Takes a request whose address has no prefix any more, and sends its response. */
export type Serve = (request: IncomingMessage, response: ServerResponse) => void;

export interface LocalServices {
  /** Undefined for a service that does not run in this process, or that cannot serve now. */
  find(name: string): Serve | undefined;
}

export interface HandOverOptions {
  readonly local: LocalServices;
  readonly session: Pick<ConsoleSession, 'check' | 'forwarded'>;
  readonly eventStreams: Pick<EventStreams, 'endWithGateway'>;
  readonly trustProxy: readonly string[];
}

/** Call it once, before the application listens. Requests by `inject` take the way over the network. */
export function handOver(app: HttpApp, { local, session, eventStreams, trustProxy }: HandOverOptions): void {
  const forwarding = createForwarding({ trustProxy });
  let isClosing = false;
  // During shutdown every response says so (lib/http/closing.ts), and only the normal path does that.
  app.addHook('preClose', async () => {
    isClosing = true;
  });

  function pass(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = '', method = '' } = request;
    const end = url.indexOf('/', 1);
    if (isClosing || end === -1 || !METHODS.has(method)) return false;
    const [prefix, rest] = [url.slice(0, end), url.slice(end)];
    const serve = local.find(prefix.slice(1));
    if (serve === undefined || isMalformed(url) || !isPassable(url, prefix) || rest === OWN) return false;
    // A refusal gets its form on the normal path.
    if (!isAdmitted(request)) return false;
    forwarding.clean(request);
    const headers = session.forwarded(request.headers);
    changeHeaders(headers, forwarding.clientOf(request));
    if (headers !== request.headers) request.headers = headers;
    markHandedOver(request);
    request.url = rest;
    changeHead(response, prefix);
    serve(request, response);
    return true;
  }

  function isAdmitted(request: IncomingMessage): boolean {
    try {
      session.check({ headers: request.headers, method: request.method ?? '' });
      return true;
    } catch {
      return false;
    }
  }

  /** Changes what the gateway changes in the head of a response, when the service writes it. */
  function changeHead(response: ServerResponse, prefix: string): void {
    const { writeHead } = response;
    response.writeHead = (status: number, ...given: readonly unknown[]) => {
      const headers = given.find(isHeaders);
      // A stream sets its headers one by one.
      if (headers !== undefined) change(headers, response, prefix);
      else if (given.length === 0) changeSet(response, prefix);
      return Reflect.apply(writeHead, response, [status, ...given]) as ServerResponse;
    };
  }

  function change(headers: Headers, response: ServerResponse, prefix: string): void {
    for (const name of PREFIXED) {
      const value = headers[name];
      if (typeof value === 'string') headers[name] = withPrefix(name, value, prefix);
    }
    if (isEventStream(headers['content-type'])) eventStreams.endWithGateway(response);
  }

  function changeSet(response: ServerResponse, prefix: string): void {
    const headers: Headers = {};
    for (const name of [...PREFIXED, 'content-type']) headers[name] = response.getHeader(name);
    change(headers, response, prefix);
    for (const name of PREFIXED) if (headers[name] !== undefined) response.setHeader(name, headers[name]);
  }

  const before = app.server.listeners('request');
  app.server.removeAllListeners('request');
  app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!pass(request, response)) for (const each of before) each(request, response);
  });
}

/** A list, names and values in turn, is that of a cached response, which has none of the headers that change. */
function isHeaders(given: unknown): given is Headers {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}
