// A collector of traces as OpenTelemetry's protocol has it (OTLP over HTTP, JSON): it keeps what it is sent.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Hooks } from '../hooks.ts';

export interface CollectedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly traceState: string | undefined;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly isError: boolean;
}

export interface Collector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** Each request as it came. */
  readonly requests: readonly { readonly headers: IncomingHttpHeaders; readonly text: string }[];
  /** The answer to a request; 200 and an empty object when left out. What it answers otherwise is not kept. */
  answer(with_: ((response: ServerResponse) => void) | undefined): void;
  close(): Promise<void>;
}

export async function startCollector(hooks: Hooks): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const requests: { headers: IncomingHttpHeaders; text: string }[] = [];
  let answer: ((response: ServerResponse) => void) | undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      requests.push({ headers: request.headers, text });
      if (answer !== undefined) return answer(response);
      spans.push(...spansOf(JSON.parse(text) as ExportRequest));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  hooks.after(close);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1/traces`,
    spans,
    requests,
    answer: (given) => {
      answer = given;
    },
    close,
  };
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: string };
}
interface RawSpan extends Omit<CollectedSpan, 'service' | 'attributes' | 'links' | 'isError'> {
  readonly attributes: readonly Attribute[];
  readonly links?: CollectedSpan['links'];
  readonly status?: { readonly code: number };
}
interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly RawSpan[] }[];
  }[];
}

function spansOf({ resourceSpans }: ExportRequest): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = toRecord(resource.attributes)['service.name'] ?? '';
    return scopeSpans.flatMap((scope) =>
      scope.spans.map(({ attributes, links = [], status, ...span }) => ({
        ...span,
        service,
        attributes: toRecord(attributes),
        links,
        isError: status?.code === 2,
      })),
    );
  });
}

function toRecord(attributes: readonly Attribute[]): Record<string, string> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? '']));
}
