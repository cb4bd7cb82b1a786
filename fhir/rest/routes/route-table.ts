// The table of the FHIR routes of a service: one row for each type, interaction and method. /openapi.json is written
// from its rows. Most types have rows that differ only in their permissions. Fastify gets one route for all of these,
// because thousands of routes made a start slow (docs/adr/0094). The rows of a type are kept only once a request has
// asked for the type: each tenant has a table of its own, and uses few types (docs/adr/0147).
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

/** Rows in their order. */
export interface RowList {
  /** Adds a row: `add('GET', '/Patient/:id', { config, schema }, handler)`. `options` are those of Fastify. */
  add(methods: Method | readonly Method[], url: string, options: RowOptions, handler: Row['handler']): void;
}

export interface RouteTable extends RowList {
  /**
   * Adds the rows of a type, whose addresses begin with its name. `addRows` is called again when a request first asks
   * for the type, and must add the same rows.
   */
  addType(type: string, addRows: (list: RowList) => void): void;
  /** Registers the routes of all rows below the prefix of the scope. Call it once. */
  mount(scope: FastifyInstance, describe: DescribeRoute): void;
}

export function createRouteTable(): RouteTable {
  const others: Row[] = [];
  const types = new Map<string, (list: RowList) => void>();
  return {
    ...listOf(others),
    addType: (type, addRows) => void types.set(type, addRows),
    mount: (scope, describe) => {
      const { prefix } = scope;
      const byType = new Map([...types].map(([type, addRows]) => [type, rowsBy(addRows)]));
      const documentedAs = [...others, ...[...byType.values()].flat()].map((row) => documented(row, prefix, describe));
      for (const route of [...others.map(routeOf), ...routesOf(byType, { prefix, rowOf: keepingRows(types) })])
        scope.route({ ...route, config: { ...route.config, documentedAs } });
    },
  };
}

function listOf(rows: Row[]): RowList {
  return {
    add: (methods, url, options, handler) => {
      rows.push({ ...options, methods: typeof methods === 'string' ? [methods] : methods, url, handler });
    },
  };
}

function rowsBy(addRows: (list: RowList) => void): readonly Row[] {
  const rows: Row[] = [];
  addRows(listOf(rows));
  return rows;
}

/** The row at this place among those of the type; undefined for a type without. */
type RowOf = (type: string, at: number) => Row | undefined;

/** Makes the rows of a type when they are first asked for, and keeps them. */
function keepingRows(types: ReadonlyMap<string, (list: RowList) => void>): RowOf {
  const kept = new Map<string, readonly Row[]>();
  return (type, at) => {
    const known = kept.get(type);
    if (known !== undefined) return known[at];
    const addRows = types.get(type);
    if (addRows === undefined) return undefined;
    const made = rowsBy(addRows);
    kept.set(type, made);
    return made[at];
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

interface Site {
  readonly prefix: string;
  readonly rowOf: RowOf;
}

/**
 * The routes to register. The router takes one expression for a place in an address. So the types of the most common
 * form share their routes, and the others have their own.
 */
function routesOf(byType: ReadonlyMap<string, readonly Row[]>, site: Site): RouteOptions[] {
  const byForm = Map.groupBy(byType, ([type, rows]) => rows.map((row) => formOf(row, type)).join('\n'));
  const [most = []] = [...byForm.values()].sort((one, other) => other.length - one.length);
  const alike = new Map(most.length < FEWEST_ALIKE ? [] : most);
  const ownRoutes = [...byType].flatMap(([type, rows]) =>
    alike.has(type)
      ? []
      : rows.map((row, at) => ({ ...routeOf(row), handler: handlerOfType(type, { at, rowOf: site.rowOf }) })),
  );
  return [...ownRoutes, ...familiesOf(alike, site)];
}

/** What of a row its route depends on. What {@link ServedRoute} holds may differ between the types of a route. */
function formOf({ methods, url, config, bodyLimit }: Row, type: string): string {
  return `${methods.join()} ${restOf(url, type)} ${JSON.stringify(sharedBy(config))} ${bodyLimit}`;
}

function sharedBy({ permission: _permission, searched: _searched, ...config }: Row['config']): FastifyContextConfig {
  return config;
}

/** `/:id` of `/Patient/:id`. @throws TypeError for the address of another type */
function restOf(url: string, type: string): string {
  const base = `/${type}`;
  const rest = url.slice(base.length);
  if (!url.startsWith(base) || !(rest === '' || rest.startsWith('/'))) throw new TypeError(`${url} is not of ${type}`);
  return rest;
}

function routeOf({ methods, ...row }: Row): RouteOptions {
  return { ...row, method: [...methods] };
}

/** Made here so that the handler holds on to none of the rows, which closures in {@link routesOf} would. */
function handlerOfType(type: string, { at, rowOf }: { readonly at: number; readonly rowOf: RowOf }): Row['handler'] {
  return handlerOf(() => rowOf(type, at));
}

function handlerOf(find: (request: FastifyRequest) => Row | undefined): Row['handler'] {
  return function (request, reply) {
    return find(request)?.handler.call(this, request, reply);
  };
}

/** The routes of types whose rows have the same forms. */
function familiesOf(types: ReadonlyMap<string, readonly Row[]>, { prefix, rowOf }: Site): RouteOptions[] {
  const names = [...types.keys()];
  const [rows = []] = types.values();
  const [first = ''] = names;
  const segment = familySegment(names);
  return rows.map((row, at) => ({
    ...routeOf(row),
    url: `/${segment}${restOf(row.url, first)}`,
    config: { ...sharedBy(row.config), family: familyOf((type) => rowOf(type, at), prefix) },
    handler: handlerOf((request) => rowOf(familyNameIn(request.params), at)),
  }));
}

function familyOf(rowOf: (type: string) => Row | undefined, prefix: string): RouteFamily {
  const served = new Map<string, ServedRoute>();
  return {
    routeOf: (params) => {
      const name = familyNameIn(params);
      const known = served.get(name);
      if (known !== undefined) return known;
      const row = rowOf(name);
      if (row === undefined) throw new TypeError(`${name} has no such route`);
      const { permission, caching = 'unstored', searched } = row.config;
      const made = { url: prefix + row.url, permission, caching, ...(searched === undefined ? {} : { searched }) };
      served.set(name, made);
      return made;
    },
  };
}
