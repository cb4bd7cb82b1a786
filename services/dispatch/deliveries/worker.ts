// The delivery worker, which sends the outbox (decision D8). A step claims due deliveries in one short transaction, in
// which `cancelRefused` asks consent again. The attempts then run outside of any transaction, and each records its own
// end. After a crash the leases expire.
import type { Transaction } from '#lib/db/database.ts';
import { createWorkerLoop, type WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Tracer } from '#lib/traces/tracer.ts';
import type { WorkDependencies } from '#lib/work-dependencies.ts';
import { type ConsentGate, explainRefusal, type GateQuestion } from '../consent/service.ts';
import type { Notifier } from '../notifications/notify-service.ts';
import type { KeyRing } from '../shared/key-ring.ts';
import { createAttempt } from './attempt.ts';
import { claimDue, type DueDelivery, findDue } from './due-store.ts';
import { capacityAfter, createLanes, type LaneCapacity, type LaneLimits } from './lanes.ts';
import type { AttemptMetrics } from './metrics.ts';
import { deliveryChannel } from './outbox-store.ts';
import { type Candidate, createPrefetch } from './prefetch.ts';
import type { Sender } from './sender.ts';
import { cancelClaimed, expireLeases } from './worker-store.ts';

const POLL_MS = 1000;
/**
 * So many attempts that have ended are replaced by one claim. A claim of 120 takes the database a fifth less processor
 * time for each delivery than two of 60. While as many still run, the claim waits longer for them.
 */
const FREED_TOGETHER = 64;
const FREED_WITHIN_MS = { busy: 20, idle: 4 } as const;
/** Pause after a claim that met another worker's claim: that one has committed by then. */
const CONTENDED_MS = 20;

export interface DeliveryWorkerOptions extends WorkDependencies, AttemptMetrics {
  readonly gate: ConsentGate;
  readonly keys: KeyRing;
  readonly send: Sender;
  /** Notifies of what is given up, and of what consent refuses. */
  readonly notifier: Pick<Notifier, 'notifyDead' | 'notifyBlocked'>;
  readonly backoff: { readonly scheduleSeconds: readonly number[]; readonly random: () => number };
  readonly limits: LaneLimits;
  /** Milliseconds for which an attempt belongs to its worker. */
  readonly leaseMs: number;
  /**
   * Milliseconds after the claim within which sending must begin. After a longer pause of the process the delivery is
   * claimed, and consent asked, again.
   */
  readonly startWithinMs: number;
  readonly tracer?: Tracer | undefined;
}

interface Claim {
  readonly started: DueDelivery[];
  /** The providers of all that were due, also of deliveries that consent refused. */
  readonly providers: readonly string[];
  /** Whether another worker took or changed some of the candidates. */
  readonly isContended: boolean;
}

export interface DeliveryWorker {
  start(): Promise<void>;
  /** Aborts running attempts. Another worker repeats them under the same webhook-id. */
  stop(): Promise<void>;
  /** Claims once and waits for the attempts; returns their number. For tests and operators' commands. */
  runOnce(): Promise<number>;
}

