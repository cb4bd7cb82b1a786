// `kedja clients`: lists, creates, rotates, disables and deletes clients on record (docs/adr/0054). It works on
// identity's database by the same code as identity's API, whether identity runs or not. Operators' page:
// docs/reference/clients.md.
import { parseArgs } from 'node:util';
import { createAudit } from '#lib/audit/audit.ts';
import { CLIENT_CALLS, CLIENT_SERVICES, type ClientCall } from '#lib/auth/principal.ts';
import { TOKEN_AUDIENCE } from '#lib/auth/token-verifier.ts';
import { systemClock } from '#lib/clock.ts';
import { type Client, type NewClient, openClientAdministration } from '#services/identity/clients/service.ts';
import { migrations } from '#services/identity/migrations.ts';
import { createRevocations } from '#services/identity/revocations/service.ts';
import { operator } from './operator.ts';
import type { CommandSite } from './site.ts';
import { runOnSite } from './site-command.ts';
import { tableOf } from './table.ts';

const USAGE = `usage: kedja clients list
       kedja clients create CLIENT_ID --kind application|service --name NAME [--redirect ADDRESS]… [--call CALL]…
                            [--audience AUDIENCE] [--public]
       kedja clients rotate CLIENT_ID [--grace-hours HOURS]
       kedja clients disable CLIENT_ID
       kedja clients enable CLIENT_ID
       kedja clients delete CLIENT_ID

create, rotate: the new secret is written to standard output, this once; everything else goes to standard error.
--redirect: where a sign-in of the application may lead, to the letter; may be repeated.
--call: what the client may call by itself: ${CLIENT_CALLS.join(', ')}.
--public: an application that keeps no secret.
--grace-hours: how long the secret until now holds beside the new one (0).
disable, delete: the client's sign-ins under way and its tokens end. Running nodes hold each change within two seconds.`;

const MOST_GRACE_HOURS = 720;

type Command =
  | { readonly kind: 'list' }
  | { readonly kind: 'create'; readonly client: NewClient }
  | { readonly kind: 'rotate'; readonly clientId: string; readonly graceHours: number }
  | { readonly kind: 'disable' | 'enable' | 'delete'; readonly clientId: string };

/** Returns the exit code. */
export function runClients(args: readonly string[]): Promise<number> {
  return runOnSite(args, { usage: USAGE, parse: parseCommand, run });
}

async function run(site: CommandSite, command: Command): Promise<number> {
  const clients = await administrationOf(site);
  const changer = { principal: operator() };
  switch (command.kind) {
    case 'list':
      console.log(clientTable(await clients.list({ limit: null, offset: 0 })));
      return 0;
    case 'create':
      return shown('is on record', await clients.create(changer, command.client));
    case 'rotate':
      return shown('has a new secret', await clients.rotate(changer, command.clientId, command.graceHours));
    case 'disable':
      return printLine(`Client ${(await clients.disable(changer, command.clientId)).clientId} is disabled.`);
    case 'enable':
      return printLine(`Client ${(await clients.enable(changer, command.clientId)).clientId} is enabled.`);
    case 'delete':
      await clients.remove(changer, command.clientId);
      return printLine(`Client ${command.clientId} is deleted.`);
    default:
      return command satisfies never;
  }
}

async function administrationOf(site: CommandSite) {
  const database = await site.database('identity', migrations);
  const clock = systemClock;
  const { serviceClients, ssoClients } = site.config.shared;
  return openClientAdministration({
    database,
    clock,
    audit: createAudit({ database, clock, service: 'identity' }),
    revocations: createRevocations({ database, clock }),
    serviceClients: serviceClients ?? CLIENT_SERVICES.map((clientId) => ({ clientId })),
    applications: ssoClients ?? [{ clientId: 'application' }],
    redirects: site.config.identity.ssoRedirects ?? [],
  });
}

function shown(what: string, { client, secret }: { client: Client; secret: string | undefined }): number {
  const until = client.previousSecretUntil;
  const also = until === null ? '' : ` The one before holds until ${until.toISOString()}.`;
  console.error(`Client ${client.clientId} ${what}.${also}`);
  if (secret !== undefined) console.log(secret);
  return 0;
}

function printLine(sentence: string): number {
  console.error(sentence);
  return 0;
}

function parseCommand([name, ...rest]: readonly string[]): Command | undefined {
  switch (name) {
    case 'list':
      return rest.length === 0 ? { kind: name } : undefined;
    case 'create':
      return readCreate(rest);
    case 'rotate':
      return readRotate(rest);
    case 'disable':
    case 'enable':
    case 'delete': {
      const [clientId, ...more] = rest;
      return clientId === undefined || more.length > 0 ? undefined : { kind: name, clientId };
    }
    default:
      return undefined;
  }
}

/** @throws Error for an unknown kind or invalid arguments */
function readCreate(args: string[]): Command | undefined {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      kind: { type: 'string' },
      name: { type: 'string' },
      audience: { type: 'string', default: TOKEN_AUDIENCE },
      redirect: { type: 'string', multiple: true, default: [] },
      call: { type: 'string', multiple: true },
      public: { type: 'boolean', default: false },
    },
  });
  const [clientId, ...more] = positionals;
  const { kind, name, audience, redirect: redirects, public: isPublic } = values;
  if (clientId === undefined || more.length > 0 || kind === undefined || name === undefined) return undefined;
  if (kind !== 'application' && kind !== 'service')
    throw new Error(`--kind must be application or service, not "${kind}"`);
  const calls = values.call?.map(readCall) ?? (kind === 'application' && !isPublic ? (['user:read'] as const) : []);
  return { kind: 'create', client: { clientId, name, kind, isPublic, audience, calls, redirects } };
}

function readCall(text: string): ClientCall {
  const call = CLIENT_CALLS.find((each) => each === text);
  if (call === undefined) throw new Error(`--call must be one of ${CLIENT_CALLS.join(', ')}, not "${text}"`);
  return call;
}

/** @throws Error for invalid hours */
function readRotate(args: string[]): Command | undefined {
  const options = { 'grace-hours': { type: 'string', default: '0' } } as const;
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  const [clientId, ...more] = positionals;
  if (clientId === undefined || more.length > 0) return undefined;
  const graceHours = Number(values['grace-hours']);
  if (!(graceHours >= 0 && graceHours <= MOST_GRACE_HOURS)) {
    throw new Error(`--grace-hours must be 0 to ${MOST_GRACE_HOURS}`);
  }
  return { kind: 'rotate', clientId, graceHours };
}

function clientTable(clients: readonly Client[]): string {
  const rows = clients.map((client) => [
    client.clientId,
    client.kind,
    client.managedBy === 'configuration' ? 'configured' : client.disabledAt === null ? 'enabled' : 'disabled',
    client.audience,
    client.rotatedAt?.toISOString() ?? '-',
    client.lastUsedAt?.toISOString() ?? '-',
    client.calls.join(' ') || '-',
  ]);
  return tableOf([['CLIENT', 'KIND', 'STATE', 'AUDIENCE', 'ROTATED', 'LAST USED', 'CALLS'], ...rows]);
}
