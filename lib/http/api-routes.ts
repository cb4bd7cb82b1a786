// Routes of the API: each has a summary, and the tags and permission of its group unless it names its own. They are in
// /openapi.json; pages and the operators' addresses are registered on the application itself.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyContextConfig,
  FastifyRequest,
  FastifySchema,
  RawServerDefault,
  RouteGenericInterface,
  RouteOptions,
} from 'fastify';
import Type, { type Static, type TSchema } from 'typebox';
import type { Permission } from '../auth/permissions.ts';
import type { HttpApp } from './http-app.ts';

/** What the routes of a group have in common. */
interface RouteGroup {
  readonly tags: readonly string[];
  /** Of routes that do not name one in their `config`. */
  readonly permission?: Permission;
}

type Documented<Schema> = Schema & Readonly<{ tags: readonly string[]; summary: string }>;

type Route<Schema extends FastifySchema> = RouteOptions<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  RouteGenericInterface,
  FastifyContextConfig,
  Documented<Schema>,
  TypeBoxTypeProvider,
  FastifyBaseLogger
>;

type Options<Schema extends FastifySchema> = Omit<Route<Schema>, 'method' | 'url' | 'handler' | 'schema'> & {
  readonly schema: Schema;
};

/** `options` are those of Fastify; the handler has the types of their `schema`. */
type Register = <const Schema extends FastifySchema>(
  path: string,
  summary: string,
  options: Options<Schema>,
  handler: Route<Schema>['handler'],
) => void;

interface RemovalOptions<Params extends TSchema> {
  readonly config?: Partial<FastifyContextConfig>;
  readonly params: Params;
  readonly headers?: TSchema;
  /** Errors are those of the service. */
  run(request: FastifyRequest & { readonly params: Static<Params> }): Promise<unknown>;
}

export interface ApiRoutes extends Readonly<Record<Lowercase<Method>, Register>> {
  /** A DELETE that answers 204 when `run` has ended. */
  remove<Params extends TSchema>(path: string, summary: string, options: RemovalOptions<Params>): void;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Registers routes of a group: `routes.get('/api/groups', 'The groups', { schema: { response } }, handler)`. */
export function apiRoutes(app: HttpApp, { tags, permission }: RouteGroup): ApiRoutes {
  const register =
    (method: Method): Register =>
    (url, summary, { schema, config, ...options }, handler) => {
      app.route({
        ...options,
        method,
        url,
        config: { ...(permission === undefined ? {} : { permission }), ...config },
        schema: { ...schema, tags, summary },
        handler,
      });
    };
  // The types of the request are checked where the route is declared.
  const remove = (path: string, summary: string, { params, headers, run, ...options }: RemovalOptions<TSchema>): void =>
    register('DELETE')(
      path,
      summary,
      { ...options, schema: { params, ...(headers && { headers }), response: { 204: Type.Null() } } },
      async (request, reply) => {
        await run(request);
        return reply.code(204).send(null);
      },
    );
  return { get: register('GET'), post: register('POST'), put: register('PUT'), delete: register('DELETE'), remove };
}
