// The public origin (operations page, "Ports and addresses"): the start page, and /identity, /dispatch and /engine
// forwarded to the services with the prefix stripped.
import type { IncomingHttpHeaders } from 'node:http';
import httpProxy, { type FastifyHttpProxyOptions } from '@fastify/http-proxy';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '#lib/clock.ts';
import { ServiceError } from '#lib/errors.ts';
import { isWorthDraining } from '#lib/http/body/body-limits.ts';
import { DRAINING_HEADER } from '#lib/http/closing.ts';
import { GATEWAY_HEADER } from '#lib/http/forwarding.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { isPlainPath, pathOfUrl } from '#lib/http/plain-path.ts';
import { traceHeaders } from '#lib/http/record/trace-context.ts';
import { nodesFetch } from '#lib/http/upstream/service-fetch.ts';
import type { Upstream } from '#lib/http/upstream/upstream.ts';
import { createGatewaySignIns, registerSignIn, SIGNED_IN_PATH } from './sign-in.ts';
import { registerSignedInPage } from './signed-in-page.ts';
import { registerStartPage, type StartPageContent } from './start-page.ts';
import { requestableOf } from './upstream.ts';

export interface GatewayOptions {
  /** The nodes of the services, by the prefix under which the gateway forwards to them. */
  readonly upstreams: Readonly<Record<'identity' | 'dispatch' | 'engine', Upstream>>;
  /** The origin at which browsers reach this gateway. */
  readonly publicUrl: string;
  /** What proves to the services that a request comes from this gateway (lib/http/forwarding.ts). */
  readonly proof: string;
  readonly clock: Clock;
  /** Read at each request, since demo accounts are known only after the data has been loaded. */
  readonly startPage: () => StartPageContent;
}

/** In whatever spelling, and whatever follows. */
const OPERATORS_ONLY = /^\/metrics(?:[/;]|$)/i;

/** What is said to the next hop alone (RFC 9110 §7.6.1), and `expect`, which Node.js has answered already. */
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
  const { publicUrl, clock } = options;
  const signIns = createGatewaySignIns(publicUrl, clock);
  registerStartPage(app, options.startPage, publicUrl);
  registerSignIn(app, { publicUrl, signIns });
  const identity = nodesFetch(options.upstreams.identity);
  registerSignedInPage(app, { identity, next: `${publicUrl}${SIGNED_IN_PATH}`, signIns });
  for (const [name, upstream] of Object.entries(options.upstreams)) {
    redirectToReference(app, name);
    await app.register(async (scope) => {
      // Bodies pass through unread, whatever they are.
      scope.removeAllContentTypeParsers();
      scope.addHook('onRequest', async (request) => requirePassable(request.url, `/${name}`));
      await scope.register(httpProxy, proxyOptions(name, upstream, options.proof));
    });
  }
}

/** The reference page's own links are relative: without the slash at the end they would lead to the gateway's page. */
function redirectToReference(app: HttpApp, name: string): void {
  app.get(`/${name}/docs`, { config: { permission: 'public' }, schema: { hide: true } }, async (_request, reply) =>
    reply.redirect(`/${name}/docs/`),
  );
}

function proxyOptions(name: string, { url, pool }: Upstream, proof: string): FastifyHttpProxyOptions {
  return {
    upstream: url,
    prefix: `/${name}`,
    rewritePrefix: '',
    // The library's own lines hold the path, and a path may hold a receipt token.
    disableRequestLogging: true,
    httpMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    config: { permission: 'public', forwardsBody: true },
    undici: requestableOf(pool),
    replyOptions: {
      rewriteRequestHeaders: (request, headers) => ({ ...requestHeaders(request, headers), [GATEWAY_HEADER]: proof }),
      rewriteHeaders: (headers) => rewriteAnswerHeaders(headers, `/${name}`),
      onError: (reply, { error }) => answerUpstreamFailure(reply as FastifyReply, name, error),
      onResponse: (request, reply, answer) => {
        // The library closes the connection of a body that has not come. Its rest is read and dropped
        // (lib/http/upstream/lazy-copy.ts).
        if (isWorthDraining(request)) reply.removeHeader('connection');
        reply.send('stream' in answer ? answer.stream : answer);
      },
    },
  };
}

/**
 * What a service's metrics say is for who may reach its own port (docs/adr/0047); the service itself answers so, too.
 * @throws ServiceError `invalid_request` for a path that the service may read otherwise, `not_found`
 */
function requirePassable(url: string, prefix: string): void {
  const path = pathOfUrl(url);
  if (url.includes('#') || !isPlainPath(path)) throw new ServiceError('invalid_request', 'The address is malformed');
  // The router reads `/%69dentity`, too, of which the prefix would not be taken off.
  if (!path.startsWith(prefix) || OPERATORS_ONLY.test(decodeURIComponent(path.slice(prefix.length)))) {
    throw new ServiceError('not_found', 'There is nothing at this address');
  }
}

type ClientView = Pick<FastifyRequest, 'id' | 'ip' | 'protocol' | 'host'>;

/** The client's address and origin as this gateway sees them: what the client itself claims there is not passed on. */
function requestHeaders(request: ClientView, headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { forwarded: _forwarded, 'x-real-ip': _address, 'x-forwarded-port': _port, ...rest } = headers;
  return {
    ...withoutHopHeaders(rest),
    ...traceHeaders(),
    'x-request-id': request.id,
    'x-forwarded-for': request.ip,
    'x-forwarded-proto': request.protocol,
    'x-forwarded-host': request.host,
  };
}

/** Links to other pages of a list (RFC 8288) that begin at the service's root begin at the gateway's prefix. */
function rewriteAnswerHeaders(headers: IncomingHttpHeaders, prefix: string): IncomingHttpHeaders {
  const { link, ...rest } = withoutHopHeaders(headers);
  return typeof link === 'string' ? { ...rest, link: link.replaceAll('</', `<${prefix}/`) } : rest;
}

function withoutHopHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_HEADERS.includes(name)));
}

/** The library wraps what the pool throws: the pool's own words say what is known of the request. */
function answerUpstreamFailure(reply: FastifyReply, name: string, { cause }: Error): void {
  const known = cause instanceof ServiceError ? cause : undefined;
  reply.send(known ?? new ServiceError('upstream_unavailable', `The ${name} service cannot be reached`));
}
