// Registers the routes of a service once for all tenants (docs/adr/0137). The plugin of the default tenant registers
// them on the application. The same plugin, made of another tenant's parts, then runs on a recorder: it keeps the
// functions, and of routes, schemas and validators nothing. So a tenant's functions have its own parts alone, and a new
// route is that of every tenant without further ado.
import type { IncomingMessage } from 'node:http';
import type { FastifyPluginAsync, FastifyRequest, RouteOptions } from 'fastify';
import type { HttpApp } from '../http-app.ts';
import type { FindDirectResponse } from '../response/direct-response.ts';
import { type AnyFunction, handlersOf, type TenantHandlers } from './tenant-handlers.ts';

type Plugin = (app: HttpApp) => Promise<void>;

export interface SharedRoutes {
  /** Registers the plugin of the default tenant on the application; once. */
  register(app: HttpApp, plugin: Plugin): Promise<void>;
  /**
   * The functions of another tenant's plugin, in the application's order, and what ends it.
   * @throws Error when it registers otherwise than the first
   */
  record(plugin: Plugin): Promise<{ readonly functions: readonly AnyFunction[]; close(): Promise<void> }>;
}

/** The members of a route that are functions, or lists of them. */
const ROUTE_FUNCTIONS = [
  'onRequest',
  'preParsing',
  'preValidation',
  'preHandler',
  'preSerialization',
  'onSend',
  'onResponse',
  'onTimeout',
  'onError',
  'onRequestAbort',
  'errorHandler',
  'handler',
] as const;
const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const;
/** Hooks of the application's life, and not of requests. */
const ENDING: ReadonlySet<string> = new Set(['preClose', 'onClose']);
/** What has no part of a tenant: the application does it once. */
const COMMON = [
  'removeAllContentTypeParsers',
  'setSerializerCompiler',
  'setValidatorCompiler',
  'offerOpenApiComponents',
] as const;

/** Gives each function its place; returns what the application calls instead. */
type Take = <F extends AnyFunction>(key: string, given: F, requestOf?: RequestOf) => F;
/** The request among the arguments of a function. */
type RequestOf = (args: readonly unknown[]) => IncomingMessage | undefined;

const first: RequestOf = ([request]) => (request as FastifyRequest).raw;
const second: RequestOf = ([, request]) => (request as FastifyRequest).raw;
const itself: RequestOf = ([request]) => request as IncomingMessage;
const last: RequestOf = (args) => args.at(-1) as IncomingMessage;

type HookedRoute = RouteOptions & { readonly url: string; routePath: string; prefix: string };
type RouteHook = (route: HookedRoute) => void;
/** What `offerRoutes` made, by the name of the call. */
type OfferedRoutes = Map<string, readonly RouteOptions[]>;

export function createSharedRoutes(): SharedRoutes {
  const places = new Map<string, number>();
  const offered: OfferedRoutes = new Map();
  let shared: HttpApp | undefined;

  /** Of the default tenant: the application calls it unless the request is another tenant's. */
  const dispatching: Take = (key, own, requestOf = first) => {
    if (places.has(key)) throw new Error(`${key} is registered twice`);
    const place = places.size;
    places.set(key, place);
    const dispatched = function (this: unknown, ...args: unknown[]): unknown {
      const request = requestOf(args);
      const tenant = request && handlersOf(request);
      return Reflect.apply(tenant === undefined ? own : functionOf(tenant, place), this, args);
    };
    return dispatched as unknown as typeof own;
  };

  return {
    async register(app, plugin) {
      shared = app;
      await plugin(scopeOn(app, { take: dispatching, offered }));
    },
    async record(plugin) {
      if (shared === undefined) throw new Error('The routes are not registered yet');
      // Of its final length at once, as an array that grows has room for half as many again.
      const functions = new Array<AnyFunction>(places.size);
      const take: Take = (key, own) => {
        const place = places.get(key);
        if (place === undefined) throw new Error(`Only one tenant registers ${key}`);
        functions[place] = own;
        return own;
      };
      const recorder = new Recorder(shared, { take, offered });
      await plugin(recorder.scope('', '', []));
      await recorder.done();
      for (const [key, place] of places) if (functions[place] === undefined) throw new Error(`A tenant lacks ${key}`);
      return { functions, close: recorder.closing() };
    },
  };
}

function functionOf({ functions, name }: TenantHandlers, place: number): AnyFunction {
  const found = functions[place];
  // A request must never reach another tenant's function.
  if (found === undefined) throw new Error(`Tenant ${name} has no function ${place}`);
  return found;
}

/** The path of a scope, its place among its siblings, and the names of what it registers, each numbered. */
class Names {
  readonly #path: string;
  readonly #counts = new Map<string, number>();
  constructor(path: string) {
    this.#path = path;
  }
  next(name: string): string {
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return `${this.#path}${name}#${count}`;
  }
  /** Called when nothing is registered any more. */
  forget(): void {
    this.#counts.clear();
  }
}

