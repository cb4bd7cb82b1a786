// `kedja tenant`: adds, lists and removes the tenants of KEDJA_TENANTS_FILE, and says who may sign in to them
// (docs/operations/tenants.md). Running nodes read the file within two seconds.
import { parseArgs } from 'node:util';
import { DEFAULT_TENANT, type Tenant } from '#lib/tenants/tenant.ts';
import { runOnSite } from '../site-command.ts';
import { addTenant } from './add.ts';
import { distributeTenant } from './distribute.ts';
import { listTenants } from './list.ts';
import { changeMember } from './members.ts';
import { type MoveRequest, moveTenant } from './move.ts';
import { removeTenant } from './remove.ts';

const USAGE = `usage: kedja tenant add NAME [--schema SCHEMA] [--database URL] [--database-direct URL] [--host HOST]…
       kedja tenant list
       kedja tenant admit NAME EMAIL
       kedja tenant expel NAME EMAIL
       kedja tenant move NAME --database URL [--database-direct URL]
       kedja tenant distribute NAME
       kedja tenant remove NAME --yes

add: makes the tenant's schemas (SCHEMA_engine, SCHEMA_dispatch) and keys, and writes it to KEDJA_TENANTS_FILE.
--schema: NAME with _ for - when left out.
--database: the tenant's PostgreSQL; that of KEDJA_DATABASE_URL when left out. --database-direct: past its pooler.
  The URL may be the path of a file that holds it, as @/run/secrets/north: a command line is seen by others.
--host: a host name at which the tenant is reached; it is always reached below /t/NAME of each service.
admit, expel: whether the user may sign in to the tenant; NAME may be ${DEFAULT_TENANT}. Nodes hold it within five seconds.
move: copies the tenant to the database while it is in use; at the end writes wait for about a second. The server it leaves
  needs wal_level = logical. What fails or is killed leaves one of the places in charge; run it again with the same database.
distribute: on a Citus cluster, takes each schema of the tenant with its rows to a node. Writes wait until it is there.
remove: the tenant is served no more, its users' tokens end. Its schemas and keys stay, for you to back up or drop.`;

type Command =
  | { readonly kind: 'add'; readonly tenant: Tenant }
  | { readonly kind: 'list' }
  | { readonly kind: 'admit' | 'expel'; readonly name: string; readonly email: string }
  | ({ readonly kind: 'move' } & MoveRequest)
  | { readonly kind: 'distribute' | 'remove'; readonly name: string };

/** Returns the exit code. */
export function runTenant(args: readonly string[]): Promise<number> {
  return runOnSite(args, {
    usage: USAGE,
    parse: parseCommand,
    run: async (site, command, signal) => {
      switch (command.kind) {
        case 'add':
          return addTenant(site, command.tenant);
        case 'list':
          return listTenants(site);
        case 'admit':
        case 'expel':
          return changeMember(site, command);
        case 'move':
          return moveTenant(site, command, signal);
        case 'distribute':
          return distributeTenant(site, command.name);
        case 'remove':
          return removeTenant(site, command.name);
        default:
          return command satisfies never;
      }
    },
  });
}

function parseCommand([kind, ...rest]: readonly string[]): Command | undefined {
  switch (kind) {
    case 'add':
      return readAdd(rest);
    case 'list':
      return rest.length === 0 ? { kind } : undefined;
    case 'admit':
    case 'expel': {
      const [name, email, ...more] = rest;
      return name === undefined || email === undefined || more.length > 0 ? undefined : { kind, name, email };
    }
    case 'move':
      return readMove(rest);
    case 'distribute': {
      const [name, ...more] = rest;
      return name === undefined || more.length > 0 ? undefined : { kind, name };
    }
    case 'remove': {
      const { values, positionals } = parseArgs({
        args: rest,
        allowPositionals: true,
        options: { yes: { type: 'boolean', default: false } },
      });
      const [name, ...more] = positionals;
      if (name === undefined || more.length > 0) return undefined;
      if (!values.yes) throw new Error(`Removing ${name} ends its service and its users' tokens: add --yes`);
      return { kind, name };
    }
    default:
      return undefined;
  }
}

function readMove(args: string[]): Command | undefined {
  const options = { database: { type: 'string' }, 'database-direct': { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  const [name, ...more] = positionals;
  const { database: databaseUrl, 'database-direct': directUrl } = values;
  if (name === undefined || databaseUrl === undefined || more.length > 0) return undefined;
  return { kind: 'move', name, databaseUrl, directUrl };
}

function readAdd(args: string[]): Command | undefined {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      schema: { type: 'string' },
      database: { type: 'string' },
      'database-direct': { type: 'string' },
      host: { type: 'string', multiple: true, default: [] },
    },
  });
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) return undefined;
  const tenant: Tenant = {
    name,
    schema: values.schema ?? name.replaceAll('-', '_'),
    databaseUrl: values.database,
    directUrl: values['database-direct'],
    hosts: values.host,
  };
  return { kind: 'add', tenant };
}
