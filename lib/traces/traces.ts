// The traces of a process: one exporter for all its services, and a tracer of each.
import type { SectionValues } from '../config/section.ts';
import type { Logger } from '../log/logger.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { tracesSection } from './config.ts';
import type { SpanOutcome } from './exporter.ts';
import { createTracer, type Tracer, UNTRACED } from './tracer.ts';

type TracesConfig = SectionValues<(typeof tracesSection)['variables']>;

export interface Traces {
  tracerOf(service: string, metrics: Metrics): Tracer;
  /** Sends what is queued. Call it after the services have stopped. */
  stop(): Promise<void>;
}

/** Without a collector nothing is recorded, and the exporter is not loaded. */
export async function createTraces(
  config: TracesConfig,
  { log, version }: { log: Logger; version: string },
): Promise<Traces> {
  const { url, headers = [], ratio } = config;
  const exporter = url === undefined ? undefined : await load(url, headers);
  const instance = crypto.randomUUID();

  async function load(address: string, given: NonNullable<TracesConfig['headers']>) {
    const { createTraceExporter } = await import('./exporter.ts');
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
