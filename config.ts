// The whole configuration: every section, the checks across sections, and the addresses that follow from it.
import { isLoopbackHost, isLoopbackUrl } from '#lib/config/address.ts';
import { type Environment, withEnvFile } from '#lib/config/environment.ts';
import { type ConfigResult, type ConfigValues, type PartialValues, parseConfig } from '#lib/config/parse.ts';
import type { CheckContext, Mode } from '#lib/config/section.ts';
import { describeSettings, type Setting } from '#lib/config/settings.ts';
import { administrator, isExposed, type ServiceName, shared } from '#lib/config/shared.ts';
import { mailSection } from '#lib/mail/config.ts';
import { retentionSection } from '#lib/retention/config.ts';
import { tracesSection } from '#lib/traces/config.ts';
import { gatewaySection } from './gateway/config.ts';
import { dispatchSection } from './services/dispatch/config.ts';
import { engineSection } from './services/engine/config.ts';
import { identitySection } from './services/identity/config.ts';

export const sections = {
  shared,
  administrator,
  mail: mailSection,
  traces: tracesSection,
  retention: retentionSection,
  console: gatewaySection,
  identity: identitySection,
  dispatch: dispatchSection,
  engine: engineSection,
} as const;

export interface Config extends ConfigValues<typeof sections> {
  /** Of each section, what administrators see of it. */
  readonly settings: Readonly<Record<keyof typeof sections, readonly Setting[]>>;
}

/** The configuration, or all its errors. */
export type ReadConfig =
  | { readonly ok: true; readonly values: Config }
  | Extract<ConfigResult<typeof sections>, { readonly ok: false }>;

export interface ConfigOptions {
  readonly mode: Mode;
  readonly environment: Environment;
  /** The `.env` file to read beneath the environment; none when left out. */
  readonly envFile?: string;
  /** A command runs no service: what services require may be missing. `start` when left out. */
  readonly purpose?: 'start' | 'command';
}

/** Reads the configuration, or returns all its errors. */
export function readConfig(options: ConfigOptions): ReadConfig {
  const { mode, envFile } = options;
  const environment = readEnvironment(options.environment, envFile);
  if (typeof environment === 'string') return { ok: false, issues: [environment] };
  const read =
    options.purpose === 'command'
      ? parseConfig({ sections, environment, mode, active: () => [] })
      : parseConfig({ sections, environment, mode, active: activeSections, check: crossIssues });
  if (!read.ok) return read;
  const settings = describeSettings(sections, { process: options.environment, all: environment, mode });
  return { ok: true, values: { ...read.values, settings } };
}

/** The settings that a service uses: its own, those of its process, and the gateway's where the process runs it. */
export function settingsOf(service: 'identity' | 'dispatch' | 'engine', { settings, shared: own }: Config): Setting[] {
  const parts = [
    'shared',
    'administrator',
    'mail',
    'traces',
    'retention',
    service,
    ...(own.services.includes('console') ? ['console'] : []),
  ];
  return Object.entries(settings).flatMap(([part, those]) => (parts.includes(part) ? those : []));
}

/** The environment, or why the file beneath it cannot be read. */
function readEnvironment(environment: Environment, envFile: string | undefined): Environment | string {
  if (envFile === undefined) return environment;
  try {
    return withEnvFile(environment, envFile);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    return `${envFile} cannot be read: ${reason}`;
  }
}

type Partially = PartialValues<typeof sections>;

function activeSections(values: Partially): (keyof typeof sections)[] {
  const services = values.shared.services ?? [];
  const hasAccounts =
    values.shared.services === undefined || services.includes('identity') || services.includes('engine');
  return ['shared', 'mail', 'traces', 'retention', ...(hasAccounts ? (['administrator'] as const) : []), ...services];
}

