// The sections that every process reads. They are its listening addresses, database and keys, the addresses of the
// other services, the first administrator, and the rules of accounts.
import { PASSWORD_MIN_LENGTH, passwordIssues } from '../passwords/policy.ts';
import { parseTenants } from '../tenants/tenants-file.ts';
import { isLoopbackHost, isLoopbackUrl } from './address.ts';
import { clientIssues } from './client-issues.ts';
import {
  addressOrNetwork,
  clientCredentials,
  email,
  host,
  nodeUrls,
  origin,
  pageOrigin,
  postgresUrl,
  serviceCredentials,
} from './network-types.ts';
import { type CheckContext, defineSection, type SectionValues, variable } from './section.ts';
import { boolean, either, integer, listOf, oneOf, secretText, sortLanguage, text } from './types.ts';

const SERVICES = ['identity', 'dispatch', 'engine', 'console'] as const;
export type ServiceName = (typeof SERVICES)[number];

/** The addresses of a service that another process runs. */
const nodesOf = (service: string, { env, example }: { readonly env: string; readonly example: string }) =>
  variable(env, nodeUrls(), {
    description: `Where ${service} is, when another process runs it: one address, or one for each of its nodes, separated by commas.`,
    whenUnset: 'its port on this machine',
    example,
  });

/** The port of a service on this machine. */
export const servicePort = (service: string, { env, port }: { readonly env: string; readonly port: number }) =>
  variable(env, integer({ min: 0, max: 65_535 }), {
    default: port,
    description: `The port of ${service}; 0 takes a free one.`,
  });

