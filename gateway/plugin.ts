// The gateway. It is the public origin with the start page. It forwards /identity, /dispatch and /engine to the
// services without the prefix (operations page, "Ports and addresses").
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import httpProxy, { type FastifyHttpProxyOptions } from '@fastify/http-proxy';
import type { FastifyReply } from 'fastify';
import type { Clock } from '#lib/clock.ts';
import { ServiceError } from '#lib/errors.ts';
import { isWorthDraining, respondAfterRest } from '#lib/http/body/body-limits.ts';
import { DRAINING_HEADER } from '#lib/http/closing.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { nodesFetch } from '#lib/http/upstream/service-fetch.ts';
import type { Upstream } from '#lib/http/upstream/upstream.ts';
import { traceHeaders } from '#lib/traces/trace-context.ts';
import { registerAccessibilityPage } from './accessibility-page.ts';
import type { ConsoleFiles } from './console/files.ts';
import { registerConsolePages } from './console/pages.ts';
import type { ConsoleSession } from './console/session.ts';
import { registerDeveloperPage } from './developer-page.ts';
import { createEventStreams, type EventStreams, isEventStream } from './event-streams.ts';
import { handOver, type LocalServices } from './hand-over.ts';
import { forwardedHeaders, isMalformed, isPassable, PREFIXED, withPrefix } from './passage.ts';
import type { ServiceStatuses } from './service-status.ts';
import { createGatewaySignIns, registerSignIn, SIGNED_IN_PATH } from './sign-in.ts';
import { registerSignedInPage } from './signed-in-page.ts';
import { registerStartPage, type StartPageContent } from './start-page.ts';
import { registerStatusPage } from './status-page.ts';
import { requestableOf } from './upstream.ts';

export interface GatewayOptions {
  /** The nodes of the services, by the prefix that the gateway forwards. */
  readonly upstreams: Readonly<Record<'identity' | 'dispatch' | 'engine', Upstream>>;
  /** The origin at which browsers reach this gateway. */
  readonly publicUrl: string;
  /** Proves to the services that a request comes from this gateway (lib/http/forwarding.ts). */
  readonly proof: string;
  readonly clock: Clock;
  readonly statuses: Pick<ServiceStatuses, 'read'>;
  readonly session: ConsoleSession;
  /** The services of this process. What they can serve goes to them without a second request (./hand-over.ts). */
  readonly local: LocalServices;
  /** `KEDJA_TRUST_PROXY`. */
  readonly trustProxy: readonly string[];
  /** The mail address for reports of obstacles; undefined where there is none. */
  readonly accessibilityContact?: string | undefined;
  /** The built console; undefined until it is built. */
  readonly consoleFiles: () => ConsoleFiles | undefined;
  /** Read at each request, as demo accounts are known only after the data is loaded. */
  readonly startPage: () => StartPageContent;
  /** Whether patients register themselves at identity: the start page then links to the registration. */
  readonly isRegistrationOpen: boolean;
}

/** Hop-by-hop headers (RFC 9110 §7.6.1), and `expect`, to which Node.js has responded already. */
const HOP_HEADERS = [
  'connection',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
  DRAINING_HEADER,
];

export async function registerGateway(app: HttpApp, options: GatewayOptions): Promise<void> {
  const { publicUrl, clock, proof, session } = options;
  const signIns = createGatewaySignIns(publicUrl, clock);
  await session.register(app);
  const console = registerConsolePages(app, { session, files: options.consoleFiles, publicUrl });
  registerStartPage(app, {
    read: options.startPage,
    publicUrl,
    isRegistrationOpen: options.isRegistrationOpen,
    console,
  });
  registerDeveloperPage(app, publicUrl, console);
  registerStatusPage(app, options.statuses);
  registerAccessibilityPage(app, options.accessibilityContact);
  registerSignIn(app, { publicUrl, signIns });
  const eventStreams = createEventStreams(app);
  const identity = nodesFetch(options.upstreams.identity);
  handOver(app, { ...options, eventStreams });
  registerSignedInPage(app, { identity, next: `${publicUrl}${SIGNED_IN_PATH}`, signIns });
  for (const [name, upstream] of Object.entries(options.upstreams)) {
    redirectToReference(app, name);
    await app.register(async (scope) => {
      // Bodies of any type pass through without being read.
      scope.removeAllContentTypeParsers();
      scope.addHook('onRequest', async (request) => {
        requirePassable(request.url, `/${name}`);
        session.check(request);
      });
      await scope.register(httpProxy, proxyOptions(name, upstream, { proof, eventStreams, session }));
    });
  }
}

/** The reference page has relative links, so its address must end with a slash. */
function redirectToReference(app: HttpApp, name: string): void {
  app.get(`/${name}/docs`, { config: { permission: 'public' }, schema: { hide: true } }, async (_request, reply) =>
    reply.redirect(`/${name}/docs/`),
  );
}

function proxyOptions(
  name: string,
  { url, pool }: Upstream,
  { proof, eventStreams, session }: Pick<GatewayOptions, 'proof' | 'session'> & { readonly eventStreams: EventStreams },
): FastifyHttpProxyOptions {
  return {
    upstream: url,
    prefix: `/${name}`,
    rewritePrefix: '',
    // The library would put the prefix before relative ones, too.
    internalRewriteLocationHeader: false,
    // The library's log lines have the path, and a path may contain a receipt token.
    disableRequestLogging: true,
    httpMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    config: { permission: 'public', forwardsBody: true },
    undici: requestableOf(pool),
    replyOptions: {
      rewriteRequestHeaders: (request, headers) => ({
        ...withoutHopHeaders(forwardedHeaders(session.forwarded(headers), request, proof)),
        ...traceHeaders(),
        'x-request-id': request.id,
      }),
      rewriteHeaders: (headers) => rewriteResponseHeaders(headers, `/${name}`),
      onError: (reply, { error }) => sendUpstreamError(reply as FastifyReply, name, error),
      onResponse: (request, reply, answer) => {
        // The library closes the connection of a request with an unread body. Its rest is read and dropped instead
        // (lib/http/upstream/lazy-copy.ts).
        if (isWorthDraining(request)) reply.removeHeader('connection');
        const body = 'stream' in answer ? answer.stream : answer;
        const isStream = body instanceof Readable && isEventStream(reply.getHeader('content-type'));
        const send = () => void reply.send(isStream ? eventStreams.pass(body) : body);
        respondAfterRest(reply as FastifyReply, send);
      },
    },
  };
}

/** @throws ServiceError `invalid_request` for a path that the service may read differently, `not_found` */
function requirePassable(url: string, prefix: string): void {
  if (isMalformed(url)) throw new ServiceError('invalid_request', 'The address is malformed');
  if (!isPassable(url, prefix)) throw new ServiceError('not_found', 'There is nothing at this address');
}

function rewriteResponseHeaders(headers: IncomingHttpHeaders, prefix: string): IncomingHttpHeaders {
  const changed = withoutHopHeaders(headers);
  for (const name of PREFIXED) {
    const value = changed[name];
    if (typeof value === 'string') changed[name] = withPrefix(name, value, prefix);
  }
  return changed;
}

function withoutHopHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_HEADERS.includes(name)));
}

/** The library wraps errors of the pool; the cause says what is known about the request. */
function sendUpstreamError(reply: FastifyReply, name: string, { cause }: Error): void {
  const known = cause instanceof ServiceError ? cause : undefined;
  reply.send(known ?? new ServiceError('upstream_unavailable', `The ${name} service cannot be reached`));
}
