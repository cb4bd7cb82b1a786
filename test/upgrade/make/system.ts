// The whole system on an empty database, with a tenant in a schema of its own, as the maker of a state uses it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestDatabase } from '#test/support/database/database.ts';
import type { Hooks } from '#test/support/hooks.ts';
import { startCommand, systemPorts } from '#test/support/system/processes.ts';
import { ADMIN, type Origins, originOf, startServices } from '#test/support/system/whole-system.ts';

/** In links that stay in the data, whatever port the system had. */
const PUBLIC_URL = 'https://kedja.example.org';
const RATE_LIMITS = ['LOGIN', 'REGISTER', 'ACCESS_REQUEST'];

export interface System extends Origins {
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly publicUrl: string;
  /** Runs `kedja …`. @throws Error when it fails */
  run(...args: string[]): Promise<string>;
  /** Ends it in order. */
  end(): Promise<void>;
}

export async function startSystem(hooks: Hooks): Promise<System> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'kedja-state-'));
  hooks.after(() => rm(dataDir, { recursive: true, force: true }));
  const { url: databaseUrl } = await createTestDatabase(hooks);
  const tenants = path.join(dataDir, 'tenants.json');
  await writeFile(tenants, '{ "tenants": [] }');
  const { ports, environment: given } = await systemPorts();
  const environment = {
    ...given,
    KEDJA_PUBLIC_URL: PUBLIC_URL,
    KEDJA_TRUST_PROXY: '127.0.0.1',
    KEDJA_DATABASE_URL: databaseUrl,
    KEDJA_DATA_DIR: dataDir,
    KEDJA_TENANTS_FILE: tenants,
    KEDJA_ADMIN_EMAIL: ADMIN.email,
    KEDJA_ADMIN_PASSWORD: ADMIN.password,
    KEDJA_WEBHOOK_ALLOW_PRIVATE: '127.0.0.1',
    KEDJA_WEBHOOK_RETRY_SECONDS: '1',
    ...Object.fromEntries(RATE_LIMITS.map((name) => [`KEDJA_RATE_LIMIT_${name}`, '1000'])),
  };
  const { kedja, origins } = await startServices(hooks, ports, environment);
  return {
    ...origins,
    gateway: originOf(ports.gateway),
    dataDir,
    databaseUrl,
    publicUrl: PUBLIC_URL,
    run: async (...args) => {
      const { code, stdout, stderr } = await startCommand(args, environment).ended;
      if (code !== 0) throw new Error(`kedja ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
      return stdout;
    },
    end: async () => {
      const code = await kedja.end('SIGTERM');
      if (code !== 0) throw new Error(`Kedja ended with ${code}:\n${kedja.output()}`);
    },
  };
}
