// Refuses requests during start-up. The application listens before the service is ready; until then everything but the
// operational routes gets 503 (operations page, "What every service has"). Otherwise writes would be validated against
// definitions that are not loaded yet.
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import type { HttpApp } from './http-app.ts';
import { failingChecks, OPERATIONAL_ROUTES, type ReadinessCheck } from './operations.ts';

/**
 * The header of a 503 for a request that was not processed at all. The client may send it to another node, whatever its
 * method (like REFUSED_STREAM of RFC 9113 §8.7).
 */
export const UNPROCESSED_HEADER = 'x-kedja-unprocessed';

export interface ServingGate {
  /** Call it once the service is ready. */
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

/** Refuses all but the operational routes while the gate is closed. Call it before the routes are registered. */
export function guardStart(app: HttpApp, gate: Pick<ServingGate, 'isOpen'>): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (gate.isOpen() || OPERATIONAL_ROUTES.has(request.routeOptions.url ?? '')) return done();
    const headers = { [UNPROCESSED_HEADER]: 'starting' };
    done(new ServiceError('unavailable', 'The service is starting', { headers, retryAfterSeconds: 1 }));
  });
}

const RETRY_MS = 50;

/** Opens the gate as soon as every check passes; stops when `signal` is aborted. */
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
