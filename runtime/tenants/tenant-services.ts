// The service of each tenant: made of the same parts as that of the default tenant, on its own schema, with its own
// keys, caches and background work. Routes, schemas and the connection to identity are shared (docs/adr/0137).
import type { Database } from '#lib/db/database.ts';
import { createDatabase } from '#lib/db/pool.ts';
import { createMigrationCheck } from '#lib/db/schema/migrate.ts';
import type { MigrationSource } from '#lib/db/schema/migration-files.ts';
import type { ServiceModule } from '#lib/http/service-module.ts';
import { createSharedRoutes, type SharedRoutes } from '#lib/http/tenants/shared-routes.ts';
import { createTenantRequests, type TenantRequests } from '#lib/http/tenants/tenant-requests.ts';
import { stopInTurn } from '#lib/jobs/stop.ts';
import { createMetrics } from '#lib/metrics/metrics.ts';
import { readNewPlace } from '#lib/tenants/moved-place.ts';
import { schemaOf, type Tenant, type TenantService } from '#lib/tenants/tenant.ts';
import { onSchema } from '../on-schema.ts';
import type { ProcessContext, ServiceContext } from '../process-context.ts';
import { type ConsumerService, type SharedIdentity, withIdentity, withSharedIdentity } from '../with-identity.ts';
import { tenantContext } from './tenant-context.ts';
import { createTenantDirectory, type OpenedTenant } from './tenant-directory.ts';

interface Kind {
  readonly name: TenantService;
  readonly sources: readonly MigrationSource[];
  readonly make: (around: ProcessContext, place: ServiceContext, database: Database) => Promise<ConsumerService>;
}

/** The service of the default tenant, and those of the tenants file beside it. */
export async function forEveryTenant(
  around: ProcessContext,
  place: ServiceContext,
  kind: Kind,
): Promise<ServiceModule> {
  const { name, sources, make } = kind;
  const { log } = place;
  let shared: SharedIdentity | undefined;
  const own = await onSchema(around, { schema: name, sources, log }, async (database) => {
    const service = await make(around, place, database);
    const { shared: identity, ...module } = withIdentity(around, {
      name,
      log,
      service,
      sessionKeys: await around.keys.keySet('session'),
    });
    shared = identity;
    return module;
  });
  const { tenants: source } = around;
  if (source === undefined || shared === undefined) return own;
  const routes = createSharedRoutes();
  const site = { around, place, kind, routes, shared, isPending: createMigrationCheck(sources) };
  const directory = createTenantDirectory({ source, log, open: (tenant) => openTenant(tenant, site) });
  return {
    ...own,
    tenants: createTenantRequests(directory),
    plugin: (app) => routes.register(app, own.plugin),
    start: async () => {
      await own.start();
      directory.start();
    },
    stop: () => stopInTurn([directory.stop, own.stop]),
  };
}

interface TenantSite {
  readonly around: ProcessContext;
  readonly place: ServiceContext;
  readonly kind: Kind;
  readonly routes: SharedRoutes;
  readonly shared: SharedIdentity;
  readonly isPending: (database: Database) => Promise<boolean>;
}

function openTenant(tenant: Tenant, site: TenantSite): Promise<OpenedTenant> {
  const context = tenantContext(site.around, tenant);
  const { tenantServers, database: address } = context;
  return tenantServers.inTurn(address.url, async () => {
    const shared = tenantServers.connections;
    const looking = createDatabase({ ...address, schema: 'public', maxConnections: 1, shared });
    try {
      // The file may still name the place that it has left.
      const moved = await readNewPlace(looking, schemaOf(tenant, site.kind.name));
      return await openInTurn(tenant, moved === undefined ? context : { ...context, database: moved }, site);
    } finally {
      // Not before: the services go on with its connection.
      await looking.close();
    }
  });
}

async function openInTurn(
  tenant: Tenant,
  context: ReturnType<typeof tenantContext>,
  { place, kind, routes, shared, isPending }: TenantSite,
): Promise<OpenedTenant> {
  const { name, sources, make } = kind;
  const log = place.log.child({ tenant: tenant.name });
  const own = { ...place, log, metrics: createMetrics(name, { isExposed: false }) };
  const options = { schema: schemaOf(tenant, name), sources, log, isPending };
  const module = await onSchema(context, options, async (database) => {
    const service = await make(context, own, database);
    const sessionKeys = await context.keys.keySet('session');
    return withSharedIdentity(context, { name, log, service, sessionKeys }, shared);
  });
  try {
    const { functions, close } = await routes.record(module.plugin);
    await module.start();
    log.info({ event: 'tenant.opened' });
    return {
      handlers: { name: tenant.name, authenticator: module.authenticator, functions },
      moveTo: context.place.moveTo,
      close: () => stopInTurn([close, module.stop]),
    };
  } catch (error) {
    await module.stop().catch(() => undefined);
    throw error;
  }
}

/** Identity has one service for all tenants: the address says for which of them a token is. */
export function identityOfTenants({ tenants: source }: ProcessContext): TenantRequests | undefined {
  if (source === undefined) return undefined;
  return createTenantRequests({
    byName: source.byName,
    byHost: source.byHost,
    findOpen: () => undefined,
    open: async () => undefined,
    begin: () => () => undefined,
  });
}
