// Sets how much garbage V8 lets accumulate before it collects. kedja.mjs sets what suits the engine, whose memory is
// bounded. A process without the engine has a small heap and would collect too often.
import { setFlagsFromString } from 'node:v8';

/**
 * Per cent of the live heap, for a process that sends webhooks without the engine: about 60 MB live and 120 MB more.
 * With less, the collector takes a tenth of the processor time while a long queue is sent.
 */
const WHERE_WEBHOOKS_ARE_SENT = 200;

/** Chooses by the services of this process. */
export function deferGarbageCollection(services: readonly string[]): void {
  if (services.includes('engine') || !services.includes('dispatch')) return;
  setFlagsFromString(`--heap-growing-percent=${WHERE_WEBHOOKS_ARE_SENT}`);
}
