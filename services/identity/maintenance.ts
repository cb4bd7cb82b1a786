// What identity does beside answering: it hears of revocations, reads its signing keys anew, and forgets what has expired.
import type { IdentityLink } from '#lib/auth/identity-link.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { createWorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import { sweepRateLimits } from '#lib/rate-limit/rate-limiter.ts';
import type { AuthService } from './auth/service.ts';
import { sweepInvites } from './invites/service.ts';
import type { Revocations } from './revocations/service.ts';
import type { KeyRotation } from './signing-keys/rotation.ts';
import type { SigningKeys } from './signing-keys/service.ts';

const KEYS_EVERY_MS = 30_000;
const SWEEP_EVERY_MS = 60_000;

export interface Maintenance {
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function createMaintenance(deps: {
  database: Database;
  clock: Clock;
  log: Logger;
  keys: SigningKeys;
  rotation: KeyRotation;
  link: IdentityLink;
  revocations: Revocations;
  auth: AuthService;
}): Maintenance {
  const { database, clock, log, keys, rotation, link, revocations, auth } = deps;
  const keyLoop = createWorkerLoop({
    name: 'signing-keys',
    intervalMs: KEYS_EVERY_MS,
    log,
    step: async () => {
      await keys.refresh();
      await rotation.retire();
      return false;
    },
  });
  const sweepLoop = createWorkerLoop({
    name: 'identity-sweep',
    intervalMs: SWEEP_EVERY_MS,
    log,
    step: async () => {
      await sweepRateLimits(database, clock);
      await revocations.sweep();
      await auth.sweep();
      await sweepInvites(database, clock);
      return false;
    },
  });
  link.revocations.onKeysChanged(keyLoop.wake);
  let stopListening: (() => Promise<void>) | undefined;
  return {
    async start() {
      stopListening = await database.listen(revocations.channel, link.loop.wake);
      keyLoop.start();
      sweepLoop.start();
    },
    async stop() {
      await Promise.all([keyLoop.stop(), sweepLoop.stop(), stopListening?.()]);
    },
  };
}
