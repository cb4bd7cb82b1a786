// Connection settings of a service's database, and the end of a connection.

import type { Client, ClientConfig } from 'pg';
import { VALUE_PARSERS } from './types.ts';

/** An event name and fields; pino's `logger.info(fields, event)` is easily bent to it. */
export type DatabaseLog = (level: 'info' | 'warn' | 'error', event: string, fields: Record<string, unknown>) => void;

/**
 * What is between Kedja and PostgreSQL: nothing, or a pooler that gives each client a connection for its whole session.
 * Or it is a pooler that gives it one for each transaction (pgbouncer.org/config.html#pool_mode).
 */
export type Pooling = 'session' | 'transaction';

export interface DatabaseAddress {
  /** `postgres://user:password@host:port/database`, with libpq's parameters (`sslmode` …) as its query. */
  readonly url: string;
  /** Leads past the pooler, for what needs a session: LISTEN, migrations, the order of names. Default: `url`. */
  readonly directUrl?: string | undefined;
  /** Default `session`. */
  readonly pooling?: Pooling | undefined;
}

export interface ConnectionOptions extends DatabaseAddress {
  /** The schema of unqualified names: `[a-z_][a-z0-9_]*`. */
  readonly schema: string;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName?: string;
  /** Milliseconds after which the server ends a statement; 0 never. Default 30 000. */
  readonly statementTimeoutMs?: number;
}

const CONNECT_TIMEOUT_MS = 3_000;
const STATEMENT_TIMEOUT_MS = 30_000;
const IDLE_IN_TRANSACTION_MS = 30_000;
/**
 * A statement whose connection was closed, because its request was aborted, ends within this time
 * (postgresql.org/docs/18/runtime-config-connection.html).
 */
const CHECK_MS = 1_000;
/** How long the client waits beyond the server's limit before it treats the connection as dead. */
const READ_GRACE_MS = 3_000;

/** The schema's name as an SQL identifier. @throws Error when it could be anything but a plain name. */
export function schemaIdentifier(schema: string): string {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) throw new Error(`"${schema}" is no usable schema name`);
  return `"${schema}"`;
}

/** The server and port of a database's address: what `max_connections` counts for. */
export function serverOf(url: string): string {
  const { host, searchParams } = new URL(url);
  return host || (searchParams.get('host') ?? '');
}

/**
 * `pg`'s configuration. Behind a pooler of transactions the settings cannot be parameters of the connection: see
 * {@link transactionSettings}.
 */
export function connectionConfig(options: ConnectionOptions): ClientConfig {
  const timeout = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
  const settings = sessionSettings(options)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
  const isSession = options.pooling !== 'transaction';
  return {
    connectionString: isSession ? withSettings(options.url, settings) : options.url,
    application_name: options.applicationName ?? `kedja-${options.schema}`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    ...(isSession ? { statement_timeout: timeout, idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS } : {}),
    ...(timeout === 0 ? {} : { query_timeout: timeout + READ_GRACE_MS }),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    pipeline: true,
    types: VALUE_PARSERS,
  };
}

/** The configuration of a connection that leads past a pooler. */
export function directConfig(options: ConnectionOptions): ClientConfig {
  return connectionConfig({ ...options, url: options.directUrl ?? options.url, pooling: 'session' });
}

/** The settings as statements for the beginning of a transaction, whichever connection it got from the pooler. */
export function transactionSettings(options: ConnectionOptions): string {
  const timeouts: [name: string, value: string][] = [
    ['statement_timeout', String(options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS)],
    ['idle_in_transaction_session_timeout', String(IDLE_IN_TRANSACTION_MS)],
  ];
  return [...sessionSettings(options), ...timeouts].map(([name, value]) => `SET LOCAL ${name} = ${value}`).join('; ');
}

/** Extensions live in `public`, which therefore ends the search path. */
function sessionSettings({ schema }: ConnectionOptions): [name: string, value: string][] {
  schemaIdentifier(schema);
  return [
    ['search_path', `${schema},public`],
    ['TimeZone', 'UTC'],
    ['DateStyle', 'ISO'],
    ['client_connection_check_interval', String(CHECK_MS)],
  ];
}

/** Adds start-up settings to those the address may already carry (a later `options` would replace an earlier one). */
function withSettings(url: string, settings: string): string {
  const [address = '', query = ''] = url.split(/\?(.*)/s, 2);
  const parameters = new URLSearchParams(query);
  const given = parameters.get('options');
  parameters.set('options', given === null ? settings : `${given} ${settings}`);
  return `${address}?${parameters.toString().replaceAll('+', '%20')}`;
}

/** So long a server has to close a connection, in milliseconds. */
const END_MS = 1_000;

/** Ends the connection. It is broken off when the server does not close it in time. Never rejects. */
export async function endClient(client: Client): Promise<void> {
  const late = setTimeout(() => client.connection.stream.destroy(), END_MS);
  await client.end().catch(() => {});
  clearTimeout(late);
}
