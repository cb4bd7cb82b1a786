// States of databases as releases made them (decision 149): `<release>/` beside this file has the database, the keys
// and `state.json`. `make/` makes one (`npm run release-state -- <release>`).
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import pg from 'pg';

/** Dumps are SQL, packed. They have long repetitions, which the default window does not reach. */
const PACKED = { params: { [constants.ZSTD_c_compressionLevel]: 22, [constants.ZSTD_c_windowLog]: 24 } };

export interface Account {
  readonly email: string;
  readonly password: string;
  /** The secret of the authenticator app (RFC 6238, base32). */
  readonly totp?: string;
  /** The tenant that the token is for; the default one when left out. */
  readonly tenant?: string;
}

/** What the release answered, and later ones must answer too. */
export interface Read {
  /** Of `accounts` or `apiKeys`. */
  readonly as: string;
  /** At the gateway, as in `/engine/api/v1/Patient/1`. */
  readonly at: string;
  /** Parts of the body: later releases may answer more. */
  readonly body: unknown;
}

export interface State {
  /** The commit whose code made it. */
  readonly commit: string;
  /** Those of the tenants file; their schemas are in the same database. */
  readonly tenants: readonly { readonly name: string; readonly schema: string }[];
  readonly accounts: Readonly<Record<string, Account>>;
  /** API keys of the engine. */
  readonly apiKeys: Readonly<Record<string, string>>;
  readonly reads: readonly Read[];
  /** A resource that the account may change: its address, and how many versions it has. */
  readonly change: { readonly as: string; readonly at: string; readonly versions: number };
  /** A provider with an endpoint, whose secret is sealed in the database. */
  readonly provider: string;
  /** Records of people who were erased, and how their addresses answer. */
  readonly erased: readonly { readonly as: string; readonly at: string; readonly status: number }[];
}

export interface Made {
  readonly state: State;
  /** SQL that fills an empty database. */
  readonly database: string;
  /** The files of the key folder by their paths in it. */
  readonly keys: Readonly<Record<string, string>>;
}

export const STATES = import.meta.dirname;

/** The releases that have a state, the oldest first. */
export async function releases(folder = STATES): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory() && entry.name !== 'make').map(({ name }) => name);
  return names.sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
}

export async function readState(release: string): Promise<Made> {
  const file = (name: string) => path.join(STATES, release, name);
  const [state, keys, packed] = await Promise.all([
    readFile(file('state.json'), 'utf8'),
    readFile(file('keys.json'), 'utf8'),
    readFile(file('database.sql.zst')),
  ]);
  const database = (await promisify(zstdDecompress)(packed)).toString('utf8');
  return { state: JSON.parse(state), keys: JSON.parse(keys), database };
}

/** Writes a state; returns the size of its database in bytes. */
export async function writeState(release: string, { state, keys, database }: Made): Promise<number> {
  const folder = path.join(STATES, release);
  await mkdir(folder, { recursive: true });
  const packed = await promisify(zstdCompress)(database, PACKED);
  await writeFile(path.join(folder, 'database.sql.zst'), packed);
  await writeFile(path.join(folder, 'keys.json'), `${JSON.stringify(keys, undefined, 2)}\n`);
  await writeFile(path.join(folder, 'state.json'), `${JSON.stringify(state, undefined, 2)}\n`);
  return packed.length;
}

/** The key folder as it was, below a data folder. */
export async function placeKeys(dataDir: string, keys: Made['keys']): Promise<void> {
  const folder = path.join(dataDir, 'keys');
  for (const [name, text] of Object.entries(keys)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, text, { mode: 0o600 });
  }
}

/** Fills an empty database. */
export async function loadDatabase(url: string, database: string): Promise<void> {
  await onDatabase(url, (client) => client.query(database));
}

/** Each applied migration as `<schema> <source>/<file>`, of the schemas of services and tenants. */
export function migrationsOf(url: string, schemas: readonly string[]): Promise<string[]> {
  return onDatabase(url, async (client) => {
    const found: string[] = [];
    for (const schema of schemas) {
      const { rows } = await client.query<{ name: string }>(
        `SELECT source || '/' || file AS name FROM ${pg.escapeIdentifier(schema)}.schema_migration`,
      );
      found.push(...rows.map(({ name }) => `${schema} ${name}`));
    }
    return found.sort();
  });
}

export function schemasOf({ tenants }: State): string[] {
  const own = tenants.flatMap(({ schema }) => [`${schema}_engine`, `${schema}_dispatch`]);
  return ['identity', 'engine', 'dispatch', ...own];
}

async function onDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
