// How much garbage may gather before it is collected. The command sets what suits the engine (kedja.mjs), whose memory
// is bounded; a process without it has a small heap, of which so small a part is soon full.
import { setFlagsFromString } from 'node:v8';

/**
 * In per cent of what lives, for a process that sends webhooks and has no engine: some 60 MB live, and 120 MB more may
 * gather. While a long queue is sent, the collector took a tenth of the processor time where it was 50 MB.
 */
const WHERE_WEBHOOKS_ARE_SENT = 200;

/** By the services of this process. */
export function deferGarbageCollection(services: readonly string[]): void {
  if (services.includes('engine') || !services.includes('dispatch')) return;
  setFlagsFromString(`--heap-growing-percent=${WHERE_WEBHOOKS_ARE_SENT}`);
}