/** Replaces the functions of a route by what `take` returns for each. */
function takeRoute(
  route: RouteOptions,
  take: (own: AnyFunction, place: { readonly member: string; readonly requestOf: RequestOf }) => AnyFunction,
): void {
  const members = route as unknown as Record<string, unknown>;
  for (const member of ROUTE_FUNCTIONS) {
    const given = members[member];
    if (given === undefined) continue;
    const requestOf = member === 'errorHandler' ? second : first;
    const takeOne = (own: unknown) => (typeof own === 'function' ? take(own, { member, requestOf }) : own);
    members[member] = Array.isArray(given) ? given.map(takeOne) : takeOne(given);
  }
}

/** Takes the functions of a route that the service registers. */
function takeOwn(route: RouteOptions, name: string, take: Take): void {
  const names = new Names(`${name} `);
  takeRoute(route, (own, { member, requestOf }) => take(names.next(member), own, requestOf));
}

/**
 * Takes what a hook of the service adds to routes. It may add one function to many routes, and to a route for HEAD. A
 * tenant that opens runs it for more than a thousand routes, to most of which it adds nothing.
 */
function takingHook(hook: RouteHook, name: string, take: Take): RouteHook {
  const names = new Names(`${name} `);
  const taken = new Map<AnyFunction, AnyFunction>();
  // One list for all routes, unless the hook itself adds a route.
  let list: unknown[] | undefined = [];
  return (route) => {
    const before = list ?? [];
    list = undefined;
    noteMembers(route, before);
    hook(route);
    list = before;
    if (!hasChanged(route, before)) return;
    const known = new Set(before.flat());
    takeRoute(route, (own, { member, requestOf }) => {
      if (known.has(own)) return own;
      const mine = taken.get(own) ?? take(names.next(member), own, requestOf);
      taken.set(own, mine);
      return mine;
    });
  };
}

/** The functions and lists of functions of a route, in the order of their names. A hook may add to a list itself. */
function noteMembers(route: RouteOptions, list: unknown[]): void {
  const members = route as unknown as Record<string, unknown>;
  for (let index = 0; index < ROUTE_FUNCTIONS.length; index += 1) {
    const given = members[ROUTE_FUNCTIONS[index] as string];
    list[index] = Array.isArray(given) ? [...given] : given;
  }
}

function hasChanged(route: RouteOptions, before: readonly unknown[]): boolean {
  const members = route as unknown as Record<string, unknown>;
  return ROUTE_FUNCTIONS.some((member, index) => {
    const [now, was] = [members[member], before[index]];
    if (!Array.isArray(now) || !Array.isArray(was)) return now !== was;
    return now.length !== was.length || now.some((each, at) => each !== was[at]);
  });
}

function routeName({ method }: RouteOptions, url: string): string {
  return `${[method].flat().join()} ${url}`;
}

/** `get(url, options, handler)` and `get(url, handler)` as the route that they mean. */
function routeOf(method: string, [url, options, handler]: readonly unknown[]): RouteOptions {
  const given = typeof options === 'function' ? { handler: options } : { ...(options as object), handler };
  return { ...given, method: method.toUpperCase(), url } as RouteOptions;
}

/** `get` and the others, which add one route. */
function shorthandsOf(addRoute: (route: RouteOptions) => HttpApp): Record<string, unknown> {
  return Object.fromEntries(
    METHODS.map((method) => [method, (...args: unknown[]) => addRoute(routeOf(method, args))] as const),
  );
}

/** A plugin of a package: it registers on the scope itself, and knows no tenant. */
function isForeign(plugin: unknown): boolean {
  return (plugin as Readonly<Record<symbol, unknown>>)[Symbol.for('skip-override')] === true;
}

interface Sharing {
  readonly take: Take;
  readonly offered: OfferedRoutes;
}

/** The application, or a scope of it, as the default tenant's plugin sees it. */
function scopeOn(real: HttpApp, sharing: Sharing, path = ''): HttpApp {
  const { take, offered } = sharing;
  const names = new Names(path);
  const addRoute = (route: RouteOptions) => {
    const own = { ...route };
    takeOwn(own, names.next(routeName(own, real.prefix + own.url)), take);
    real.route(own);
    return scope;
  };
  const members: Record<string, unknown> = {
    route: addRoute,
    ...shorthandsOf(addRoute),
    addHook: (name: string, hook: AnyFunction) => {
      if (name === 'onRoute')
        real.addHook('onRoute', takingHook(hook as RouteHook, names.next('onRoute'), take) as never);
      else
        real.addHook(name as 'onRequest', ENDING.has(name) ? (hook as never) : (take(names.next(name), hook) as never));
      return scope;
    },
    addContentTypeParser: (type: string, ...rest: unknown[]) => {
      const parser = rest.pop() as AnyFunction;
      const taken = take(names.next(`parser ${type}`), parser);
      Reflect.apply(real.addContentTypeParser, real, [type, ...rest, taken]);
      return scope;
    },
    register: (plugin: FastifyPluginAsync, options: object = {}) => {
      if (isForeign(plugin)) return real.register(plugin, options);
      const below = names.next('scope');
      return real.register(
        async (child, given) => plugin(scopeOn(child as HttpApp, sharing, `${below} `), given),
        options,
      );
    },
    withTypeProvider: () => scope,
    ofTenant: (own: AnyFunction) => take(names.next('own'), own),
    offerRoutes: (make: () => readonly RouteOptions[]) => {
      const routes = make();
      offered.set(names.next('routes'), routes);
      real.offerRoutes(() => routes);
    },
    offerDirectResponses: (find: FindDirectResponse) =>
      real.offerDirectResponses(take(names.next('direct'), find, itself)),
    onResponseSent: (listener: AnyFunction) => real.onResponseSent(take(names.next('sent'), listener, last) as never),
    ...Object.fromEntries(
      COMMON.map((name) => [name, (...args: unknown[]) => Reflect.apply(real[name], real, args)] as const),
    ),
  };
  const scope = withoutOthers(members, real);
  return scope;
}