const variables = {
  services: variable('KEDJA_SERVICES', listOf(oneOf(SERVICES)), {
    default: SERVICES,
    description: 'The services that this process runs.',
  }),
  host: variable('KEDJA_HOST', host(), {
    default: '127.0.0.1',
    description: 'The address that every service binds.',
  }),
  publicUrl: variable('KEDJA_PUBLIC_URL', origin(), {
    required: true,
    description: 'The origin at which people reach the gateway; https unless it is this machine.',
    whenUnset: 'demo: the gateway on this machine',
    example: 'https://kedja.example.org',
  }),
  trustProxy: variable('KEDJA_TRUST_PROXY', listOf(addressOrNetwork()), {
    default: [],
    description:
      "The proxies that are trusted for a client's address (X-Forwarded-For). Services trust the gateway of the same data folder anyway.",
    whenUnset: 'none; needed in production when KEDJA_PUBLIC_URL is https or KEDJA_HOST is open to others',
    example: '127.0.0.1',
  }),
  corsOrigins: variable('KEDJA_CORS_ORIGINS', listOf(pageOrigin()), {
    default: [],
    description:
      'Origins whose pages may call the services, and the gateway, from a browser: with tokens and API keys, never with cookies. The gateway’s own pages need none.',
    whenUnset: 'none',
    example: 'https://planning.example.org,http://localhost:5173',
  }),
  databaseUrl: variable('KEDJA_DATABASE_URL', postgresUrl(), {
    description: 'A PostgreSQL 15 or later.',
    whenUnset: 'the embedded PostgreSQL, in KEDJA_DATA_DIR',
    example: 'postgresql://kedja:password@db.example.org:5432/kedja',
  }),
  databasePooling: variable('KEDJA_DATABASE_POOLING', oneOf(['session', 'transaction']), {
    default: 'session',
    description:
      'What KEDJA_DATABASE_URL gives each client: a connection for its session, as PostgreSQL does, or one for each transaction, as PgBouncer may.',
    whenUnset: 'session; behind PgBouncer set `transaction`, in each of its modes',
  }),
  databaseDirectUrl: variable('KEDJA_DATABASE_DIRECT_URL', postgresUrl(), {
    description:
      'The database of KEDJA_DATABASE_URL, past its pooler: for migrations, LISTEN and the order of names, which need a session.',
    whenUnset: 'KEDJA_DATABASE_URL; needed where KEDJA_DATABASE_POOLING is `transaction`',
    example: 'postgresql://kedja:password@db.example.org:5432/kedja',
  }),
  databaseReadUrls: variable('KEDJA_DATABASE_READ_URL', listOf(postgresUrl()), {
    description:
      'Standbys of the database, separated by commas: the engine reads, searches and exports from them. KEDJA_DATABASE_POOLING says what they give each client, too.',
    whenUnset: 'none: everything is read from KEDJA_DATABASE_URL',
    example:
      'postgresql://kedja:password@standby1.example.org:5432/kedja,postgresql://kedja:password@standby2.example.org:5432/kedja',
  }),
  databaseReadMaxLag: variable('KEDJA_DATABASE_READ_MAX_LAG', integer({ min: 100, max: 2_000 }), {
    default: 1_000,
    description:
      'By how many milliseconds a standby may be behind. One that lacks older changes is not read from, so changed rights to a record count everywhere within this time.',
  }),
  tenantsFile: variable('KEDJA_TENANTS_FILE', text('file'), {
    description:
      'A JSON file of the tenants besides the default one: their names, schemas, databases and host names. `kedja tenant` writes it, and nodes read it again when it changes.',
    whenUnset: 'none: there is one tenant, and nothing of tenants is done',
    example: '/etc/kedja/tenants.json',
  }),
  tenantConnections: variable('KEDJA_TENANT_CONNECTIONS', integer({ min: 4, max: 10_000 }), {
    default: 40,
    description:
      'How many connections the tenants of KEDJA_TENANTS_FILE hold together from one process to one database server. A statement that finds none free waits.',
  }),
  dataDir: variable('KEDJA_DATA_DIR', text('folder'), {
    default: './data',
    description: 'Where the embedded database and generated keys live.',
  }),
  backupKey: variable('KEDJA_BACKUP_KEY', secretText('secret: 32 bytes in base64'), {
    description:
      'The key by which `kedja backup` encrypts, and `kedja restore` reads: 32 random bytes in base64. Services do not use it.',
    whenUnset: 'backups are not encrypted',
    example: 'the output of: openssl rand -base64 32',
  }),
  drainSeconds: variable('KEDJA_DRAIN_SECONDS', integer({ min: 0, max: 5 }), {
    default: 1,
    description:
      'How long a stopping service keeps idle connections open, so that gateways and load balancers leave it first.',
  }),
  stopSeconds: variable('KEDJA_STOP_SECONDS', integer({ min: 5, max: 600 }), {
    default: 10,
    description:
      'How long a process that stops may take to finish what runs. Beyond it the process ends with exit code 1. Service managers must wait at least 10 seconds longer before they kill it.',
  }),
  workers: variable('KEDJA_WORKERS', either(integer({ min: 1, max: 256 }), oneOf(['auto'])), {
    default: 1,
    description: 'Processes per service; `auto` is one per core.',
  }),
  requestSeconds: variable('KEDJA_REQUEST_SECONDS', integer({ min: 1, max: 3600 }), {
    default: 10,
    description:
      'Processor time, in seconds, for reading, validating and indexing the large body of one request. Beyond it the request is refused. Every request gets its response within six times as long.',
  }),
  identityUrls: nodesOf('identity', { env: 'KEDJA_IDENTITY_URL', example: 'http://10.0.0.11:8081' }),
  dispatchUrls: nodesOf('dispatch', { env: 'KEDJA_DISPATCH_URL', example: 'http://10.0.0.12:8082' }),
  engineUrls: nodesOf('the engine', { env: 'KEDJA_ENGINE_URL', example: 'http://10.0.0.13:8083' }),
  serviceClients: variable('KEDJA_SERVICE_CLIENTS', listOf(serviceCredentials()), {
    description:
      'The credentials by which the services of this system call each other: one pair for each of `identity`, `engine` and `dispatch`. No other application may know them.',
    whenUnset: 'generated, in KEDJA_DATA_DIR; needed in production when another machine runs some of the services',
    example: 'identity:a-long-random-text,engine:another-one,dispatch:a-third-one',
  }),
  ssoClients: variable('KEDJA_SSO_CLIENTS', listOf(clientCredentials()), {
    description:
      'Relying applications: the credentials by which they ask `/api/auth/me/service` about the user of a token, and nothing else.',
    whenUnset: 'one, `application`, generated in KEDJA_DATA_DIR',
    example: 'journal:a-long-random-text,portal:another-long-random-text',
  }),
  sortLanguage: variable('KEDJA_SORT_LANGUAGE', sortLanguage(), {
    default: 'sv',
    description:
      'The language whose order sorts texts in FHIR searches and in all lists of names: in Swedish å, ä and ö come after z. All nodes have the same. After a change the indexes are sorted again in the background.',
    example: 'nb',
  }),
  logLevel: variable('KEDJA_LOG_LEVEL', oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']), {
    default: 'info',
    description: 'The least level that is logged.',
  }),
  logFormat: variable('KEDJA_LOG_FORMAT', oneOf(['json', 'pretty']), {
    default: 'json',
    demo: 'pretty',
    description: 'Log lines for machines or for people.',
  }),
};

export const shared = defineSection({
  title: 'Every service',
  variables,
  check: (values, context) => [
    ...clientIssues(values, context, isExposed(values)),
    ...exposureIssues(values, context),
    ...databaseIssues(values),
    ...tenantIssues(values, context),
  ],
});

type SharedValues = Partial<SectionValues<typeof variables>>;

