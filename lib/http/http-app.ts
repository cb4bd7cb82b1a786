// The type of a service's Fastify application: what a route declares beside its schema, and what a request carries.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { Permission } from '../auth/permissions.ts';
import type { Principal } from '../auth/principal.ts';
import type { ErrorCode, ServiceError } from '../errors.ts';
import type { TraceContext } from './record/trace-context.ts';
import type { FindCachedResponse } from './response/cached-response.ts';
import type { Caching, ServedRoute } from './response/served-route.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The permission from lib/auth/permissions.ts that the route needs; a route without one cannot be registered. */
    permission?: Permission;
    /** Who may keep the answers; nobody when left out. */
    caching?: Caching;
    /** The code that answers a body which fails the schema; `validation_error` when left out. */
    validationCode?: ErrorCode;
    /** What the route answers beside what follows from its declaration; /openapi.json tells it. */
    errors?: readonly ErrorCode[];
    /** The media type of the 200, where the route declares no shape of it. */
    answerType?: string;
    /** By status, what is neither a declared shape nor a resource nor an error: a media type, or null for no body. */
    answers?: Readonly<Record<number, string | null>>;
    /** A form from a browser is answered by pages, with the same statuses. */
    hasPages?: true;
    /** A FHIR create that refuses `If-None-Exist`: there is no answer for what was there already. */
    isUnconditional?: true;
    /** A GET that answers 304 to a caller who has it already, also where caches may keep nothing. */
    isConditional?: true;
    /** The route makes something and takes `Idempotency-Key` (lib/idempotency). */
    idempotent?: boolean;
    /** The largest body from a caller without credentials, in bytes; 16 KiB when left out (./body/body-limits.ts). */
    openBodyLimit?: number;
    /** Bodies are passed on unread, and judged by whoever reads them. */
    forwardsBody?: boolean;
    /**
     * The route is a search of FHIR: of a type, within a compartment (the address names the type), or, with neither, of
     * all. `interaction`: not a search by itself, but what is done with what a search finds, or with all that there is.
     */
    searched?: { readonly type?: string; readonly compartment?: string; readonly interaction?: string };
    /**
     * A caller who is known and has no right is refused when the body has come: what was asked is on record then, as it
     * would be of a query.
     */
    refusedWithBody?: boolean;
    /** Bodies and answers may be of any type: the content of a Binary. */
    isNative?: boolean;
    /** The route unpacks a compressed body itself. */
    keepsEncoding?: boolean;
    /** The handler reads a body of any length, and is not bounded in time (./time-limit.ts). */
    takesItsTime?: boolean;
    /**
     * What the route does may end when its caller has gone: it reads, or is all or nothing. Of GET and HEAD when left
     * out.
     */
    endsWithCaller?: boolean;
  }
  interface FastifyInstance {
    /** Has the listener told who asked, of each request that has been answered, however it was. */
    onAnswered(listener: (principal: Principal | undefined) => void): void;
    /** Has answers that are ready sent before the router is asked (docs/adr/0032). */
    offerCachedResponses(find: FindCachedResponse): void;
  }
  interface FastifyRequest {
    /** The caller; undefined only on routes that anyone may call. */
    principal: Principal | undefined;
    /** Why its caller is refused, where that is answered after the body has come. */
    refusal: ServiceError | undefined;
    /**
     * What the request brings in place of credentials has been judged before its body: a receipt token, the headers of
     * a signed message.
     */
    hasCapability: boolean;
    /** Where its body is watched as it comes in (upload-watch.ts). */
    uploadSlot: number;
    /**
     * The route that was found, the same object for all its requests: what Fastify tells of it is made anew for each
     * question.
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
