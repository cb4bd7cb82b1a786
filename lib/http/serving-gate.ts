// The gate of an application that listens before it can serve: until the service has prepared itself, everything but
// the operational routes is answered 503 (operations page, "What every service has"). Writes would otherwise be judged
// by definitions that are not loaded yet.
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import type { HttpApp } from './http-app.ts';
import { failingChecks, type ReadinessCheck } from './operations.ts';

/**
 * The header of a 503 that was answered before anything was done with the request: whoever sent it may send it to
 * another node, whatever its method (as REFUSED_STREAM of RFC 9113 §8.7).
 */
export const UNPROCESSED_HEADER = 'x-kedja-unprocessed';

export interface ServingGate {
  /** To be called once everything is in place. */
  open(): void;
  isOpen(): boolean;
  readonly readiness: ReadinessCheck;
}

export function createServingGate(): ServingGate {
  let isOpen = false;
  return {
    open: () => {
      isOpen = true;
    },
    isOpen: () => isOpen,
    readiness: { name: 'start', check: async () => (isOpen ? undefined : 'it has not ended yet') },
  };
}

const OPERATIONAL: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics']);

/** Refuses all but the operational routes while the gate is closed. To be called before the routes are registered. */
export function guardStart(app: HttpApp, gate: Pick<ServingGate, 'isOpen'>): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (gate.isOpen() || OPERATIONAL.has(request.routeOptions.url ?? '')) return done();
    const headers = { [UNPROCESSED_HEADER]: 'starting' };
    done(new ServiceError('unavailable', 'The service is starting', { headers, retryAfterSeconds: 1 }));
  });
}

const RETRY_MS = 50;

/** Opens the gate as soon as every condition holds; gives up when `signal` ends it. */
export async function openWhenReady(
  gate: ServingGate,
  readiness: readonly ReadinessCheck[],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    if ((await failingChecks(readiness)).length === 0) return gate.open();
    await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
  }
}
