// An undici agent that connects only to addresses that the guard has checked. It connects to the checked address
// itself, so DNS rebinding has no effect (decision D8).
import { isIP } from 'node:net';
import { Agent, buildConnector } from 'undici';
import type { AddressGuard } from './address-guard.ts';

export interface GuardedAgentOptions {
  readonly guard: AddressGuard;
  /** The time limit of one connect, TLS included, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** The most open connections to one origin. */
  readonly connectionsPerOrigin: number;
}

/** The error of a refused connection is an AddressRefused or has one as its cause. */
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
      // undici does not look up an IP address, so it is checked here.
      if (isIP(host) === 0) return connect(target, callback);
      guard.resolve(host).then(
        () => connect(target, callback),
        (error: Error) => callback(error, null),
      );
    },
  });
}
