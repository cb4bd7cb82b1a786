// A node's connection to identity (decision G8): the public keys and the revoked tokens. They are loaded before the
// node is ready, and refreshed every second.
import type { Clock } from '../clock.ts';
import type { ReadinessCheck } from '../http/operations.ts';
import { createFollower } from '../jobs/follower.ts';
import type { WorkerLoop } from '../jobs/worker-loop.ts';
import type { Logger } from '../log/logger.ts';
import { createRevocationList, type RevocationList, type RevocationSource } from './revocation-list.ts';
import { createTokenVerifier, type KeySource, type TokenVerifier } from './token-verifier.ts';

export interface IdentityLink {
  readonly tokens: TokenVerifier;
  readonly revocations: RevocationList;
  readonly loop: WorkerLoop;
  readonly readiness: ReadinessCheck;
}

export function createIdentityLink(options: {
  keys: KeySource;
  revocationSource: RevocationSource;
  clock: Clock;
  log: Logger;
}): IdentityLink {
  const { keys, revocationSource, clock, log } = options;
  const tokens = createTokenVerifier({ keys, clock });
  const revocations = createRevocationList({ source: revocationSource, clock });
  let hasKeys = false;
  let needsKeys = true;

  async function loadKeys(): Promise<void> {
    needsKeys = false;
    try {
      await tokens.refreshKeys();
      hasKeys = true;
    } catch (error) {
      needsKeys = true;
      throw error;
    }
  }

  async function refresh(): Promise<void> {
    // Keys that cannot be loaded keep the list from being refreshed. It becomes stale, and a stale list is
    // not trusted.
    if (needsKeys) await loadKeys();
    await revocations.refresh();
    if (needsKeys) await loadKeys();
  }

  const loop = createFollower({ name: 'identity-link', log, refresh });
  revocations.onKeysChanged(() => {
    needsKeys = true;
    loop.wake();
  });
  const readiness = {
    name: 'identity',
    check: async () =>
      hasKeys && revocations.isFresh() ? undefined : 'its keys and revoked tokens are not loaded or not fresh',
  };
  return { tokens, revocations, loop, readiness };
}
