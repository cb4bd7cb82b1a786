// The table of the FHIR routes of a service: one row for each type, interaction and method. /openapi.json is written
// from its rows. Most types have rows that differ only in their permissions. Fastify gets one route for all of these,
// because thousands of routes made a start slow (docs/adr/0094).
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Permission } from '#lib/auth/permissions.ts';
import type { ServedRoute } from '#lib/http/response/served-route.ts';
import { familyNameIn, familySegment, type RouteFamily } from '#lib/http/route-family.ts';
import type { DescribeRoute } from '../openapi/document-routes.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface RowOptions {
  readonly config: FastifyContextConfig & { readonly permission: Permission };
  readonly schema: { readonly tags: readonly string[]; readonly summary: string };
  /** Bytes. */
  readonly bodyLimit?: number;
  readonly prefixTrailingSlash?: 'both' | 'no-slash' | 'slash';
}

interface Row extends RowOptions {
  readonly methods: readonly Method[];
  /** Below the prefix of the scope: `/Patient/:id`. */
  readonly url: string;
  handler(this: FastifyInstance, request: FastifyRequest, reply: FastifyReply): unknown;
}

export interface RouteTable {
  /** Adds a row: `add('GET', '/Patient/:id', { config, schema }, handler)`. `options` are those of Fastify. */
  add(methods: Method | readonly Method[], url: string, options: RowOptions, handler: Row['handler']): void;
  /** Registers the routes of all rows below the prefix of the scope. Call it once. */
  mount(scope: FastifyInstance, describe: DescribeRoute): void;
}

export function createRouteTable(): RouteTable {
  const rows: Row[] = [];
  return {
    add: (methods, url, options, handler) => {
      rows.push({ ...options, methods: typeof methods === 'string' ? [methods] : methods, url, handler });
    },
    mount: (scope, describe) => {
      const documentedAs = rows.map((row) => documented(row, scope.prefix, describe));
      for (const route of routesOf(rows, scope.prefix)) {
        scope.route({ ...route, config: { ...route.config, documentedAs } });
      }
    },
  };
}

/** The row as /openapi.json describes it. */
function documented(row: Row, prefix: string, describe: DescribeRoute): RouteOptions {
  const { methods, url, config, schema, handler } = row;
  const address = row.prefixTrailingSlash === 'no-slash' ? prefix : prefix + url;
  return {
    method: [...methods],
    url: address,
    config: { openApi: describe(address.slice(prefix.length)), ...config },
    schema,
    handler,
  };
}

/** So many types share routes. With fewer, routes of their own cost little. */
const FEWEST_ALIKE = 10;

/** `/Patient/:id` is the type `Patient` and the rest `/:id`. */
const TYPE_ADDRESS = /^\/([A-Z][A-Za-z]+)(\/.*)?$/;

/**
 * The routes to register. The router takes one expression for a place in an address. So the types of the most common
 * form share their routes, and the others have their own.
 */
function routesOf(rows: readonly Row[], prefix: string): RouteOptions[] {
  const byType = Map.groupBy(rows, typeOf);
  byType.delete('');
  const byForm = Map.groupBy(byType, ([, own]) => own.map(formOf).join('\n'));
  const [most = []] = [...byForm.values()].sort((one, other) => other.length - one.length);
  const alike = new Map(most.length < FEWEST_ALIKE ? [] : most);
  const ownRoutes = rows.filter((row) => !alike.has(typeOf(row))).map(routeOf);
  return [...ownRoutes, ...familiesOf(alike, prefix)];
}

/** What of a row its route depends on. What {@link ServedRoute} holds may differ between the types of a route. */
function formOf({ methods, url, config, bodyLimit }: Row): string {
  return `${methods.join()} ${restOf(url)} ${JSON.stringify(sharedBy(config))} ${bodyLimit}`;
}

function sharedBy({ permission: _permission, searched: _searched, ...config }: Row['config']): FastifyContextConfig {
  return config;
}

/** Empty for the address of no type. */
function typeOf({ url }: Row): string {
  return TYPE_ADDRESS.exec(url)?.[1] ?? '';
}

function restOf(url: string): string {
  return TYPE_ADDRESS.exec(url)?.[2] ?? '';
}

function routeOf({ methods, ...row }: Row): RouteOptions {
  return { ...row, method: [...methods] };
}

/** The routes of types whose rows have the same forms. */
function familiesOf(types: ReadonlyMap<string, readonly Row[]>, prefix: string): RouteOptions[] {
  const names = [...types.keys()];
  const [rows = []] = types.values();
  const segment = familySegment(names);
  return rows.map((row, at) => {
    const members = new Map(names.map((name) => [name, types.get(name)?.[at]]));
    return {
      ...routeOf(row),
      url: `/${segment}${restOf(row.url)}`,
      config: { ...sharedBy(row.config), family: familyOf(members, prefix) },
      handler(request, reply) {
        return members.get(familyNameIn(request.params))?.handler.call(this, request, reply);
      },
    };
  });
}

function familyOf(members: ReadonlyMap<string, Row | undefined>, prefix: string): RouteFamily {
  const served = new Map<string, ServedRoute>();
  return {
    routeOf: (params) => {
      const name = familyNameIn(params);
      const known = served.get(name);
      if (known !== undefined) return known;
      const row = members.get(name);
      if (row === undefined) throw new TypeError(`${name} has no such route`);
      const { permission, caching = 'unstored', searched } = row.config;
      const made = { url: prefix + row.url, permission, caching, ...(searched === undefined ? {} : { searched }) };
      served.set(name, made);
      return made;
    },
  };
}
