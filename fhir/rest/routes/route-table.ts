// The table of the FHIR routes of a service: one row for each type, interaction and method. /openapi.json is written
// from its rows. Most types have rows that differ only in their permissions. Fastify gets one route for all of these,
// because thousands of routes made a start slow (docs/adr/0094). Tenants share the routes. Each has a table of its own,
// whose rows of a type are made when a request asks for them, and kept until garbage is collected (docs/adr/0146).
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Permission } from '#lib/auth/permissions.ts';
import type { ServedRoute } from '#lib/http/response/served-route.ts';
import { familyNameIn, familySegment, type RouteFamily } from '#lib/http/route-family.ts';
import { createRemadeValues } from '#lib/remade-values.ts';
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

interface ServedType {
  readonly type: string;
}

/** Rows in their order. */
export interface RowList {
  /** Adds a row: `add('GET', '/Patient/:id', { config, schema }, handler)`. `options` are those of Fastify. */
  add(methods: Method | readonly Method[], url: string, options: RowOptions, handler: Row['handler']): void;
}

export interface RouteTable extends RowList {
  /**
   * Adds the rows of types; the addresses of a type begin with its name. `addRows` is called again when a request asks
   * for a type, and must add the same rows.
   */
  addTypes<Type extends ServedType>(types: readonly Type[], addRows: (list: RowList, type: Type) => void): void;
  /** Registers the routes of all rows below the prefix of the scope. Call it once. */
  mount(scope: FastifyInstance, describe: DescribeRoute): void;
}

export function createRouteTable(): RouteTable {
  const others: Row[] = [];
  let types: readonly ServedType[] = [];
  let rowsOf: (type: ServedType) => readonly Row[] = () => [];
  return {
    ...listOf(others),
    addTypes: (given, addRows) => {
      types = given;
      rowsOf = (type) => rowsBy((list) => addRows(list, type as (typeof given)[number]));
    },
    mount: (scope, describe) => {
      const { prefix } = scope;
      const documentedAs: RouteOptions[] = [];
      const mount = (route: RouteOptions) => ({ ...route, config: { ...route.config, documentedAs } });
      const ownRowOf = remadeRows(types, rowsOf);
      const rowOf = scope.ofTenant((_request: FastifyRequest, type: string, at: number) => ownRowOf(type, at));
      scope.offerRoutes(() => {
        const byType = new Map(types.map((type) => [type.type, rowsOf(type)]));
        const rows = [...others, ...[...byType.values()].flat()];
        documentedAs.push(...rows.map((row) => documented(row, prefix, describe)));
        return routesOf(byType, { prefix, rowOf, ownRowOf }).map(mount);
      });
      for (const row of others) scope.route(mount(routeOf(row)));
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

/** The row at this place among those of the type, for the tenant of the request; undefined for a type without. */
type RowOf = (request: FastifyRequest, type: string, at: number) => Row | undefined;

/** The same, of this table alone. */
type OwnRowOf = (type: string, at: number) => Row | undefined;

function remadeRows(types: readonly ServedType[], rowsOf: (type: ServedType) => readonly Row[]): OwnRowOf {
  const rows = createRemadeValues((name: string) => {
    const type = types.find((each) => each.type === name);
    return type && rowsOf(type);
  });
  return (type, at) => rows.get(type)?.[at];
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
  readonly ownRowOf: OwnRowOf;
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
  return handlerOf((request) => rowOf(request, type, at));
}

function handlerOf(find: (request: FastifyRequest) => Row | undefined): Row['handler'] {
  return function (request, reply) {
    return find(request)?.handler.call(this, request, reply);
  };
}

/** The routes of types whose rows have the same forms. */
function familiesOf(types: ReadonlyMap<string, readonly Row[]>, { prefix, rowOf, ownRowOf }: Site): RouteOptions[] {
  const names = [...types.keys()];
  const [rows = []] = types.values();
  const [first = ''] = names;
  const segment = familySegment(names);
  return rows.map((row, at) => ({
    ...routeOf(row),
    url: `/${segment}${restOf(row.url, first)}`,
    config: { ...sharedBy(row.config), family: familyOf((type) => ownRowOf(type, at), prefix) },
    handler: handlerOf((request) => rowOf(request, familyNameIn(request.params), at)),
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
