// Identity's background work: it follows the feed of revocations, reloads its signing keys, and deletes what has
// expired.
import type { IdentityLink } from '#lib/auth/identity-link.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { createPeriodicLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import { sweepRateLimits } from '#lib/rate-limit/rate-limiter.ts';
import type { AuthService } from './auth/service.ts';
import type { BrowserSessions } from './browser-sessions/service.ts';
import type { Clients } from './clients/service.ts';
import { sweepInvites } from './invites/service.ts';
import type { OwnAccounts } from './own-account/service.ts';
import type { Recovery } from './recovery/service.ts';
import type { Revocations } from './revocations/service.ts';
import type { KeyRotation } from './signing-keys/rotation.ts';
import type { SigningKeys } from './signing-keys/service.ts';

const KEYS_EVERY_MS = 30_000;
const SWEEP_EVERY_MS = 60_000;
const USES_EVERY_MS = 5_000;

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
  clients: Clients;
  recovery: Recovery;
  browserSessions: BrowserSessions;
  ownAccounts: OwnAccounts;
}): Maintenance {
  const {
    database,
    clock,
    log,
    keys,
    rotation,
    link,
    revocations,
    auth,
    clients,
    recovery,
    browserSessions,
    ownAccounts,
  } = deps;
  const refreshKeys = async () => {
    await keys.refresh();
    await rotation.retire();
  };
  const sweep = async () => {
    await sweepRateLimits(database, clock);
    await revocations.sweep();
    await auth.sweep();
    await recovery.sweep();
    await ownAccounts.sweep();
    if ((await browserSessions.sweep()) > 0) link.loop.wake();
    await sweepInvites(database, clock);
  };
  const keyLoop = createPeriodicLoop({ name: 'signing-keys', intervalMs: KEYS_EVERY_MS, log, run: refreshKeys });
  const sweepLoop = createPeriodicLoop({ name: 'identity-sweep', intervalMs: SWEEP_EVERY_MS, log, run: sweep });
  const flushUses = async () => {
    await clients.flushUses();
    await browserSessions.flushUses();
  };
  const useLoop = createPeriodicLoop({ name: 'client-use', intervalMs: USES_EVERY_MS, log, run: flushUses });
  link.revocations.onKeysChanged(keyLoop.wake);
  let stopListening: readonly (() => Promise<void>)[] = [];
  return {
    async start() {
      stopListening = [
        await database.listen(revocations.channel, link.loop.wake),
        await database.listen(clients.channel, clients.follower.wake),
      ];
      await clients.follower.start();
      useLoop.start();
      keyLoop.start();
      sweepLoop.start();
    },
    async stop() {
      const loops = [keyLoop, sweepLoop, useLoop, clients.follower];
      await Promise.all([...loops.map((loop) => loop.stop()), ...stopListening.map((stop) => stop())]);
      // Shutting down must not fail because the database is away.
      await clients.flushUses().catch((error: unknown) => log.warn({ event: 'client-use.lost', err: error }));
      await browserSessions.flushUses().catch((error: unknown) => log.warn({ event: 'session-use.lost', err: error }));
    },
  };
}
