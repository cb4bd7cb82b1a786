// A process of all services with tenants, for the benchmarks of tenants.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import type { Tenant } from '#lib/tenants/tenant.ts';
import { tenantsText } from '#lib/tenants/tenants-file.ts';
import type { lastFirst } from '#test/support/hooks.ts';
import { call } from '#test/support/http.ts';
import { type KedjaProcess, startKedja, systemPorts, untilReady } from '#test/support/system/processes.ts';
import { ADMIN, originOf } from '#test/support/system/whole-system.ts';
import { openKeyFolder } from '../../runtime/keys/keys.ts';
import { keyOfTenant, TENANT_KEYS } from '../../runtime/tenants/tenant-context.ts';

export type Hooks = ReturnType<typeof lastFirst>;

export interface TenantSite {
  readonly kedja: KedjaProcess;
  readonly pid: number;
  readonly tenants: readonly Tenant[];
  /** Origins of the services. */
  readonly engine: string;
  readonly dispatch: string;
  /** Signs the administrator in; `at` is the path of a tenant, or empty for the default one. Returns the token. */
  signIn(at: string): Promise<string>;
}

/** Starts a process on the database at `url`, with a tenant on each of the databases, all of which it may use. */
export async function startTenants(
  hooks: Hooks,
  { url, databases }: { readonly url: string; readonly databases: readonly string[] },
): Promise<TenantSite> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'kedja-tenants-'));
  hooks.after(() => rm(dataDir, { recursive: true, force: true }));
  const tenants = databases.map((databaseUrl, index) => ({
    name: `t${index}`,
    schema: 'own',
    databaseUrl,
    directUrl: undefined,
    hosts: [],
  }));
  const file = path.join(dataDir, 'tenants.json');
  await writeFile(file, tenantsText(tenants));
  const keys = openKeyFolder(dataDir);
  for (const { name } of tenants) for (const key of TENANT_KEYS) await keys.keySet(keyOfTenant(name, key));
  const { ports, environment } = await systemPorts();
  const kedja = startKedja(['start'], {
    KEDJA_PUBLIC_URL: originOf(ports.gateway),
    ...environment,
    KEDJA_DATABASE_URL: url,
    KEDJA_DATA_DIR: dataDir,
    KEDJA_ADMIN_EMAIL: ADMIN.email,
    KEDJA_ADMIN_PASSWORD: ADMIN.password,
    KEDJA_TENANTS_FILE: file,
    KEDJA_RATE_LIMIT_LOGIN: '10000',
    KEDJA_LOG_LEVEL: 'warn',
  });
  hooks.after(async () => void (await kedja.end('SIGTERM')));
  const [identity, engine, dispatch] = [ports.identity, ports.engine, ports.dispatch].map(originOf) as [
    string,
    string,
    string,
  ];
  await untilReady(kedja, [identity, engine, dispatch]);
  await admit(
    url,
    tenants.map(({ name }) => name),
  );
  return {
    kedja,
    pid: kedja.child.pid ?? 0,
    tenants,
    engine,
    dispatch,
    signIn: async (at) => (await call(`${identity}${at}/api/auth/login`, { json: ADMIN })).body.token,
  };
}

async function admit(url: string, names: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `INSERT INTO identity.tenant_member (user_guid, tenant, added_at)
     SELECT user_guid, name, now() FROM identity.app_user, unnest($1::text[]) AS name`,
    [['default', ...names]],
  );
  await client.end();
}
