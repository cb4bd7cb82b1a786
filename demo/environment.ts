// What a demo adds to its environment, and how the folder of a demo is known.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Environment } from '#lib/config/environment.ts';
import { DEMO_PASSWORD } from './content/people.ts';
import { CREDENTIAL_FILE } from './receiver-credentials.ts';

const ADMIN_EMAIL = 'admin@demo.kedja.example';

/** Adds the demo's administrator and the temporary password of imported users, unless the environment has them. */
export function withDemoAccounts(environment: Environment): Environment {
  const missing = ['KEDJA_ADMIN_PASSWORD', 'KEDJA_IMPORT_PASSWORD'].filter(
    (name) => !(name in environment || `${name}_FILE` in environment),
  );
  return {
    KEDJA_ADMIN_EMAIL: ADMIN_EMAIL,
    ...Object.fromEntries(missing.map((name) => [name, DEMO_PASSWORD])),
    ...environment,
  };
}

/** Whether a demo has loaded its data here. */
export function isDemoFolder(dataDir: string): boolean {
  return existsSync(path.join(dataDir, CREDENTIAL_FILE));
}
