// Runs one delivery attempt, from the claimed delivery to the stored result: body, signature, sending, next state (D8).
import { setTimeout as delay } from 'node:timers/promises';
import { isOutage } from '#lib/errors.ts';
import type { BackoffOptions } from '#lib/jobs/backoff.ts';
import { createBatcher } from '#lib/jobs/batcher.ts';
import { createLineWriter } from '#lib/log/line-writer.ts';
import type { Sealer } from '#lib/secrets/sealer.ts';
import type { SpanEnd } from '#lib/traces/span.ts';
import { contextHeaders, readCarried } from '#lib/traces/trace-context.ts';
import { type Tracer, UNTRACED } from '#lib/traces/tracer.ts';
import { signLongWebhook } from '#lib/webhook/signature.ts';
import type { WorkDependencies } from '#lib/work-dependencies.ts';
import type { Notifier } from '../notifications/notify-service.ts';
import type { KeyRing } from '../shared/key-ring.ts';
import { readRetryAfter, retryDelay } from './backoff.ts';
import type { DueDelivery } from './due-store.ts';
import { fillEnvelope } from './envelope.ts';
import type { AttemptMetrics } from './metrics.ts';
import { holdDeliveries } from './outbox-store.ts';
import { createSecretOpener } from './secret-opener.ts';
import type { AttemptResult, Message, Sender } from './sender.ts';
import { type AttemptRecord, disableGone, recordAttempts, recordDead } from './worker-store.ts';

export interface AttemptOptions extends WorkDependencies, AttemptMetrics {
  readonly keys: KeyRing;
  readonly send: Sender;
  readonly notifier: Pick<Notifier, 'notifyDead'>;
  readonly backoff: BackoffOptions;
  /** Milliseconds after the claim within which sending must begin. */
  readonly startWithinMs: number;
  /** Milliseconds after the claim during which no other worker may send the delivery. */
  readonly leaseMs: number;
  /** Nothing is recorded when left out. */
  readonly tracer?: Tracer | undefined;
}

export type AttemptOutcome = 'succeeded' | 'failed' | 'unknown';

const GONE = 410;
/**
 * One record at a time, so that all attempts that end meanwhile share the next one. A record of 64 takes the database a
 * quarter less processor time for each attempt than two records of 32.
 */
const RECORDED_TOGETHER = { size: 128, groups: 1 };
/** Pauses before a record is retried while the database is unavailable: the first, which doubles, and the longest. */
const RETRY_MS = { first: 50, longest: 2000 } as const;

