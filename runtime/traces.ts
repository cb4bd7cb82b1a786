// The traces of a process: one exporter for all its services, and a tracer of each.
import type { Logger } from '#lib/log/logger.ts';
import type { Metrics } from '#lib/metrics/metrics.ts';
import type { SpanOutcome } from '#lib/traces/exporter.ts';
import { createTracer, type Tracer, UNTRACED } from '#lib/traces/tracer.ts';
import type { Config } from '../config.ts';

export interface Traces {
  tracerOf(service: string, metrics: Metrics): Tracer;
  /** Sends what is queued. Call it after the services have stopped. */
  stop(): Promise<void>;
}

/** Without a collector nothing is recorded, and the exporter is not loaded. */
export async function createTraces(
  { traces }: Config,
  { log, version }: { log: Logger; version: string },
): Promise<Traces> {
  const { url, headers = [], ratio } = traces;
  const exporter = url === undefined ? undefined : await load(url, headers);
  const instance = crypto.randomUUID();

  async function load(address: string, given: NonNullable<Config['traces']['headers']>) {
    const { createTraceExporter } = await import('#lib/traces/exporter.ts');
    const revealed = Object.fromEntries(given.map(([name, value]) => [name, value.reveal()]));
    return createTraceExporter({ url: address, headers: revealed, log });
  }

  return {
    tracerOf(service, metrics) {
      const spans = metrics.counter('kedja_trace_spans_total', 'Spans of traces, by what became of them', ['outcome']);
      if (exporter === undefined) return UNTRACED;
      const resource = {
        'service.name': `kedja-${service}`,
        'service.namespace': 'kedja',
        'service.version': version,
        'service.instance.id': instance,
      };
      const count = (outcome: SpanOutcome, number: number) => spans.inc({ outcome }, number);
      return createTracer({ take: exporter.source({ resource, count }), ratio });
    },
    stop: async () => exporter?.stop(),
  };
}