/** Whether users of other machines can reach the system, by its configuration. */
export function isExposed(values: {
  readonly host?: string | undefined;
  readonly publicUrl?: string | undefined;
}): boolean {
  const isOpenHost = values.host !== undefined && !isLoopbackHost(values.host);
  return isOpenHost || (values.publicUrl !== undefined && !isLoopbackUrl(values.publicUrl));
}

function exposureIssues(values: SharedValues, context: CheckContext): string[] {
  const { host: boundHost, publicUrl, trustProxy } = values;
  if (context.mode !== 'production') return [];
  const issues: string[] = [];
  const isOpenHost = boundHost !== undefined && !isLoopbackHost(boundHost);
  const isPlain = publicUrl?.startsWith('http:') ?? false;
  if (publicUrl !== undefined && isPlain && !isLoopbackUrl(publicUrl)) {
    issues.push(
      `KEDJA_PUBLIC_URL must be https, because ${publicUrl} is not this machine: passwords would travel in the clear`,
    );
  } else if (isPlain && isOpenHost) {
    issues.push(
      `KEDJA_HOST ${boundHost} is open to other machines while KEDJA_PUBLIC_URL is plain http on this one: bind 127.0.0.1, or put an https proxy in front and name its address in KEDJA_PUBLIC_URL`,
    );
  }
  if (trustProxy?.length === 0 && (isOpenHost || publicUrl?.startsWith('https:'))) {
    issues.push(
      'KEDJA_TRUST_PROXY is missing: behind the https proxy all clients would count as one address; name the proxy (127.0.0.1 when it runs on this machine)',
    );
  }
  return issues;
}

function databaseIssues({ databaseUrl, databasePooling, databaseDirectUrl, databaseReadUrls }: SharedValues): string[] {
  const issues: string[] = [];
  if (databasePooling === 'transaction' && databaseDirectUrl === undefined) {
    issues.push(
      'KEDJA_DATABASE_DIRECT_URL is missing: with KEDJA_DATABASE_POOLING=transaction it leads past the pooler, for migrations and LISTEN',
    );
  }
  if (databaseUrl === undefined && (databasePooling === 'transaction' || databaseDirectUrl !== undefined)) {
    issues.push('KEDJA_DATABASE_URL is missing: the embedded database has no pooler');
  }
  if (databaseUrl === undefined && databaseReadUrls !== undefined) {
    issues.push(
      'KEDJA_DATABASE_URL is missing: KEDJA_DATABASE_READ_URL names its standbys, and the embedded database has none',
    );
  }
  return issues;
}

/** The file holds passwords, so no issue repeats its content. */
function tenantIssues({ tenantsFile }: SharedValues, { readFile }: CheckContext): string[] {
  if (tenantsFile === undefined) return [];
  let content: string;
  try {
    content = readFile(tenantsFile);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    return [`KEDJA_TENANTS_FILE cannot be read (${tenantsFile}): ${reason}`];
  }
  const file = parseTenants(content);
  return 'issues' in file ? file.issues.map((issue) => `KEDJA_TENANTS_FILE ${issue} (${tenantsFile})`) : [];
}

export const administrator = defineSection({
  title: 'Accounts',
  variables: {
    email: variable('KEDJA_ADMIN_EMAIL', email(), {
      required: true,
      description: 'The first administrator of identity and engine, made at start when there is none.',
      whenUnset: 'demo: made up and printed',
      example: 'admin@example.org',
    }),
    password: variable('KEDJA_ADMIN_PASSWORD', secretText(), {
      required: true,
      description:
        "The first administrator's password: not common, not made of the address, and as long as KEDJA_STAFF_PASSWORD_LENGTH asks.",
      whenUnset: 'demo: made up and printed',
    }),
    staffPasswordLength: variable('KEDJA_STAFF_PASSWORD_LENGTH', integer({ min: PASSWORD_MIN_LENGTH, max: 64 }), {
      default: PASSWORD_MIN_LENGTH,
      description:
        'The least length, in characters, of a new password that is its owner’s only factor: of professionals at identity and of users of the engine. NIST SP 800-63B-4 asks for 15.',
    }),
    renewsShortPasswords: variable('KEDJA_STAFF_PASSWORD_RENEWAL', boolean(), {
      default: false,
      description:
        'Whether those whose present password is shorter than KEDJA_STAFF_PASSWORD_LENGTH must choose a new one when they next sign in.',
    }),
  },
  check: ({ email: address, password, staffPasswordLength: minLength }) => {
    if (password === undefined) return [];
    const rules = { owner: { email: address }, ...(minLength === undefined ? {} : { minLength }) };
    return passwordIssues(password.reveal(), rules).map((issue) => `KEDJA_ADMIN_PASSWORD ${issue}`);
  },
});