/** Creates the function that sends one claimed delivery and stores the result. @throws what the database throws */
export function createAttempt(options: AttemptOptions) {
  const { database, clock, log, keys, send, backoff, tracer = UNTRACED } = options;
  const open = createSecretOpener(keys);
  const writeLine = createLineWriter(log.child({ event: 'delivery.attempted' }), 'info');
  /** The requester and the provider are notified of what is given up. */
  async function record(records: readonly AttemptRecord[]): Promise<void> {
    if (!records.some(({ status }) => status === 'dead')) return recordAttempts(database, records);
    await database.transaction(async (transaction) => {
      await options.notifier.notifyDead(transaction, await recordDead(transaction, records));
    });
  }

  // Attempts that end while a batch is being stored form the next batch, as a commit costs more than its rows.
  const recordSoon = createBatcher<AttemptRecord, void>({
    together: async (records) => {
      await record(records);
      return records.map(() => ({ value: undefined }));
    },
    single: {
      alone: (each) => record([each]),
      isCommon: isOutage,
    },
    limits: RECORDED_TOGETHER,
  });

  /**
   * Retries `work` while the lease lasts. Nobody else sends the delivery then, and a repeated record changes nothing.
   * @throws as `work` does
   */
  async function whileLeased(delivery: DueDelivery, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    const leaseEnds = delivery.claimedAt.getTime() + options.leaseMs;
    for (let pause: number = RETRY_MS.first; ; pause = Math.min(2 * pause, RETRY_MS.longest)) {
      try {
        return await work();
      } catch (error) {
        if (!isOutage(error) || clock.now() + pause >= leaseEnds || signal.aborted) throw error;
        await delay(pause, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async function recordGone({ providerGuid, endpoint }: DueDelivery, entry: AttemptRecord): Promise<void> {
    const now = entry.at;
    await database.transaction(async (transaction) => {
      const isDisabled = await disableGone(transaction, { providerGuid, url: endpoint.url }, now);
      await recordAttempts(transaction, [entry]);
      if (isDisabled) await holdDeliveries(transaction, providerGuid, now);
    });
    log.warn({ event: 'endpoint.gone', provider: providerGuid });
  }

  async function make(delivery: DueDelivery, startedAt: number, signal: AbortSignal): Promise<AttemptResult> {
    const message = await messageOf(delivery, { keys, open }, startedAt);
    if ('error' in message) return { kind: 'failed', error: message.error };
    // After a long pause of the process the lease may have ended, and the consent decision is old. The next claim asks
    // again.
    const now = clock.now();
    if (now - delivery.claimedAt.getTime() > options.startWithinMs) return { kind: 'failed', error: 'interrupted' };
    if (delivery.attempt === 1) options.latency.observe(Math.max(0, now - delivery.queuedAt.getTime()) / 1000);
    return sendTraced(delivery, message, signal);
  }

  /** A webhook belongs to the trace of the request that queued it, also the one that is sent again. */
  async function sendTraced(delivery: DueDelivery, message: Message, signal: AbortSignal): Promise<AttemptResult> {
    const trace = readCarried(delivery.trace);
    if (trace === undefined) return send(message, signal);
    const { hostname, port, protocol } = new URL(message.url);
    const span = tracer.resume(trace, {
      name: 'POST webhook',
      kind: 'client',
      attributes: {
        'http.request.method': 'POST',
        'server.address': hostname,
        'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
        'http.request.resend_count': delivery.attempt - 1,
        'kedja.delivery': delivery.deliveryGuid,
      },
    });
    const headers = { ...message.headers, ...contextHeaders(trace, span) };
    const result = await send({ ...message, headers }, signal);
    span?.end(endOf(result));
    return result;
  }

  return async (delivery: DueDelivery, signal: AbortSignal): Promise<AttemptOutcome> => {
    const startedAt = clock.now();
    const result = await make(delivery, startedAt, signal);
    const now = clock.now();
    const entry = recordOf(delivery, result, { now, durationMs: now - startedAt, backoff });
    await whileLeased(delivery, signal, () =>
      entry.outcome === 'gone' ? recordGone(delivery, entry) : recordSoon(entry),
    );
    options.attempts.inc({ outcome: entry.outcome });
    writeLine(lineOf(entry) + traceOf(delivery));
    if (entry.outcome === 'interrupted') return 'unknown';
    return entry.status === 'delivered' ? 'succeeded' : 'failed';
  };
}

function endOf(result: AttemptResult): SpanEnd {
  if (result.kind === 'failed') return { error: result.error };
  const { status } = result;
  const error = status >= 400 ? String(status) : undefined;
  return { attributes: { 'http.response.status_code': status }, error };
}

/** The fields of the log line. Only the provider's guid comes from outside and needs escaping. */
function lineOf({ deliveryGuid, providerGuid, attempt, outcome, httpStatus }: AttemptRecord): string {
  const status = httpStatus === undefined ? '' : `,"status":${httpStatus}`;
  return `,"delivery":"${deliveryGuid}","provider":${JSON.stringify(providerGuid)},"attempt":${attempt},"outcome":"${outcome}"${status}`;
}

/** The signed message, or why it cannot be built. Only the timestamp differs between attempts. */
async function messageOf(
  delivery: DueDelivery,
  { keys, open }: { readonly keys: KeyRing; readonly open: Sealer['open'] },
  now: number,
): Promise<Message | { readonly error: 'key_missing' | 'body_differs' }> {
  const { receipt, endpoint } = delivery;
  const token = receipt && keys.tokenOf(receipt.requestGuid, receipt.tokenKey);
  const secrets = secretsOf(delivery, open, now);
  if (secrets === undefined || (receipt !== undefined && token === undefined)) return { error: 'key_missing' };
  const body = await fillEnvelope(delivery.envelope, {
    ...(token === undefined ? {} : { token }),
    ...(receipt?.bundle === undefined ? {} : { bundle: receipt.bundle }),
  });
  if (!body.sha256.equals(delivery.bodySha256)) return { error: 'body_differs' };
  const signed = { id: delivery.deliveryGuid, timestampSeconds: Math.floor(now / 1000), body: body.pieces };
  return { url: endpoint.url, headers: { ...(await signLongWebhook(signed, secrets)) }, body, token };
}

/** The secret, and the previous one during its grace period. */
function secretsOf({ endpoint, providerGuid }: DueDelivery, open: Sealer['open'], now: number): string[] | undefined {
  const { secret, previousSecret, previousSecretUntil } = endpoint;
  const isGrace = previousSecret !== undefined && (previousSecretUntil?.getTime() ?? 0) > now;
  try {
    return [secret, ...(isGrace ? [previousSecret] : [])].map((sealed) => open(sealed, providerGuid));
  } catch {
    return undefined;
  }
}

/** Ids of traces need no escaping. */
function traceOf({ trace }: DueDelivery): string {
  const carried = readCarried(trace);
  return carried === undefined ? '' : `,"trace_id":"${carried.traceId}"`;
}

function recordOf(
  delivery: DueDelivery,
  result: AttemptResult,
  { now, durationMs, backoff }: { now: number; durationMs: number; backoff: BackoffOptions },
): AttemptRecord {
  const { deliveryGuid, providerGuid, attempt } = delivery;
  const answered = result.kind === 'answered' ? result : undefined;
  const common = {
    deliveryGuid,
    providerGuid,
    attempt,
    at: new Date(now),
    durationMs,
    httpStatus: answered?.status,
    answer: answered?.answer,
  };
  if (answered !== undefined && answered.status >= 200 && answered.status < 300) {
    return { ...common, outcome: 'delivered', status: 'delivered', failures: delivery.failures, nextAt: undefined };
  }
  const outcome = result.kind === 'failed' ? result.error : outcomeOfStatus(result.status);
  // An attempt that we aborted says nothing about the receiver.
  if (outcome === 'interrupted') {
    return { ...common, outcome, status: 'waiting', failures: delivery.failures, nextAt: new Date(now) };
  }
  // `recordGone` disables the endpoint, which holds the delivery. It is sent again only if the endpoint has a new
  // address.
  if (outcome === 'gone') {
    return { ...common, outcome, status: 'waiting', failures: delivery.failures, nextAt: new Date(now) };
  }
  const failures = delivery.failures + 1;
  const later = retryDelay(failures, readRetryAfter(answered?.retryAfter, now), backoff);
  return later === undefined
    ? { ...common, outcome, status: 'dead', failures, nextAt: undefined }
    : { ...common, outcome, status: 'waiting', failures, nextAt: new Date(now + later) };
}

function outcomeOfStatus(status: number): string {
  if (status === GONE) return 'gone';
  if (status >= 300 && status < 400) return 'redirected';
  return status >= 500 ? 'server_error' : 'refused';
}
