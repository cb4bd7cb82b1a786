// The mail outbox and its worker (docs/adr/0066, docs/reference/mail.md). A mail is queued in the transaction of the
// change that causes it, and sent afterwards. So a mail server that is down delays no request. Each claim is a lease.
//
// A mail is sent once, as far as SMTP permits. There is one exception. A worker may end after the server has taken the
// mail and before it has stored that. Then another worker sends it again. Both copies have one Message-ID.

import { setTimeout as delay } from 'node:timers/promises';
import { DAY_MS, MINUTE_MS } from '../clock.ts';
import type { Queryable, Transaction } from '../db/database.ts';
import { notify } from '../db/listener.ts';
import { isOutage } from '../errors.ts';
import { newGuid } from '../guid.ts';
import { scheduledDelay } from '../jobs/backoff.ts';
import { wokenBy } from '../jobs/woken-loop.ts';
import { createWorkerLoop } from '../jobs/worker-loop.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { KeySet } from '../secrets/key-set.ts';
import type { WorkDependencies } from '../work-dependencies.ts';
import { type MailMessage, mailSealer } from './message.ts';
import { createMailMetrics } from './metrics.ts';
import * as store from './outbox-store.ts';
import type { SendMail, SendResult } from './smtp-sender.ts';

const POLL_MS = 5_000;
const SWEEP_EVERY_MS = 60_000;
/** At once, by one node. */
const CONCURRENCY = 4;
/** Longer than an attempt may take: it is aborted before. */
const LEASE_MS = 5 * MINUTE_MS;
const ATTEMPT_MS = 4 * MINUTE_MS;
/** What a mail that is being sent has left when the process stops. */
const STOP_MS = 3_000;
/** About 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 2 h and 4 h: given up after about 8 hours. */
const SCHEDULE_SECONDS = [5, 30, 120, 600, 1800, 3600, 7200, 14_400];
const DEAD_KEPT_MS = 7 * DAY_MS;
const RECORD_RETRY_MS = 500;

export interface QueuedMail extends MailMessage {
  /** What the mail is about, for logs and metrics: `password-reset`. */
  readonly kind: string;
  /** After this moment the mail is given up; a link in it has expired. A day when left out. */
  readonly expiresAt?: Date | undefined;
}

export interface Mailer {
  /** Queues a mail; it is sent when the transaction has committed. Returns the guid of the mail. */
  queue(tx: Transaction, mail: QueuedMail): Promise<string>;
  /**
   * Takes back a mail that waits. Returns whether it did so before the server can have it: one that is being sent may
   * arrive nevertheless. Without a guid it does the same work.
   */
  cancel(tx: Transaction, mailGuid: string | undefined): Promise<boolean>;
  /** Calls `act` in the transaction in which a mail of the kind is given up; set before the start, once for a kind. */
  whenGivenUp(kind: string, act: WhenGivenUp): void;
  start(): Promise<void>;
  /** Lets a mail that is being sent end within three seconds, else aborts it; another attempt follows. */
  stop(): Promise<void>;
  /** Sends what is due and waits for it; returns how many were claimed. For tests and operators' commands. */
  runOnce(): Promise<number>;
}

/** @param mail `error` is an outcome of docs/reference/mail.md */
export type WhenGivenUp = (
  tx: Transaction,
  mail: { readonly mailGuid: string; readonly error: string; readonly at: Date },
) => Promise<void>;

export interface MailerOptions extends WorkDependencies {
  readonly metrics: Metrics;
  readonly keys: KeySet;
  readonly send: SendMail;
  /** A number from 0 up to 1; Math.random when left out. */
  readonly random?: () => number;
}

