// What identity does beside answering: it hears of revocations, reads its signing keys anew, and forgets what has expired.
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { createWorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import { sweepRateLimits } from '#lib/rate-limit/rate-limiter.ts';
import type { AuthService } from './auth/service.ts';
import type { Revocations } from './revocations/service.ts';
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
  revocations: Revocations;
  auth: AuthService;
  /** Called when the feed of revocations may have grown. */
  onHint: () => void;
}): Maintenance {
  const { database, clock, log, keys, revocations, auth, onHint } = deps;
  const keyLoop = createWorkerLoop({
    name: 'signing-keys',
    intervalMs: KEYS_EVERY_MS,
    log,
    step: async () => {
      await keys.refresh();
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
      return false;
    },
  });
  let stopListening: (() => Promise<void>) | undefined;
  return {
    async start() {
      stopListening = await database.listen(revocations.channel, onHint);
      keyLoop.start();
      sweepLoop.start();
    },
    async stop() {
      await Promise.all([keyLoop.stop(), sweepLoop.stop(), stopListening?.()]);
    },
  };
}