export function createDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const { database, clock, log, gate } = options;
  const lanes = createLanes(options.limits);
  const ahead = createPrefetch();
  const attempt = createAttempt(options);
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  let sweptAt = Number.NEGATIVE_INFINITY;
  /** How many attempts have ended since the last claim; and the timer of the next claim. */
  let freed = 0;
  let soon: NodeJS.Timeout | undefined;
  /** Whether the next step runs only because attempts have ended. That makes nothing new due. */
  let isForCapacity = false;
  let stopListening: (() => Promise<void>) | undefined;

  /** Prefetched deliveries, as many as there is capacity for. */
  async function chooseCandidates(available: LaneCapacity): Promise<Candidate[]> {
    const readDue = () => findDue(database, { now: new Date(clock.now()), perProvider: available.perProvider });
    if (ahead.isForgotten()) await ahead.fill(readDue);
    const candidates = ahead.take(available);
    if (candidates.length >= available.capacity || !ahead.isShort(available)) return candidates;
    await ahead.fill(readDue);
    return ahead.take(available);
  }

  async function claim(
    transaction: Transaction,
    available: LaneCapacity,
    candidates: readonly Candidate[],
  ): Promise<Claim> {
    const now = new Date(clock.now());
    const times = { now, leaseUntil: new Date(now.getTime() + options.leaseMs) };
    const claimed: DueDelivery[] = [];
    const providers = () => claimed.map(({ providerGuid }) => providerGuid);
    let isContended = false;
    for (let wanted = candidates; wanted.length > 0; ) {
      const guids = wanted.map(({ deliveryGuid }) => deliveryGuid);
      const found = await claimDue(transaction, guids, times);
      claimed.push(...found);
      if (found.length === wanted.length) break;
      isContended = true;
      wanted = ahead.take(capacityAfter(available, providers()));
    }
    const overdue = await cancelOverdue(transaction, claimed, now);
    const refused = await cancelRefused(transaction, without(claimed, overdue), now);
    const started = without(claimed, overdue, refused);
    return { started, providers: providers(), isContended };
  }

  /** Cancels the deliveries past their deadline, whether the expiry is stored or not, and returns them. */
  async function cancelOverdue(
    transaction: Transaction,
    claimed: readonly DueDelivery[],
    now: Date,
  ): Promise<ReadonlySet<DueDelivery>> {
    const overdue = claimed.filter(({ expiresAt }) => expiresAt !== undefined && expiresAt <= now);
    const guids = overdue.map(({ deliveryGuid }) => deliveryGuid);
    if (overdue.length > 0) await cancelClaimed(transaction, guids, { reason: 'expired' }, now);
    for (const delivery of guids) log.info({ event: 'delivery.cancelled', delivery, reason: 'expired' });
    return new Set(overdue);
  }

  /** Cancels the dispatches that consent refuses now, and returns them. Notices have no data of the patient. */
  async function cancelRefused(
    transaction: Transaction,
    claimed: readonly DueDelivery[],
    now: Date,
  ): Promise<ReadonlySet<DueDelivery>> {
    const asked = claimed.filter(({ type }) => type === 'request.dispatched');
    const context = { occasion: 'attempt', principal: undefined } as const;
    const decisions = await gate.decide(transaction, asked.map(questionOf), context);
    const refused = new Set<DueDelivery>();
    for (const [index, delivery] of asked.entries()) {
      const decision = decisions[index];
      if (decision?.permitted === true) continue;
      refused.add(delivery);
      const reason = decision === undefined ? 'consent_undecided' : explainRefusal(decision);
      await cancelClaimed(transaction, [delivery.deliveryGuid], { reason: 'consent', error: reason }, now);
      log.info({ event: 'delivery.cancelled', delivery: delivery.deliveryGuid, reason });
    }
    const guids = [...refused].map(({ deliveryGuid }) => deliveryGuid);
    if (guids.length > 0) await options.notifier.notifyBlocked(transaction, guids);
    return refused;
  }

  /** Once a second is enough, as leases are longer. */
  async function sweepLeases(): Promise<void> {
    const now = clock.now();
    if (Math.abs(now - sweptAt) < POLL_MS) return;
    await expireLeases(database, new Date(now));
    sweptAt = now;
    // Finds at this interval what no notification announces, also while the worker is busy.
    ahead.forget();
  }

  /** Returns the attempts, and whether consent refused some, in whose place others may be due. */
  async function claimAndStart(): Promise<{ attempts: Promise<void>[]; hasRefused: boolean }> {
    await sweepLeases();
    const available = lanes.capacity();
    if (available.capacity <= 0) return { attempts: [], hasRefused: false };
    freed = 0;
    const candidates = await chooseCandidates(available);
    const { started, providers, isContended } =
      candidates.length === 0
        ? { started: [], providers: [], isContended: false }
        : await database.transaction((transaction) => claim(transaction, available, candidates), { sendsAtOnce: true });
    lanes.claimed(available, providers);
    if (isContended) checkAgainSoon();
    return { attempts: started.map(start), hasRefused: started.length < providers.length };
  }

  /** The other worker's claim may have left something due, and nothing notifies of that. */
  function checkAgainSoon(): void {
    ahead.forget();
    if (stopListening !== undefined) wakeAfter(CONTENDED_MS);
  }

  function start(delivery: DueDelivery): Promise<void> {
    lanes.begin(delivery.providerGuid);
    const run = attempt(delivery, stopping.signal)
      .catch((error: unknown) => {
        // The lease expires, and the attempt is repeated.
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

  /** Many attempts end at about the same time; one claim serves them all. */
  function wakeSoon(): void {
    if (stopListening === undefined) return;
    freed += 1;
    isForCapacity = true;
    if (freed >= FREED_TOGETHER) loop.wake();
    else wakeAfter(running.size >= FREED_TOGETHER ? FREED_WITHIN_MS.busy : FREED_WITHIN_MS.idle);
  }

  function wakeAfter(milliseconds: number): void {
    soon ??= setTimeout(() => {
      soon = undefined;
      loop.wake();
    }, milliseconds);
  }

  const loop: WorkerLoop = createWorkerLoop({
    name: 'delivery',
    intervalMs: POLL_MS,
    log,
    step: async () => {
      if (!isForCapacity) ahead.forget();
      isForCapacity = false;
      return (await claimAndStart()).hasRefused;
    },
  });

  return {
    async start() {
      stopListening = await database.listen(deliveryChannel(database), () => {
        ahead.forget();
        loop.wake();
      });
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
      ahead.forget();
      const { attempts } = await claimAndStart();
      await Promise.all(attempts);
      return attempts.length;
    },
  };
}

function without(deliveries: readonly DueDelivery[], ...others: readonly ReadonlySet<DueDelivery>[]): DueDelivery[] {
  return deliveries.filter((delivery) => !others.some((other) => other.has(delivery)));
}

function questionOf({ receipt, providerGuid }: DueDelivery): GateQuestion {
  return {
    patientGuid: receipt?.patientGuid ?? '',
    organisationGuid: receipt?.organisationGuid ?? '',
    providerGuid,
    subject: `request/${receipt?.requestGuid ?? ''}`,
  };
}
