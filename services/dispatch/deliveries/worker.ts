// The worker that sends what the outbox holds (decision D8). A step claims what is due, with the consent asked again, in one short
// transaction; the attempts then run with none open, each recording its own end. A crash at any point leaves a lease to run out.
import type { Clock } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { createWorkerLoop, type WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import { type ConsentGate, explainRefusal } from '../consent/service.ts';
import type { KeyRing } from '../shared/key-ring.ts';
import { createAttempt } from './attempt.ts';
import { createLanes, type LaneLimits, type Room } from './lanes.ts';
import type { AttemptMetrics } from './metrics.ts';
import { DELIVERY_CHANNEL } from './outbox-store.ts';
import type { Sender } from './sender.ts';
import { cancelForConsent, type DueDelivery, expireLeases, lockDue, startAttempts } from './worker-store.ts';

const POLL_MS = 1000;
const FREED_TOGETHER = 32;
const FREED_WITHIN_MS = 4;

export interface DeliveryWorkerOptions extends AttemptMetrics {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly gate: ConsentGate;
  readonly keys: KeyRing;
  readonly send: Sender;
  readonly backoff: { readonly scheduleSeconds: readonly number[]; readonly random: () => number };
  readonly limits: LaneLimits;
  /** How long an attempt is its worker's alone. */
  readonly leaseMs: number;
  /** How long after its claim an attempt may begin to send: one that a pause of the process made later asks for consent anew. */
  readonly startWithinMs: number;
}

interface Claim {
  readonly started: DueDelivery[];
  /** Of all that were due, also those that consent has kept back. */
  readonly providers: readonly string[];
}

export interface DeliveryWorker {
  start(): Promise<void>;
  /** Ends the attempts that run: they are made again, under the same webhook-id, by whoever claims them next. */
  stop(): Promise<void>;
  /** Claims once and waits for the attempts; answers how many there were. What tests and operators' commands call. */
  runOnce(): Promise<number>;
}

export function createDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const { database, clock, log, gate } = options;
  const lanes = createLanes(options.limits);
  const attempt = createAttempt(options);
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  let sweptAt = Number.NEGATIVE_INFINITY;
  /** Attempts that have ended since the last claim, and the claim that is planned for it. */
  let freed = 0;
  let soon: NodeJS.Timeout | undefined;
  let stopListening: (() => Promise<void>) | undefined;

  async function claim(transaction: Transaction, room: Room): Promise<Claim> {
    const now = new Date(clock.now());
    const due = await lockDue(transaction, room, now);
    const permitted = await withConsent(transaction, due, now);
    const leaseUntil = new Date(now.getTime() + options.leaseMs);
    const started = await startAttempts(transaction, permitted, { now, leaseUntil });
    return { started, providers: due.map(({ providerGuid }) => providerGuid) };
  }

  /** Leaves out, and cancels, the dispatches that consent forbids by now. Notices hold no data of the patient. */
  async function withConsent(transaction: Transaction, due: DueDelivery[], now: Date): Promise<DueDelivery[]> {
    const asked = due.filter(({ type }) => type === 'request.dispatched');
    const questions = asked.map((delivery) => ({
      patientGuid: delivery.receipt?.patientGuid ?? '',
      organisationGuid: delivery.receipt?.organisationGuid ?? '',
      providerGuid: delivery.providerGuid,
      subject: `request/${delivery.receipt?.requestGuid ?? ''}`,
    }));
    const decisions = await gate.decide(transaction, questions, { occasion: 'attempt', principal: undefined });
    const refused = new Set<DueDelivery>();
    for (const [index, delivery] of asked.entries()) {
      const decision = decisions[index];
      if (decision?.permitted === true) continue;
      refused.add(delivery);
      const reason = decision === undefined ? 'consent_undecided' : explainRefusal(decision);
      await cancelForConsent(transaction, [delivery.deliveryGuid], reason, now);
      log.info({ event: 'delivery.cancelled', delivery: delivery.deliveryGuid, reason });
    }
    return due.filter((delivery) => !refused.has(delivery));
  }

  /** Once a second is enough: leases are longer. */
  async function sweepLeases(): Promise<void> {
    const now = clock.now();
    if (Math.abs(now - sweptAt) < POLL_MS) return;
    await expireLeases(database, new Date(now));
    sweptAt = now;
  }

  /** Answers the attempts, and whether consent has kept back others, in whose place more may be due. */
  async function claimAndStart(): Promise<{ attempts: Promise<void>[]; hasRefused: boolean }> {
    await sweepLeases();
    const room = lanes.room();
    if (room.capacity <= 0) return { attempts: [], hasRefused: false };
    freed = 0;
    const { started, providers } = await database.transaction((transaction) => claim(transaction, room));
    lanes.claimed(room, providers);
    return { attempts: started.map(start), hasRefused: started.length < providers.length };
  }

  function start(delivery: DueDelivery): Promise<void> {
    lanes.begin(delivery.providerGuid);
    const run = attempt(delivery, stopping.signal)
      .catch((error: unknown) => {
        // The lease runs out, and the attempt is then made again.
        log.error({ event: 'delivery.unrecorded', delivery: delivery.deliveryGuid, err: error });
        return 'unknown' as const;
      })
      .then((outcome) => {
        if (lanes.end(delivery.providerGuid, outcome)) wakeSoon();
      })
      .finally(() => running.delete(run));
    running.add(run);
    return run;
  }

  /** Many attempts end at about the same time, and one claim fills the room that they leave. */
  function wakeSoon(): void {
    if (stopListening === undefined) return;
    freed += 1;
    if (freed >= FREED_TOGETHER) loop.wake();
    else
      soon ??= setTimeout(() => {
        soon = undefined;
        loop.wake();
      }, FREED_WITHIN_MS);
  }

  const loop: WorkerLoop = createWorkerLoop({
    name: 'delivery',
    intervalMs: POLL_MS,
    log,
    step: async () => (await claimAndStart()).hasRefused,
  });

  return {
    async start() {
      stopListening = await database.listen(DELIVERY_CHANNEL, () => loop.wake());
      loop.start();
    },
    async stop() {
      await stopListening?.();
      stopListening = undefined;
      clearTimeout(soon);
      await loop.stop();
      stopping.abort();
      await Promise.all(running);
    },
    async runOnce() {
      const { attempts } = await claimAndStart();
      await Promise.all(attempts);
      return attempts.length;
    },
  };
}
