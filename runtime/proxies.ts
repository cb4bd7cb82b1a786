// Whose X-Forwarded-For a service believes (operations page, KEDJA_TRUST_PROXY).
import { isIP } from 'node:net';
import type { ServiceName } from '#lib/config/shared.ts';

export interface ProxySettings {
  readonly services: readonly ServiceName[];
  readonly host: string;
  readonly trustProxy: readonly string[];
}

/**
 * The gateway of this machine tells the services beside it who is calling, from loopback or from the address that all of them bind;
 * besides it, only the configured proxies are believed, and the gateway itself believes nobody else.
 */
export function proxiesOf(name: ServiceName, { services, host, trustProxy }: ProxySettings): string[] {
  if (name === 'console' || !services.includes('console')) return [...trustProxy];
  const own = isIP(host) === 0 || host === '0.0.0.0' || host === '::' ? [] : [host];
  return [...new Set(['127.0.0.1', '::1', ...own, ...trustProxy])];
}
