// An undici agent whose every connection goes to an address that the guard has just checked: the checked address is the
// one connected to, so a name that changes its answer between check and use gains nothing (decision D8).
import { isIP } from 'node:net';
import { Agent, buildConnector } from 'undici';
import type { AddressGuard } from './address-guard.ts';

export interface GuardedAgentOptions {
  readonly guard: AddressGuard;
  /** Limit of making one connection, TLS included. */
  readonly connectTimeoutMs: number;
  /** Open connections to one origin. */
  readonly connectionsPerOrigin: number;
}

/** Errors of refused connections have an AddressRefused as themselves or as their cause. */
export function createGuardedAgent(options: GuardedAgentOptions): Agent {
  const { guard, connectTimeoutMs, connectionsPerOrigin } = options;
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    lookup(hostname, _options, callback) {
      guard.resolve(hostname).then(
        (addresses) => callback(null, [...addresses]),
        (error: NodeJS.ErrnoException) => callback(error, []),
      );
    },
  });
  const connectToTrusted = buildConnector({ timeout: connectTimeoutMs });
  return new Agent({
    connections: connectionsPerOrigin,
    keepAliveTimeout: 10_000,
    pipelining: 1,
    connect(target, callback) {
      if (guard.isTrusted(target)) return connectToTrusted(target, callback);
      const host = target.hostname.replace(/^\[|\]$/g, '');
      // An address written as such is connected to without a look-up, so it is checked here.
      if (isIP(host) === 0) return connect(target, callback);
      guard.resolve(host).then(
        () => connect(target, callback),
        (error: Error) => callback(error, null),
      );
    },
  });
}
