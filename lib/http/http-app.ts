// The type of a service's Fastify application: what a route declares besides its schema, and what a request carries.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault, RouteOptions } from 'fastify';
import type { Permission } from '../auth/permissions.ts';
import type { Principal } from '../auth/principal.ts';
import type { ErrorCode, ServiceError } from '../errors.ts';
import type { TraceContext } from '../traces/trace-context.ts';
import type { OpenApiComponents, OpenApiReferences } from './openapi/components.ts';
import type { ApiDocument } from './openapi/described-api.ts';
import type { FindDirectResponse } from './response/direct-response.ts';
import type { Caching, SearchedRoute, ServedRoute } from './response/served-route.ts';
import type { RouteFamily } from './route-family.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The permission from lib/auth/permissions.ts that the route needs. A route without one cannot be registered. */
    permission?: Permission;
    /**
     * Of a route that a receipt token opens: the permission by which a caller may name the record by its guid instead.
     * The route then decides by the caller (docs/adr/0077).
     */
    ownPermission?: Permission;
    /** Which caches may store the responses; none when left out. */
    caching?: Caching;
    /** The error code for a body that fails the schema; `validation_error` when left out. */
    validationCode?: ErrorCode;
    /** Error codes beyond those that follow from the route's declaration, for /openapi.json. */
    errors?: readonly ErrorCode[];
    /** The media type of the 200 response, where the route declares no schema of it. */
    responseType?: string;
    /**
     * By status, the media type of responses that are neither a declared schema nor a resource nor an error; null for
     * no body.
     */
    responseTypes?: Readonly<Record<number, string | null>>;
    /** A form from a browser gets HTML pages, with the same statuses. */
    hasPages?: true;
    /** A FHIR create without `If-None-Exist`: it never responds with an existing resource. */
    isUnconditional?: true;
    /** A GET that responds 304 to a matching precondition, also where caches may store nothing. */
    isConditional?: true;
    /** The route creates something and takes `Idempotency-Key` (lib/idempotency). */
    idempotent?: boolean;
    /** The largest body from a caller without credentials, in bytes; 16 KiB when left out (./body/body-limits.ts). */
    openBodyLimit?: number;
    /** Bodies are forwarded unread; the service that reads them checks them. */
    forwardsBody?: boolean;
    /** A GET that shows what background work has written for the caller (lib/replicas/position-header.ts). */
    showsWrites?: true;
    /** The route is a FHIR search. */
    searched?: SearchedRoute;
    /** The route serves the same address of several names (./route-family.ts). */
    family?: RouteFamily;
    /**
     * The routes that /openapi.json describes in place of this one: a table that several routes share, in its order.
     */
    documentedAs?: readonly RouteOptions[];
    /**
     * An authenticated caller without the permission is refused after the body has arrived. The audit record then holds
     * the parameters of the search, as it does for a query string.
     */
    refusesAfterBody?: boolean;
    /** Request and response bodies may have any media type: the content of a Binary. */
    isNative?: boolean;
    /** The route decompresses the body itself. */
    keepsEncoding?: boolean;
    /** The handler reads a body of any length and has no time limit (./time-limit.ts). */
    hasNoTimeLimit?: boolean;
    /** The response stays open for long; the handler checks the caller again by `request.checkAgain`. */
    staysOpen?: boolean;
    /**
     * The work of the route may be aborted when the client disconnects: it only reads, or is one transaction. GET and
     * HEAD when left out.
     */
    abortsOnDisconnect?: boolean;
    /** The components of /openapi.json that the route refers to, by its method, where no schemas describe it. */
    openApi?: (method: string) => OpenApiReferences;
  }
  interface FastifyInstance {
    /** Adds a listener that is called with the caller, and with the request, after every response. */
    onResponseSent(listener: (principal: Principal | undefined, request: IncomingMessage) => void): void;
    /** Adds a source of responses that are sent before routing (docs/adr/0032, docs/adr/0089). */
    offerDirectResponses(find: FindDirectResponse): void;
    /**
     * For functions that routes of {@link offerRoutes} call with the request first. Returns what calls that of the
     * request's tenant, where tenants share the routes (./tenants/shared-routes.ts).
     */
    ofTenant<Own extends (request: FastifyRequest, ...rest: never[]) => unknown>(own: Own): Own;
    /**
     * Adds routes that are the same for every tenant: what differs they get by functions of {@link ofTenant}. `make` is
     * called once, however many tenants there are.
     */
    offerRoutes(make: () => readonly RouteOptions[]): void;
    /** Adds components to /openapi.json, to which `config.openApi` of routes refers. */
    offerOpenApiComponents(components: OpenApiComponents): void;
    /** What /openapi.json is written from; complete once the application is ready. */
    apiDocument: ApiDocument;
  }
  interface FastifyRequest {
    /** The caller; undefined only on routes that anyone may call. */
    principal: Principal | undefined;
    /** The refusal of the caller, where it is sent after the body has arrived. */
    refusal: ServiceError | undefined;
    /**
     * The request proved a right other than by credentials, before its body: by a receipt token, or by the headers of a
     * signed message.
     */
    hasCapability: boolean;
    /**
     * Checks credentials and permission again, as on arrival, and returns the caller as it is now. Only on routes that
     * stay open. Rejects with a ServiceError when the caller may not any more.
     */
    checkAgain: (() => Promise<Principal>) | undefined;
    /** The slot of its body in upload-watch.ts. */
    uploadSlot: number;
    /**
     * The matched route, one object for all its requests. Fastify builds the description of a route again for each
     * access.
     */
    served: ServedRoute | undefined;
    /** The trace that the request belongs to; undefined before its first hook. */
    trace: TraceContext | undefined;
  }
}

export type HttpApp = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;
