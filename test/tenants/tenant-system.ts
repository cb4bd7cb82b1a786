// A whole system with tenants, each on a database role that may use its own schemas alone: a statement of one tenant on
// another's tables fails for want of the right, and the request with 500.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { createTestDatabase } from '#test/support/database/database.ts';
import { testServer } from '#test/support/database/server.ts';
import type { Hooks } from '#test/support/hooks.ts';
import { call } from '#test/support/http.ts';
import { type CommandOutcome, type KedjaProcess, startCommand, systemPorts } from '#test/support/system/processes.ts';
import { ADMIN, type Origins, originOf, startServices } from '#test/support/system/whole-system.ts';

export interface TenantSystem extends Origins {
  readonly file: string;
  readonly databaseUrl: string;
  readonly kedja: KedjaProcess;
  /** Runs `kedja …`. */
  run(...args: string[]): Promise<CommandOutcome>;
  /** The same with other variables. */
  runWith(more: Readonly<Record<string, string>>, ...args: string[]): Promise<CommandOutcome>;
  /** Runs `kedja tenant …`. */
  tenant(...args: string[]): Promise<CommandOutcome>;
  /** Runs `kedja tenant …` and kills it when its standard error says `when`. */
  killDuring(args: readonly string[], when: RegExp): Promise<CommandOutcome>;
  /** The database address of a new role that owns nothing yet. */
  makeRole(name: string): Promise<string>;
  /** The token of the administrator for the tenant; of the default one without a name. */
  signIn(tenant?: string): Promise<string>;
}

/** @param before adds tenants before the start; others may be added while it runs */
export async function startTenantSystem(
  hooks: Hooks,
  before: (system: Pick<TenantSystem, 'tenant' | 'makeRole'>) => Promise<void>,
  more: Readonly<Record<string, string>> = {},
): Promise<TenantSystem> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'kedja-tenants-'));
  hooks.after(() => rm(dataDir, { recursive: true, force: true }));
  const { url: databaseUrl } = await createTestDatabase(hooks);
  const file = path.join(dataDir, 'tenants.json');
  await writeFile(file, '{ "tenants": [] }');
  const makeRole = await roleMaker(hooks, databaseUrl);
  const environment: Record<string, string> = {
    // The default tenant too may use nothing of the others.
    KEDJA_DATABASE_URL: await makeRole('installation'),
    KEDJA_DATA_DIR: dataDir,
    KEDJA_ADMIN_EMAIL: ADMIN.email,
    KEDJA_ADMIN_PASSWORD: ADMIN.password,
    KEDJA_TENANTS_FILE: file,
    KEDJA_RATE_LIMIT_LOGIN: '1000',
    ...more,
  };
  const runWith = (changed: Readonly<Record<string, string>>, ...args: string[]) =>
    startCommand(args, { ...environment, ...changed }).ended;
  const run = (...args: string[]) => runWith({}, ...args);
  const tenant = (...args: string[]) => run('tenant', ...args);
  await before({ tenant, makeRole });
  // Chosen last, so that they are still free at the start.
  const ports = await systemPorts();
  const { gateway } = ports.ports;
  // Behind a proxy, others see another address than this machine does.
  Object.assign(environment, { KEDJA_PUBLIC_URL: more['KEDJA_PUBLIC_URL'] ?? originOf(gateway) }, ports.environment);
  // Those that are given replace the gateway's own.
  const redirects = more['KEDJA_SSO_REDIRECTS'];
  if (redirects !== undefined) environment['KEDJA_SSO_REDIRECTS'] = `${redirects},${originOf(gateway)}/`;
  const { kedja, origins } = await startServices(hooks, ports.ports, environment);
  return {
    ...origins,
    file,
    databaseUrl,
    kedja,
    run,
    runWith,
    tenant,
    killDuring: async (args, when) => {
      const { child, ended } = startCommand(['tenant', ...args], environment);
      let text = '';
      child.stderr?.on('data', (piece: string) => {
        text += piece;
        if (when.test(text)) child.kill('SIGKILL');
      });
      return ended;
    },
    makeRole,
    signIn: async (name) => {
      const path = name === undefined ? '' : `/t/${name}`;
      const signed = await call(`${originOf(gateway)}/identity${path}/api/auth/login`, { json: ADMIN });
      return signed.body.token as string;
    },
  };
}

async function roleMaker(hooks: Hooks, databaseUrl: string): Promise<TenantSystem['makeRole']> {
  const { adminUrl } = await testServer();
  const { pathname, host } = new URL(databaseUrl);
  const inDatabase = new URL(adminUrl);
  inDatabase.pathname = pathname;
  const name = decodeURIComponent(pathname.slice(1));
  const roles: string[] = [];
  const asAdmin = async (...statements: string[]) => {
    const client = new pg.Client({ connectionString: inDatabase.href });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };
  hooks.after(async () => {
    const client = new pg.Client({ connectionString: adminUrl });
    await client.connect();
    try {
      await client.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`);
      for (const role of roles) await client.query(`DROP ROLE IF EXISTS ${role}`);
    } finally {
      await client.end();
    }
  });
  return async (label) => {
    const role = `kedja_${label}_${randomBytes(4).toString('hex')}`;
    const password = randomBytes(12).toString('hex');
    roles.push(role);
    await asAdmin(
      `CREATE ROLE ${role} LOGIN PASSWORD '${password}'`,
      `GRANT CREATE ON DATABASE ${pg.escapeIdentifier(name)} TO ${role}`,
      `GRANT USAGE, CREATE ON SCHEMA public TO ${role}`,
    );
    assert.ok(host);
    const url = new URL(databaseUrl);
    url.username = role;
    url.password = password;
    return url.href;
  };
}

export async function succeed(running: Promise<CommandOutcome>): Promise<CommandOutcome> {
  const outcome = await running;
  assert.equal(outcome.code, 0, outcome.stderr);
  return outcome;
}