/** Registers the plugin of another tenant, which leaves its functions alone. */
class Recorder {
  readonly #app: HttpApp;
  readonly #sharing: Sharing;
  readonly #pending: Promise<unknown>[] = [];
  readonly #endings: AnyFunction[] = [];
  readonly #names: Names[] = [];

  constructor(app: HttpApp, sharing: Sharing) {
    this.#app = app;
    this.#sharing = sharing;
  }

  async done(): Promise<void> {
    for (let each = this.#pending.shift(); each !== undefined; each = this.#pending.shift()) await each;
    // Features hold on to their scope.
    for (const names of this.#names) names.forget();
    this.#names.length = 0;
  }

  /** What ends the plugin. It holds nothing else of the recorder. */
  closing(): () => Promise<void> {
    const endings = this.#endings.toReversed();
    return async () => {
      for (const end of endings) await Reflect.apply(end, undefined, []);
    };
  }

  scope(prefix: string, path: string, inherited: readonly RouteHook[]): HttpApp {
    const names = new Names(path);
    this.#names.push(names);
    const { take, offered } = this.#sharing;
    const hooks = [...inherited];
    const below = (given: RouteOptions) => {
      const url = prefix + given.url;
      return { ...given, url, routePath: given.url, path: url, prefix };
    };
    const runHooks = (route: HookedRoute) => {
      for (const hook of hooks) hook(route);
    };
    const addRoute = (given: RouteOptions) => {
      const route = below(given);
      takeOwn(route, names.next(routeName(given, route.url)), take);
      runHooks(route);
      return scope;
    };
    const members: Record<string, unknown> = {
      prefix,
      route: addRoute,
      ...shorthandsOf(addRoute),
      addHook: (name: string, hook: AnyFunction) => {
        if (name === 'onRoute') hooks.push(takingHook(hook as RouteHook, names.next('onRoute'), take));
        else if (ENDING.has(name)) this.#endings.push(hook);
        else take(names.next(name), hook);
        return scope;
      },
      addContentTypeParser: (type: string, ...rest: unknown[]) => {
        take(names.next(`parser ${type}`), rest.pop() as AnyFunction);
        return scope;
      },
      register: (plugin: FastifyPluginAsync, options: { readonly prefix?: string } = {}) => {
        if (isForeign(plugin)) return Promise.resolve();
        const child = this.scope(prefix + (options.prefix ?? ''), `${names.next('scope')} `, hooks);
        const running = Promise.resolve(plugin(child, options));
        this.#pending.push(running);
        // A caller who waits gets the error, and `done` gets it in any case.
        running.catch(() => undefined);
        return running;
      },
      withTypeProvider: () => scope,
      ofTenant: (own: AnyFunction) => take(names.next('own'), own),
      offerRoutes: () => {
        // They are made and registered, but hooks of the tenant may add its functions to them.
        for (const given of offered.get(names.next('routes')) ?? []) runHooks(below(given));
      },
      offerDirectResponses: (find: FindDirectResponse) => void take(names.next('direct'), find),
      onResponseSent: (listener: AnyFunction) => void take(names.next('sent'), listener),
      ...Object.fromEntries(COMMON.map((name) => [name, () => undefined] as const)),
    };
    const scope = withoutOthers(members, this.#app);
    return scope;
  }
}

/** What belongs to the application as a whole. */
const OF_ALL: ReadonlySet<string> = new Set(['prefix', 'server', 'log']);

/** A member that is neither a tenant's nor common is an error: it would be the default tenant's for everybody. */
function withoutOthers(members: Readonly<Record<string, unknown>>, app: HttpApp): HttpApp {
  return new Proxy(members, {
    get(own, name) {
      if (typeof name === 'symbol' || name === 'then') return undefined;
      if (name in own) return own[name];
      if (OF_ALL.has(name)) return Reflect.get(app, name);
      throw new TypeError(`A service of several tenants cannot use app.${name}: lib/http/tenants/shared-routes.ts`);
    },
  }) as unknown as HttpApp;
}
