// Where browsers sign in (docs/adr/0151): at the public origin, whatever tenant's host name they came by. So a browser
// has one session, and one sign-in is enough. A sign-in at a tenant's address may lead back to the tenant's own hosts.
import type { FastifyInstance } from 'fastify';
import type { Language } from '#lib/html/html.ts';
import { currentTenant, currentTenantByHost } from '#lib/tenants/current-tenant.ts';
import type { TenantNames } from '#lib/tenants/named-tenant.ts';
import { pathOfTenant } from '#lib/tenants/tenant.ts';
import { originOfHost, signInRootOf } from '#lib/tenants/tenant-addresses.ts';

/** The tenants, and identity's address as browsers reach it. */
export interface SignInHostDeps {
  readonly baseUrl: string;
  /** Undefined where there is the default tenant alone. */
  readonly tenants?: TenantNames | undefined;
}

/** The addresses to which a sign-in of the current request may lead beside the configured ones: its tenant's hosts. */
export function createTenantRedirects({ baseUrl, tenants }: SignInHostDeps): () => readonly string[] {
  return () => {
    const name = currentTenant();
    const hosts = name === undefined ? undefined : tenants?.byName(name)?.hosts;
    return hosts?.map((host) => `${originOfHost(baseUrl, host)}/`) ?? [];
  };
}

/** Identity's root for a tenant of this name, as a mail has it; the default tenant's where there is none any more. */
export function pageRootOf({ baseUrl, tenants }: SignInHostDeps, name: string | undefined): string {
  const tenant = name === undefined ? undefined : tenants?.byName(name);
  return tenants === undefined || tenant === undefined ? baseUrl : signInRootOf(baseUrl, tenant, tenants);
}

/**
 * The sign-in to which a page of identity leads, of the console or of a tenant's engine. From there the browser comes
 * back to `path` of this service, or stays where one is signed in.
 */
export function createSignInHref(deps: SignInHostDeps): (language: Language, path?: string) => string {
  const { pathname } = new URL(deps.baseUrl);
  return (language, path) => {
    const entrance = entranceOf(deps, currentTenant());
    return entrance.href(language, path === undefined ? undefined : `${pathname}${entrance.tenantPath}${path}`);
  };
}

/**
 * Where the users of the current request's tenant are at home: the default tenant's in the console, others at the page
 * of their engine that says who is signed in. The console is the default tenant's alone.
 */
export function createHomeHref(deps: SignInHostDeps): (language: Language) => string {
  const { origin } = new URL(deps.baseUrl);
  return (language) => {
    const { isDefault, href } = entranceOf(deps, currentTenant());
    return isDefault ? `${origin}/account` : href(language);
  };
}

/** Where browsers sign in to a tenant of this name; to the default one where there is none any more. */
export function entranceOf({ baseUrl, tenants }: SignInHostDeps, name: string | undefined) {
  const { origin } = new URL(baseUrl);
  const tenant = name === undefined ? undefined : tenants?.byName(name);
  const host = tenant?.hosts[0];
  const tenantPath = tenant === undefined || host !== undefined ? '' : pathOfTenant(tenant.name);
  const service = tenant === undefined ? origin : `${host === undefined ? origin : originOfHost(origin, host)}/engine`;
  return {
    isDefault: tenant === undefined,
    tenantPath,
    /** @param returnTo a path on the same host, to which the browser comes then */
    href(lang: Language, returnTo?: string): string {
      const back = returnTo === undefined ? {} : { return_to: returnTo };
      return `${service}${tenantPath}/auth/login?${new URLSearchParams({ lang, ...back })}`;
    },
  };
}

/** Leads browsers that open a page of this scope at a tenant's host to the same page at the public origin. */
export function leadToPublicOrigin(scope: Pick<FastifyInstance, 'addHook'>, deps: SignInHostDeps): void {
  const { tenants, baseUrl } = deps;
  if (tenants === undefined) return;
  scope.addHook('onRequest', (request, reply, done) => {
    // A path that names the tenant is never led on: not even a proxy with one name for all hosts makes a circle of it.
    const name = currentTenantByHost();
    const tenant = name === undefined ? undefined : tenants.byName(name);
    if (tenant === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) return done();
    const root = signInRootOf(baseUrl, tenant, tenants);
    if (!root.startsWith(`${baseUrl}/`)) return done();
    reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    return void reply.redirect(`${root}${request.url}`, 303);
  });
}