/** One service's outbox. Its table comes with the migrations beside this file. */
export function createMailer(options: MailerOptions): Mailer {
  const { database, clock, log, send, random = Math.random } = options;
  const sealer = mailSealer(options.keys);
  const attempts = createMailMetrics(options.metrics, database, clock);
  const channel = `${database.schema}_mail`;
  const givenUp = new Map<string, WhenGivenUp>();
  let sweptAt = Number.NEGATIVE_INFINITY;

  function open(mail: store.ClaimedMail): MailMessage | undefined {
    try {
      return JSON.parse(sealer.open(mail.message_sealed, mail.mail_guid)) as MailMessage;
    } catch {
      return undefined;
    }
  }

  async function attempt(mail: store.ClaimedMail, signal: AbortSignal): Promise<SendResult | 'expired' | 'unreadable'> {
    if (mail.expires_at.getTime() <= clock.now()) return 'expired';
    const message = open(mail);
    if (message === undefined) return 'unreadable';
    return send(message, mail.mail_guid, AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_MS)]));
  }

  async function giveUp(kind: string, failed: store.FailedAttempt, at: Date): Promise<void> {
    await database.transaction(async (tx) => {
      const { mailGuid, error } = failed;
      if (await store.giveUp(tx, failed, at)) await givenUp.get(kind)?.(tx, { mailGuid, error, at });
    });
  }

  /** Stores what came of an attempt; repeated while the database is away and the lease lasts. */
  async function record(work: (db: Queryable) => Promise<void>, until: number): Promise<void> {
    for (;;) {
      try {
        return await work(database);
      } catch (error) {
        if (!isOutage(error) || clock.now() + RECORD_RETRY_MS >= until) throw error;
        await delay(RECORD_RETRY_MS);
      }
    }
  }

  async function process(mail: store.ClaimedMail, leaseUntil: number, signal: AbortSignal): Promise<void> {
    const result = await attempt(mail, signal);
    const outcome = typeof result === 'string' ? result : result.kind === 'sent' ? 'sent' : result.error;
    const at = clock.now();
    const failed = { mailGuid: mail.mail_guid, attempt: mail.attempt, error: outcome };
    const later = laterThan(result, mail.attempt, { at, random });
    const isDead = outcome !== 'sent' && (later === undefined || later >= mail.expires_at.getTime());
    await record((db) => {
      if (outcome === 'sent') return store.deleteSent(db, mail.mail_guid);
      if (isDead || later === undefined) return giveUp(mail.kind, failed, new Date(at));
      return store.putOff(db, failed, new Date(later));
    }, leaseUntil);
    attempts.inc({ outcome });
    const about = { mail: mail.mail_guid, kind: mail.kind, attempt: mail.attempt, ...codeOf(result) };
    if (outcome === 'sent') log.info({ event: 'mail.sent', ...about });
    else log.warn({ event: isDead ? 'mail.dead' : 'mail.failed', outcome, ...about });
  }

  async function claimAndSend(signal: AbortSignal): Promise<number> {
    const now = clock.now();
    const leaseUntil = now + LEASE_MS;
    const claim = { now: new Date(now), leaseUntil: new Date(leaseUntil), limit: CONCURRENCY };
    const claimed = await store.claimDue(database, claim);
    const ended = await Promise.allSettled(claimed.map((mail) => process(mail, leaseUntil, signal)));
    // The lease ends, and the mail is sent again.
    for (const end of ended) if (end.status === 'rejected') log.error({ event: 'mail.unrecorded', err: end.reason });
    return claimed.length;
  }

  async function sweep(): Promise<void> {
    const now = clock.now();
    if (Math.abs(now - sweptAt) < SWEEP_EVERY_MS) return;
    await store.sweepDead(database, new Date(now - DEAD_KEPT_MS));
    sweptAt = now;
  }

  const loop = createWorkerLoop({
    name: 'mail',
    intervalMs: POLL_MS,
    log,
    step: async (stopping) => {
      await sweep();
      const { signal, clear } = abortsLater(stopping, STOP_MS);
      try {
        return (await claimAndSend(signal)) === CONCURRENCY;
      } finally {
        clear();
      }
    },
  });
  const woken = wokenBy({ database, channel }, loop);

  return {
    async queue(tx, { kind, expiresAt, ...message }) {
      const now = clock.now();
      const mailGuid = newGuid(now);
      const sealed = sealer.seal(JSON.stringify(message), mailGuid);
      const times = { createdAt: new Date(now), expiresAt: expiresAt ?? new Date(now + DAY_MS) };
      await store.insertMail(tx, { mailGuid, kind, sealed, ...times });
      await notify(tx, channel);
      return mailGuid;
    },
    cancel: store.cancelWaiting,
    whenGivenUp: (kind, act) => void givenUp.set(kind, act),
    ...woken,
    runOnce: () => claimAndSend(new AbortController().signal),
  };
}

/** When to try again, in milliseconds since 1970; undefined for never. */
function laterThan(
  result: SendResult | 'expired' | 'unreadable',
  attempt: number,
  { at, random }: { at: number; random: () => number },
): number | undefined {
  if (result === 'expired' || (typeof result !== 'string' && result.kind !== 'failed')) return undefined;
  // What we aborted says nothing about the server.
  if (typeof result !== 'string' && result.error === 'interrupted') return at;
  const pause = scheduledDelay(attempt, { scheduleSeconds: SCHEDULE_SECONDS, random });
  return pause === undefined ? undefined : at + pause;
}

function codeOf(result: SendResult | string): { code?: number } {
  return typeof result === 'string' || result.kind === 'sent' || result.code === undefined ? {} : { code: result.code };
}

/** A signal that is aborted some time after another. */
function abortsLater(first: AbortSignal, afterMs: number): { signal: AbortSignal; clear: () => void } {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const begin = () => {
    timer = setTimeout(() => controller.abort(), afterMs);
  };
  if (first.aborted) begin();
  else first.addEventListener('abort', begin, { once: true });
  const clear = () => {
    clearTimeout(timer);
    first.removeEventListener('abort', begin);
  };
  return { signal: controller.signal, clear };
}
