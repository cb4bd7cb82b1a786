// Creates the Fastify application of a service: validation, the error handler of each wire form, permissions, request
// ids, logs, metrics and the operational routes. It does not listen; main.ts and the tests decide that.
import type { IncomingMessage } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { Authenticator } from '../auth/authenticator.ts';
import type { Principal } from '../auth/principal.ts';
import { operationNotServed, ServiceError } from '../errors.ts';
import type { Logger } from '../log/logger.ts';
import { withLazyChildren } from '../log/request-logger.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { runInTrace } from '../traces/trace-context.ts';
import { type Tracer, UNTRACED } from '../traces/tracer.ts';
import { type AuthenticatorOf, guardRoute } from './admission.ts';
import { limitBodies } from './body/body-limits.ts';
import { readJsonWith } from './body/json-body.ts';
import { parseQueryOf, skipQueryParsing } from './body/query-parser.ts';
import { decodeBody } from './body/request-encoding.ts';
import { boundBody } from './body/schema-bounds.ts';
import { TIME_LIMITS, type TimeLimits, watchUploads } from './body/upload-watch.ts';
import { closeConnectionsWithApp } from './closing.ts';
import { createErrorResponses, type ErrorResponses, pathOf, type WireForm } from './error-handler.ts';
import type { FhirWire } from './fhir-wire.ts';
import { createForwarding, type Forwarding } from './forwarding.ts';
import type { HttpApp } from './http-app.ts';
import { createMethodTable } from './method-table.ts';
import { registerApiDocs } from './openapi/openapi.ts';
import type { OperationExamples } from './openapi/openapi-examples.ts';
import { type ReadinessCheck, registerOperations } from './operations.ts';
import { takeRequestId } from './record/request-id.ts';
import { createRequestRecord } from './record/request-record.ts';
import { compressResponses } from './response/compression.ts';
import { allowOrigins, headersWithoutOrigin, isPreflightRoute } from './response/cors.ts';
import { sendDirectResponses } from './response/direct-responses.ts';
import { stripReadOnlyMembers } from './response/read-back.ts';
import { guardResponses, UNSTORED_HEADERS } from './response/response-headers.ts';
import { createSerializerCompiler } from './response/serialization.ts';
import { guardStart, type ServingGate } from './serving-gate.ts';
import { handlersOf } from './tenants/tenant-handlers.ts';
import { serveTenants, type TenantRequests } from './tenants/tenant-requests.ts';
import { createTimeLimit } from './time-limit.ts';
import { respondToUnreadable } from './unreadable-request.ts';
import { createValidatorCompiler } from './validation.ts';

export interface HttpAppOptions {
  readonly service: string;
  readonly title: string;
  readonly version: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly authenticator: Authenticator;
  readonly readiness: readonly ReadinessCheck[];
  readonly wireFormOf: (path: string) => WireForm;
  readonly fhir: FhirWire;
  /** Addresses or CIDRs of proxies whose X-Forwarded-For is trusted; none when empty. */
  readonly trustProxy: readonly string[];
  /** The secret by which the gateway proves itself (./forwarding.ts). */
  readonly gatewayProof?: string | undefined;
  /** Origins whose pages may call from a browser; none when empty. */
  readonly corsOrigins: readonly string[];
  /** Example calls for /openapi.json, by operation; none when left out. */
  readonly examples?: (() => OperationExamples) | undefined;
  /** How long a request may take to arrive. */
  readonly times?: TimeLimits;
  /** Refuses requests until the service can serve them; every request is served when left out. */
  readonly gate?: ServingGate | undefined;
  /**
   * How long a request may run after its body has arrived, in milliseconds; without limit when left out
   * (./time-limit.ts).
   */
  readonly limitMs?: number | undefined;
  /** Records requests as spans; nothing is recorded when left out. */
  readonly tracer?: Tracer | undefined;
  /** How long idle connections stay open during shutdown, in milliseconds; 0 when left out. */
  readonly drainMs?: number | undefined;
  /** Aborted when the process begins to stop; see ./closing.ts. */
  readonly stopping?: AbortSignal | undefined;
  /** The tenants of the service besides the default one; none when left out. */
  readonly tenants?: TenantRequests | undefined;
}

const BODY_LIMIT_BYTES = 1024 * 1024;

/**
 * Normalises the URL before routing. `/%24validate` is the same address as `/$validate` (RFC 3986, 6.2.2.2), but the
 * router does not decode it. A FHIR address may end in a slash, as many clients send it.
 */
