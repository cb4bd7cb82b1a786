// Decides which tenant a request is of, once and before anything else reads it, and lets it wait until the service of
// that tenant is open. A request that names no tenant that there is gets 404, like any address of nothing.
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { type AddressedTenant, runForTenant } from '../../tenants/current-tenant.ts';
import { type Named, namedTenant, type TenantNames } from '../../tenants/named-tenant.ts';
import type { Tenant } from '../../tenants/tenant.ts';
import type { Forwarding } from '../forwarding.ts';
import type { HttpApp } from '../http-app.ts';
import { OPERATIONAL_ROUTES } from '../operations.ts';
import { serveAs, type TenantHandlers } from './tenant-handlers.ts';

/** The services of the tenants. */
export interface TenantDirectory extends TenantNames {
  /** The open service of the tenant; undefined while it is not open. Counts as a use. */
  findOpen(tenant: Tenant): TenantHandlers | undefined;
  /**
   * Opens it. Undefined where all tenants have one service.
   * @throws ServiceError `unavailable`
   */
  open(tenant: Tenant): Promise<TenantHandlers | undefined>;
  /** A request of the tenant begins; call what it returns at its end. */
  begin(tenant: Tenant): () => void;
}

export interface TenantRequests {
  /** Cleans the request's headers, and takes the tenant out of its address. */
  enter(request: IncomingMessage, forwarding: Forwarding): void;
  /** The same; returns whether the request can be served without waiting. */
  enterAtOnce(request: IncomingMessage, forwarding: Forwarding): boolean;
  /** What the request named; undefined for the default tenant. */
  of(request: IncomingMessage): Exclude<Named, 'unknown'> | 'unknown' | undefined;
  readonly directory: TenantDirectory;
}

export function createTenantRequests(directory: TenantDirectory): TenantRequests {
  const entered = new WeakMap<IncomingMessage, Named>();

  function enter(request: IncomingMessage, forwarding: Forwarding): void {
    if (entered.has(request)) return;
    forwarding.clean(request);
    const named = namedTenant(request.url ?? '/', forwarding.clientOf(request).host, directory);
    entered.set(request, named);
    if (named !== 'unknown') request.url = named.url;
  }

  return {
    directory,
    enter,
    enterAtOnce(request, forwarding) {
      enter(request, forwarding);
      const named = entered.get(request);
      if (named === undefined || named === 'unknown') return false;
      if (named.tenant === undefined) return true;
      const open = directory.findOpen(named.tenant);
      if (open !== undefined) serveAs(request, open);
      return open !== undefined;
    },
    of: (request) => {
      const named = entered.get(request);
      return named === undefined || named === 'unknown' || named.tenant !== undefined ? named : undefined;
    },
  };
}

/** Call it before the routes are registered. */
export function serveTenants(app: HttpApp, tenants: TenantRequests): void {
  const { directory } = tenants;
  const endings = new WeakMap<IncomingMessage, () => void>();

  app.addHook('onRequest', (request, _reply, done) => {
    const named = tenants.of(request.raw);
    if (named === undefined) return done();
    if (named === 'unknown' || named.tenant === undefined || OPERATIONAL_ROUTES.has(request.routeOptions.url ?? ''))
      return done(nothing());
    const { tenant } = named;
    const goOn = (handlers: TenantHandlers | undefined): void => {
      if (handlers !== undefined) serveAs(request.raw, handlers);
      endings.set(request.raw, directory.begin(tenant));
      runForTenant(addressedBy(named, tenant), done);
    };
    const open = directory.findOpen(tenant);
    if (open !== undefined) return goOn(open);
    directory
      .open(tenant)
      .then(goOn, (error: unknown) => done(error instanceof Error ? error : new Error(String(error))));
  });
  // The context of a request is lost where its body is read. A body that fails its schema has no handler, but its
  // response is of the tenant all the same.
  for (const stage of ['preValidation', 'preHandler'] as const) {
    app.addHook(stage, (request: FastifyRequest, _reply: FastifyReply, done: () => void) => {
      const named = tenants.of(request.raw);
      if (named === undefined || named === 'unknown' || named.tenant === undefined) return done();
      runForTenant(addressedBy(named, named.tenant), done);
    });
  }
  app.addHook('onSend', (request, reply, _payload, done) => {
    const named = tenants.of(request.raw);
    if (named === undefined || named === 'unknown' || named.prefix === '') return done();
    const { location, link } = reply.getHeaders();
    if (typeof location === 'string' && /^\/(?!\/)/.test(location)) reply.header('location', named.prefix + location);
    if (typeof link === 'string') reply.header('link', link.replaceAll('</', `<${named.prefix}/`));
    done();
  });
  app.addHook('onResponse', (request, _reply, done) => {
    endings.get(request.raw)?.();
    endings.delete(request.raw);
    done();
  });
}

function addressedBy({ prefix }: Exclude<Named, 'unknown'>, { name }: Tenant): AddressedTenant {
  return { name, isByHost: prefix === '' };
}

function nothing(): ServiceError {
  return new ServiceError('not_found', 'There is nothing at this address');
}
