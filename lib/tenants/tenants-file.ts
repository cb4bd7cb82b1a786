// Reads the tenants of KEDJA_TENANTS_FILE. Every fault is named with its place. The file holds passwords of databases,
// so no fault repeats more of it than names.
import { readFile } from 'node:fs/promises';
import { serverOf } from '../db/connection.ts';
import { DEFAULT_TENANT, type Tenant } from './tenant.ts';

export type TenantsFile = { readonly tenants: readonly Tenant[] } | { readonly issues: readonly string[] };

const NAME = /^[a-z][a-z0-9-]{0,30}$/;
/** Names of channels hold it, which have at most 63 bytes. */
const SCHEMA = /^[a-z][a-z0-9_]{0,29}$/;
const HOST = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;
const MEMBERS: ReadonlySet<string> = new Set(['name', 'schema', 'database', 'database_direct', 'hosts']);
const MOST_HOSTS = 20;

type Entry = Readonly<Record<string, unknown>>;

/** @throws Error that names every fault of the file, or why it cannot be read */
export async function readTenantsFile(path: string): Promise<readonly Tenant[]> {
  return tenantsIn(await readFile(path, 'utf8').catch((error: unknown) => throwUnread(error, path)), path);
}

/** @param path of the file, for errors. @throws Error that names every fault */
export function tenantsIn(content: string, path: string): readonly Tenant[] {
  const file = parseTenants(content);
  if ('issues' in file) throw new Error(file.issues.map((issue) => `KEDJA_TENANTS_FILE ${issue} (${path})`).join('\n'));
  return file.tenants;
}

function throwUnread(error: unknown, path: string): never {
  const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
  throw new Error(`KEDJA_TENANTS_FILE cannot be read (${path}): ${reason}`);
}

/** `{ "tenants": [ { "name", "schema", "database", "database_direct", "hosts" } … ] }` */
export function parseTenants(content: string): TenantsFile {
  let document: unknown;
  try {
    document = JSON.parse(content);
  } catch {
    return { issues: ['must hold JSON'] };
  }
  const list = isObject(document) ? document['tenants'] : undefined;
  if (!isObject(document) || !Array.isArray(list)) return { issues: ["must hold an object with the list 'tenants'"] };
  const issues = Object.keys(document)
    .filter((member) => member !== 'tenants')
    .map((member) => `has an unknown member ${JSON.stringify(member)}`);
  const tenants: Tenant[] = [];
  for (const [index, entry] of list.entries()) {
    const faults = faultsOf(entry);
    issues.push(...faults.map((fault) => `tenants[${index}]: ${fault}`));
    if (faults.length === 0) tenants.push(toTenant(entry as Entry));
  }
  issues.push(...repetitions(tenants));
  return issues.length > 0 ? { issues } : { tenants };
}

/** The text of a file with these tenants. */
export function tenantsText(tenants: readonly Tenant[]): string {
  const entries = tenants.map(({ name, schema, databaseUrl, directUrl, hosts }) => ({
    name,
    schema,
    ...(databaseUrl === undefined ? {} : { database: databaseUrl }),
    ...(directUrl === undefined ? {} : { database_direct: directUrl }),
    ...(hosts.length === 0 ? {} : { hosts }),
  }));
  return `${JSON.stringify({ tenants: entries }, null, 2)}\n`;
}

function faultsOf(entry: unknown): string[] {
  if (!isObject(entry)) return ['must be an object'];
  const { name, schema, database, database_direct: direct, hosts = [] } = entry;
  const faults = Object.keys(entry)
    .filter((member) => !MEMBERS.has(member))
    .map((member) => `has an unknown member ${JSON.stringify(member)}`);
  if (typeof name !== 'string' || !NAME.test(name))
    faults.push("'name' must be at most 31 of a-z, 0-9 and -, beginning with a letter");
  else if (name === DEFAULT_TENANT) faults.push(`'name' must not be ${DEFAULT_TENANT}, the tenant without an entry`);
  if (typeof schema !== 'string' || !SCHEMA.test(schema) || schema.startsWith('pg_'))
    faults.push("'schema' must be at most 30 of a-z, 0-9 and _, beginning with a letter and not with pg_");
  if (database !== undefined && !isDatabase(database))
    faults.push("'database' must be a URL such as postgresql://user:password@host:5432/kedja");
  if (direct !== undefined && !isDatabase(direct))
    faults.push("'database_direct' must be a URL such as postgresql://user:password@host:5432/kedja");
  if (direct !== undefined && database === undefined) faults.push("'database_direct' needs 'database'");
  if (!Array.isArray(hosts) || hosts.length > MOST_HOSTS || !hosts.every(isHost))
    faults.push(`'hosts' must be a list of at most ${MOST_HOSTS} host names in lower case, without ports`);
  return faults;
}

/** What two tenants must not share: names, host names, and schemas of one database. */
function repetitions(tenants: readonly Tenant[]): string[] {
  const places: readonly [what: string, of: (tenant: Tenant) => readonly string[]][] = [
    ['name', ({ name }) => [name]],
    ['host name', ({ hosts }) => hosts],
    ['schema', ({ schema, databaseUrl }) => [`${schema}\n${placeOf(databaseUrl)}`]],
  ];
  return places.flatMap(([what, of]) => {
    const owners = new Map<string, string>();
    return tenants.flatMap((tenant) =>
      of(tenant).flatMap((value) => {
        const other = owners.get(value);
        owners.set(value, tenant.name);
        const [shown] = value.split('\n');
        return other === undefined ? [] : [`${tenant.name}: the ${what} ${shown} is that of ${other}, too`];
      }),
    );
  });
}

/** Where a database is, without the user's name and password. */
export function placeOf(databaseUrl: string | undefined): string {
  if (databaseUrl === undefined) return 'the installation’s database';
  return `${serverOf(databaseUrl)}${new URL(databaseUrl).pathname}`;
}

function toTenant({ name, schema, database, database_direct, hosts = [] }: Entry): Tenant {
  return {
    name: name as string,
    schema: schema as string,
    databaseUrl: database as string | undefined,
    directUrl: database_direct as string | undefined,
    hosts: hosts as readonly string[],
  };
}

function isDatabase(value: unknown): value is string {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  return url !== null && /^postgres(ql)?:$/.test(url.protocol) && url.pathname.length > 1;
}

function isHost(value: unknown): value is string {
  return typeof value === 'string' && HOST.test(value);
}

function isObject(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
