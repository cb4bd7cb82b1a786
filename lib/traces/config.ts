// Configuration of traces. Without a collector nothing is recorded, and the code that sends is not loaded.
import { url } from '../config/network-types.ts';
import { defineSection, variable } from '../config/section.ts';
import { share } from '../config/types.ts';
import { headerList } from './header-list.ts';

export const tracesSection = defineSection({
  title: 'Traces',
  variables: {
    url: variable('KEDJA_TRACES_URL', url(), {
      description:
        'Where spans are sent by OpenTelemetry’s protocol (OTLP over HTTP, as JSON): the whole address, with its path.',
      whenUnset: 'no traces are recorded; the trace context of callers is passed on',
      example: 'http://127.0.0.1:4318/v1/traces',
    }),
    headers: variable('KEDJA_TRACES_HEADERS', headerList(), {
      description: 'Headers of each request to KEDJA_TRACES_URL, such as a key of the collector.',
      whenUnset: 'none',
      example: 'authorization=Bearer%20a-long-random-text',
    }),
    ratio: variable('KEDJA_TRACES_RATIO', share(), {
      default: 0.01,
      description:
        'The share of requests that are recorded, where the caller says nothing: 0.01 is one in a hundred. A caller decides by `traceparent`.',
    }),
  },
  check: ({ url: collector, headers }, { hasIssue }) =>
    headers !== undefined && collector === undefined && !hasIssue('KEDJA_TRACES_URL')
      ? ['KEDJA_TRACES_URL is missing: without a collector KEDJA_TRACES_HEADERS is sent nowhere']
      : [],
});
