// Sends the calls that wait in a table to another service, one after the other. A call is claimed by a lease, so that
// one node sends it at a time. While the other service is away calls are postponed, and none is lost.
import { type Clock, MINUTE_MS } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import type { Logger } from '../log/logger.ts';
import { doubledDelay } from './backoff.ts';
import { createWorkerLoop, type WorkerLoop } from './worker-loop.ts';

/** Longer than a call may take, so that a lease expires only when its holder has ended. */
const LEASE_MS = 30_000;
const DELAYS = { firstMs: 500, lastMs: MINUTE_MS };
const POLL_MS = 500;

export interface LeaseTimes {
  readonly now: Date;
  readonly leaseEnds: Date;
}

export interface LeasedCallOptions<Call extends { readonly attempt: number }> {
  /** Of the loop, in logs. */
  readonly name: string;
  /** The log event of a call that is postponed. */
  readonly postponedEvent: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Claims the next call that is due; with a request, that one's, even before it is due. */
  claim(times: LeaseTimes, requestGuid: string | undefined): Promise<Call | undefined>;
  /** Sends the call and settles it. @throws ServiceError when a retry may help; other errors are logged by the loop */
  send(call: Call, signal: AbortSignal | undefined): Promise<unknown>;
  postpone(call: Call, nextAt: Date): Promise<void>;
  /** What the log says of a postponed call, beside its attempt. */
  about(call: Call): Readonly<Record<string, unknown>>;
}

export interface LeasedCalls {
  /** Sends calls in the background. */
  readonly loop: WorkerLoop;
  /**
   * Sends the request's next call now, unless another node is sending it. Resolves when the call is settled or
   * postponed. An absent service is no error.
   */
  sendNow(requestGuid: string): Promise<void>;
}

export function createLeasedCalls<Call extends { readonly attempt: number }>(
  options: LeasedCallOptions<Call>,
): LeasedCalls {
  const { name, postponedEvent, clock, log } = options;

  async function sendNext(requestGuid?: string, signal?: AbortSignal): Promise<boolean> {
    const now = clock.now();
    const call = await options.claim({ now: new Date(now), leaseEnds: new Date(now + LEASE_MS) }, requestGuid);
    if (call === undefined) return false;
    try {
      await options.send(call, signal);
    } catch (error) {
      await options.postpone(call, new Date(clock.now() + doubledDelay(call.attempt, DELAYS)));
      if (!(error instanceof ServiceError)) throw error;
      log.warn({ event: postponedEvent, ...options.about(call), attempt: call.attempt, code: error.code });
    }
    return true;
  }

  return {
    loop: createWorkerLoop({ name, intervalMs: POLL_MS, log, step: (signal) => sendNext(undefined, signal) }),
    async sendNow(requestGuid) {
      await sendNext(requestGuid);
    },
  };
}