function crossIssues(values: Partially, context: CheckContext): string[] {
  const issues = portIssues(values);
  const services = values.shared.services ?? [];
  const calls = services.includes('dispatch') || services.includes('engine');
  const allowsAll = values.dispatch.webhookAllowPrivate === true && calls;
  if (context.mode === 'production' && allowsAll && isExposed(values.shared)) {
    issues.push(
      'KEDJA_WEBHOOK_ALLOW_PRIVATE must not be true where others than this machine reach the system: name the networks instead (10.20.0.0/16)',
    );
  }
  return issues;
}

function portIssues(values: Partially): string[] {
  const issues: string[] = [];
  const takenBy = new Map<number, string>();
  for (const service of values.shared.services ?? []) {
    const port = values[service].port;
    const name = sections[service].variables.port.env;
    if (port === undefined || port === 0) continue;
    const other = takenBy.get(port);
    if (other !== undefined) issues.push(`${name} must differ from ${other} (both are ${port})`);
    takenBy.set(port, name);
  }
  return issues;
}

export interface Addresses {
  /** The origin at which people reach the gateway. */
  readonly publicUrl: string;
  /** Between a service's address and its own paths: `/t/north` for a tenant, nothing for the default one. */
  readonly tenantPath?: string;
  /** Identity's root at which the users of a tenant sign in; of the default one it is at the public origin. */
  readonly signInRoot?: string;
  /** Of each service, the address of its first node. */
  readonly identityUrl: string;
  readonly dispatchUrl: string;
  readonly engineUrl: string;
  /** Of each service, the addresses of all its nodes. */
  readonly nodes: Readonly<Record<'identity' | 'dispatch' | 'engine', readonly [string, ...string[]]>>;
  readonly planUrl: string;
  readonly contractUrl: string;
  readonly ssoRedirects: readonly string[];
}

/**
 * The addresses in force: those configured, else the local ones. `ports` replaces ports that were 0 by the ones taken.
 */
export function addressesOf(config: Config, ports: Partial<Readonly<Record<ServiceName, number>>> = {}): Addresses {
  const { host, identityUrls, dispatchUrls, engineUrls } = config.shared;
  const local = (service: ServiceName) => `http://${localHost(host)}:${ports[service] ?? config[service].port}`;
  const publicUrl = config.shared.publicUrl ?? local('console');
  const nodesOf = (service: ServiceName, [first, ...more]: readonly string[] = []): [string, ...string[]] => [
    first ?? local(service),
    ...more,
  ];
  const nodes = {
    identity: nodesOf('identity', identityUrls),
    dispatch: nodesOf('dispatch', dispatchUrls),
    engine: nodesOf('engine', engineUrls),
  };
  const [engine] = nodes.engine;
  return {
    publicUrl,
    identityUrl: nodes.identity[0],
    dispatchUrl: nodes.dispatch[0],
    engineUrl: engine,
    nodes,
    planUrl: config.dispatch.planUrl ?? `${engine}/api/v1`,
    contractUrl: config.dispatch.contractUrl ?? `${engine}/api/v1`,
    ssoRedirects: config.identity.ssoRedirects ?? ownRedirects(publicUrl),
  };
}

/** The FHIR base of a service as others know it. */
export function fhirBaseOf(service: 'engine' | 'dispatch', addresses: Addresses): string {
  return `${rootOf(service, addresses)}/api/v1`;
}

/** The address of a service as others know it. */
export function rootOf(
  service: 'identity' | 'engine' | 'dispatch',
  { publicUrl, tenantPath = '' }: Pick<Addresses, 'publicUrl' | 'tenantPath'>,
): string {
  return `${publicUrl}/${service}${tenantPath}`;
}

/** How this machine reaches a bound address. */
export function localHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** On this machine people type both spellings of loopback. */
function ownRedirects(publicUrl: string): string[] {
  if (!isLoopbackUrl(publicUrl)) return [`${publicUrl}/`];
  const { protocol, port, hostname } = new URL(publicUrl);
  const hosts = new Set([hostname, 'localhost', '127.0.0.1'].filter(isLoopbackHost));
  return [...hosts].map((name) => `${protocol}//${name}${port === '' ? '' : `:${port}`}/`);
}
