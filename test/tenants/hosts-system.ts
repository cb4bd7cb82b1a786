// A whole system with tenants at host names of their own, over https behind a proxy as in production (docs/adr/0151).
import assert from 'node:assert/strict';
import type { Hooks } from '#test/support/hooks.ts';
import { call } from '#test/support/http.ts';
import { startHttpsProxy } from '#test/support/https/https-proxy.ts';
import type { Seen, WebVisitor } from '#test/support/https/web-visitor.ts';
import { nextPersonnummer } from '#test/support/identity/identity-people.ts';
import { ADMIN } from '#test/support/system/whole-system.ts';
import { startTenantSystem, succeed, type TenantSystem } from './tenant-system.ts';

/** Where the engine's sign-in begins and ends, at each host. */
export const SIGN_IN = '/engine/auth/login?lang=en';
export const SIGNED_IN = '/engine/auth/session';

export interface Person {
  readonly email: string;
  readonly password: string;
}

/**
 * Four tenants: `north` at two host names, `south` and `east` at one, `west` by its path. The administrator is a member
 * of all but `east`.
 */
export async function startHostsSystem(hooks: Hooks, more: Readonly<Record<string, string>> = {}) {
  const proxy = await startHttpsProxy(hooks, ['*.example.test', '*.evil.test']);
  const at = (host: string) => `https://${host}.example.test:${proxy.port}`;
  const system = await startTenantSystem(
    hooks,
    async ({ tenant, makeRole }) => {
      const hosts = ['--host', 'north.example.test', '--host', 'northern.example.test'];
      await succeed(tenant('add', 'north', '--database', await makeRole('north'), ...hosts));
      for (const name of ['south', 'east'])
        await succeed(tenant('add', name, '--database', await makeRole(name), '--host', `${name}.example.test`));
      await succeed(tenant('add', 'west', '--database', await makeRole('west')));
    },
    {
      KEDJA_PUBLIC_URL: at('kedja'),
      KEDJA_TRUST_PROXY: '127.0.0.1',
      KEDJA_RATE_LIMIT_REGISTER: '1000',
      ...more,
    },
  );
  proxy.leadTo(Number(new URL(system.gateway).port));
  for (const name of ['north', 'south', 'west']) await succeed(system.tenant('admit', name, ADMIN.email));
  const origins = { PUBLIC: at('kedja'), NORTH: at('north'), NORTHERN: at('northern') };
  return { system, ...origins, SOUTH: at('south'), EAST: at('east'), port: proxy.port };
}

/** A patient who registered at a tenant's address is a member of that tenant alone. */
export async function makePatientOf(system: TenantSystem, tenant: string): Promise<Person> {
  const organisation = await call(`${system.identity}/api/admin/organisations`, {
    token: await system.signIn(),
    json: { name: `Care ${nextPersonnummer()}` },
  });
  const who = { email: `${nextPersonnummer()}@example.org`, password: 'three-small-words-26' };
  const json = { ...who, personnummer: nextPersonnummer(), organisation_guid: organisation.body.organisation_guid };
  await call(`${system.identity}/t/${tenant}/api/patient/register`, { json });
  return who;
}

const placeOf = ({ url }: Seen): string => `${url.origin}${url.pathname}`;
export const pageOf = (seen: Seen): string => `${seen.status} ${placeOf(seen)}`;
export const isAsked = (seen: Seen): boolean => /name="password"/.test(seen.body);

/** Begins at an address, and gives the password at identity's page. */
export async function signIn(visitor: WebVisitor, begin: string, { email, password }: Person = ADMIN): Promise<Seen> {
  const asked = await visitor.open(begin);
  assert.ok(isAsked(asked), `${pageOf(asked)} ${asked.body}`);
  return visitor.submit(asked, { email, password });
}

/** What the API answers a browser. */
export async function statusOf(visitor: WebVisitor, url: string, headers: Readonly<Record<string, string>> = {}) {
  return (await visitor.open(url, { headers: { accept: 'application/fhir+json', ...headers } })).status;
}