function routedUrl(url: string, wireFormOf: (path: string) => WireForm): string {
  const query = url.indexOf('?');
  const end = query === -1 ? url.length : query;
  const path = url.slice(0, end);
  const plain = path.includes('%24') ? path.replaceAll('/%24', '/$') : path;
  const isSlashed = end > 1 && plain.endsWith('/');
  const bare = isSlashed && wireFormOf(plain.slice(0, -1)) === 'fhir' ? plain.slice(0, -1) : plain;
  return bare === path ? url : bare + url.slice(end);
}

/** Creates the application with everything that all services share. The service registers its own plugin on it. */
export async function createHttpApp(options: HttpAppOptions): Promise<HttpApp> {
  const { logger, wireFormOf, tenants, times = TIME_LIMITS } = options;
  const authenticatorOf = authenticatorsOf(options);
  const forwarding = createForwarding(options);
  const errors = createErrorResponses(options);
  const app: HttpApp = Fastify({
    loggerInstance: withLazyChildren(logger as FastifyBaseLogger),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    bodyLimit: BODY_LIMIT_BYTES,
    http: { headersTimeout: times.headersMs, connectionsCheckingInterval: times.checkMs },
    genReqId: takeRequestId,
    trustProxy: forwarding.trusts,
    routerOptions: {
      ignoreTrailingSlash: false,
      maxParamLength: 512,
      querystringParser: skipQueryParsing,
      // The expressions are our own (./route-family.ts). To check one takes a millisecond, for each of its routes.
      allowUnsafeRegex: true,
    },
    // A request that arrives during shutdown is served. Only new connections are refused.
    return503OnClosing: false,
    rewriteUrl: (request) => {
      if (tenants === undefined) forwarding.clean(request);
      else tenants.enter(request, forwarding);
      return routedUrl(request.url ?? '/', wireFormOf);
    },
    clientErrorHandler: respondToUnreadable,
    forceCloseConnections: 'idle',
    // Errors of the router get our format. The address is not repeated, as it may hold a token.
    frameworkErrors: (error, _request, reply) => void errors.send(routerError(error.code), reply),
  }).withTypeProvider<TypeBoxTypeProvider>();
  chooseBodyParsers(app);
  const methods = createMethodTable();
  app.setValidatorCompiler(createValidatorCompiler());
  app.setSerializerCompiler(createSerializerCompiler());
  app.setErrorHandler(errors.handle);
  app.setNotFoundHandler((request, reply) => respondToUnknown(request, reply, { methods, wireFormOf, errors }));
  app.decorate('ofTenant', (own) => own);
  app.decorate('offerRoutes', function (make) {
    for (const route of make()) this.route(route);
  });
  app.decorateRequest('principal', undefined);
  app.decorateRequest('refusal', undefined);
  app.decorateRequest('checkAgain', undefined);
  app.decorateRequest('trace', undefined);
  app.decorateRequest('served', undefined);
  app.decorateRequest('hasCapability', false);
  const timeLimit = createTimeLimit(app, options.limitMs);
  app.addHook('onRoute', (route) => {
    // Routes of CORS preflights come from a plugin that knows no permissions.
    const isPreflight = isPreflightRoute(route);
    if (isPreflight) route.config = { ...route.config, permission: 'public', caching: 'unstored' };
    const { permission, family } = route.config ?? {};
    if ((permission ?? family) === undefined) throw new Error(`${route.method} ${route.url} names no permission`);
    if (!isPreflight) methods.add(route.method, route.url);
    guardRoute(route, authenticatorOf);
    limitBodies(route);
    boundBody(route);
    parseQueryOf(route);
    stripReadOnlyMembers(route);
    timeLimit.bound(route);
  });
  const closing = closeConnectionsWithApp(app, { drainMs: options.drainMs ?? 0, stopping: options.stopping });
  observeRequests(app, options, { authenticatorOf, forwarding });
  app.addHook('preParsing', decodeBody);
  guardResponses(app);
  if (options.gate !== undefined) guardStart(app, options.gate);
  if (tenants !== undefined) serveTenants(app, tenants);
  await allowOrigins(app, options.corsOrigins);
  // Runs before the body is read. Otherwise Fastify would demand a content type of methods such as QUERY, which no
  // route takes.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) respondToUnknown(request, reply, { methods, wireFormOf, errors });
    else done();
  });
  watchUploads(app, times);
  compressResponses(app);
  const { title, version, examples = () => ({}) } = options;
  await registerApiDocs(app, { title, version }, { wireFormOf, examples });
  const readiness = [closing, ...(options.gate === undefined ? [] : [options.gate.readiness]), ...options.readiness];
  registerOperations(app, { metrics: options.metrics, readiness });
  return app;
}

