// Connection settings of a service's database.
import type { ClientConfig } from 'pg';
import { valueParsers } from './types.ts';

/** An event name and fields; pino's `logger.info(fields, event)` is easily bent to it. */
export type DatabaseLog = (level: 'info' | 'warn' | 'error', event: string, fields: Record<string, unknown>) => void;

export interface ConnectionOptions {
  /** `postgres://user:password@host:port/database`, with libpq's parameters (`sslmode` …) as its query. */
  readonly url: string;
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

/** `pg`'s configuration. Extensions live in `public`, which therefore ends the search path. */
export function connectionConfig(options: ConnectionOptions): ClientConfig {
  schemaIdentifier(options.schema);
  const timeout = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
  const settings = `-c search_path=${options.schema},public -c TimeZone=UTC -c DateStyle=ISO -c client_connection_check_interval=${CHECK_MS}`;
  return {
    connectionString: withSettings(options.url, settings),
    application_name: options.applicationName ?? `kedja-${options.schema}`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: timeout,
    ...(timeout === 0 ? {} : { query_timeout: timeout + READ_GRACE_MS }),
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    pipeline: true,
    types: valueParsers(),
  };
}

/** Adds start-up settings to those the address may already carry (a later `options` would replace an earlier one). */
function withSettings(url: string, settings: string): string {
  const [address = '', query = ''] = url.split(/\?(.*)/s, 2);
  const parameters = new URLSearchParams(query);
  const given = parameters.get('options');
  parameters.set('options', given === null ? settings : `${given} ${settings}`);
  return `${address}?${parameters.toString().replaceAll('+', '%20')}`;
}