/** The authenticator of the tenant that a request names. */
function authenticatorsOf({ authenticator, tenants }: HttpAppOptions): AuthenticatorOf {
  if (tenants === undefined) return () => authenticator;
  return (request) => handlersOf(request)?.authenticator ?? authenticator;
}

/** The caller of a route that only authenticated callers reach. @throws ServiceError `unauthorized` */
export function requirePrincipal(request: FastifyRequest): Principal {
  if (request.principal === undefined) throw new ServiceError('unauthorized', 'Authentication is required');
  return request.principal;
}

function routerError(code: string): ServiceError {
  if (code === 'FST_ERR_BAD_URL') return new ServiceError('invalid_request', 'The address is malformed');
  return new ServiceError('not_found', 'There is nothing at this address');
}

/** Only JSON is parsed. An empty body counts as none, because many clients send a content type even without a body. */
function chooseBodyParsers(app: HttpApp): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, readJsonWith());
}

function observeRequests(
  app: HttpApp,
  options: HttpAppOptions,
  { authenticatorOf, forwarding }: { readonly authenticatorOf: AuthenticatorOf; readonly forwarding: Forwarding },
): void {
  const { logger, metrics, corsOrigins, fhir, tenants, tracer = UNTRACED } = options;
  const listeners: ((principal: Principal | undefined, request: IncomingMessage) => void)[] = [];
  app.decorate('onResponseSent', (listener) => void listeners.push(listener));
  const onResponseSent = (principal: Principal | undefined, request: IncomingMessage): void => {
    for (const each of listeners) each(principal, request);
  };
  const record = createRequestRecord({ logger, metrics, onResponseSent, keyOf: fhir.keyOf });
  sendDirectResponses(app, {
    authenticatorOf,
    enter: tenants && ((request) => tenants.enterAtOnce(request, forwarding)),
    record,
    tracer,
    headers: [...headersWithoutOrigin(corsOrigins), ...UNSTORED_HEADERS.flat()],
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    request.trace = tracer.begin(request.id, request.headers);
    runInTrace(request.trace, done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    record.recordReply(request, reply);
    done();
  });
}

function respondToUnknown(
  request: FastifyRequest,
  reply: FastifyReply,
  site: {
    methods: ReturnType<typeof createMethodTable>;
    wireFormOf: (path: string) => WireForm;
    errors: Pick<ErrorResponses, 'send'>;
  },
): FastifyReply {
  const path = pathOf(request);
  const allowed = site.methods.allowedFor(path);
  // A route may itself call `callNotFound`.
  if (allowed.length === 0 || allowed.includes(request.method)) {
    const isSlashed = path.endsWith('/') && site.methods.allowedFor(path.slice(0, -1)).length > 0;
    const nothing = `There is nothing at this address${isSlashed ? '; without the slash at its end there is' : ''}`;
    const isFhir = site.wireFormOf(path) === 'fhir';
    const named = isFhir ? (unknownType(path, site.methods) ?? unknownOperation(path)) : undefined;
    return site.errors.send(named ?? new ServiceError('not_found', nothing), reply);
  }
  const allow = allowed.join(', ');
  const error = new ServiceError('method_not_allowed', `This address takes ${allow}`, { headers: { allow } });
  return site.errors.send(error, reply);
}

/**
 * The error for `/api/v1/Nope/1`, which names no resource type. Undefined for an address below a type that is served.
 */
function unknownType(path: string, methods: ReturnType<typeof createMethodTable>): ServiceError | undefined {
  const [upTo = '', type = ''] = /^.*?\/([A-Z][A-Za-z]*)(?=\/|$)/.exec(path) ?? [];
  return type === '' || methods.allowedFor(upTo).length > 0
    ? undefined
    : new ServiceError('not_found', `${type} is no resource type that is served here`);
}

/** The error for `/api/v1/Patient/$match`; undefined for an address that ends with no operation. */
function unknownOperation(path: string): ServiceError | undefined {
  const [, name] = /\/(\$[a-z][a-z-]{0,63})\/?$/i.exec(path) ?? [];
  return name === undefined ? undefined : operationNotServed(name);
}
