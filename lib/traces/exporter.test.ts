import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { eventually } from '#test/support/http.ts';
import { makeTestApp, makeTestLogger } from '#test/support/http-app.ts';
import { startCollector } from '#test/support/traces/collector.ts';
import { MINUTE_MS } from '../clock.ts';
import { createTraceExporter, type SpanOutcome, type TraceExporterOptions } from './exporter.ts';
import { createTracer } from './tracer.ts';

function exporterTo(url: string, changes: Partial<TraceExporterOptions> = {}) {
  const lines: string[] = [];
  const exporter = createTraceExporter({
    url,
    headers: { 'x-key': 'secret' },
    log: makeTestLogger(lines),
    intervalMs: MINUTE_MS,
    pausesMs: [1, 1],
    ...changes,
  });
  after(() => exporter.stop());
  const counts: Record<SpanOutcome, number> = { sent: 0, rejected: 0, dropped: 0 };
  const count = (outcome: SpanOutcome, spans: number) => (counts[outcome] += spans);
  const take = exporter.source({ resource: { 'service.name': 'kedja-test' }, count });
  const tracer = createTracer({ take, ratio: 1, clock: { now: () => (second += 1000) } });
  let second = 0;
  const record = (number: number) => {
    for (let at = 0; at < number; at += 1) tracer.begin('r', {}).span?.end({ name: `span ${at}` });
  };
  return { exporter, counts, lines, record, tracer };
}

/** An address at which nobody listens. */
async function deadUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/v1/traces`;
}

test('spans are sent in batches with the headers of the collector, and at the end what is left', async () => {
  const collector = await startCollector({ after });
  const { exporter, counts, record, lines } = exporterTo(collector.url);
  record(512);
  await eventually('a full batch is sent at once', async () => (counts.sent === 512 ? true : undefined));
  record(3);
  assert.equal(collector.spans.length, 512);
  await exporter.stop();
  assert.deepEqual(counts, { sent: 515, rejected: 0, dropped: 0 });
  assert.deepEqual([collector.spans.length, collector.requests.length], [515, 2]);
  assert.deepEqual(
    [collector.requests[0]?.headers['x-key'], collector.requests[0]?.headers['content-type']],
    ['secret', 'application/json'],
  );
  const [span] = collector.spans;
  assert.deepEqual([span?.service, span?.name, span?.kind, span?.isError], ['kedja-test', 'span 0', 2, false]);
  assert.deepEqual(lines, []);
});

test('spans wait for others no longer than the interval', async () => {
  const collector = await startCollector({ after });
  const { counts, record } = exporterTo(collector.url, { intervalMs: 1 });
  record(1);
  await eventually('the span is sent', async () => (counts.sent === 1 ? true : undefined));
});

test('a collector that is away costs spans, one line and no request; when it is back, spans arrive again', async () => {
  const collector = await startCollector({ after });
  collector.answer((response) => response.writeHead(503).end());
  const { counts, record, lines, tracer } = exporterTo(collector.url);
  const app = await makeTestApp({}, { tracer });
  after(() => app.close());
  record(511);
  assert.equal((await app.inject('/livez')).statusCode, 200);
  await eventually('the batch is given up', async () => (counts.dropped === 512 ? true : undefined));
  assert.equal(collector.requests.length, 3, 'it is tried three times');
  record(512);
  await eventually('the next one, too', async () => (counts.dropped === 1024 ? true : undefined));
  assert.equal(lines.filter((line) => line.includes('traces.not-sent')).length, 1);
  assert.match(lines.join(), /"error":"status 503"/);
  collector.answer(undefined);
  record(512);
  await eventually('the collector is back', async () => (counts.sent === 512 ? true : undefined));
  assert.equal(lines.filter((line) => line.includes('traces.sent-again')).length, 1);
});

test('nobody listens: the queue is bounded, and the end does not wait', async () => {
  const { exporter, counts, record, lines } = exporterTo(await deadUrl(), { pausesMs: [MINUTE_MS] });
  record(10_000);
  assert.ok(counts.dropped > 5_000, String(counts.dropped));
  await eventually('it is logged', async () => (lines.length > 0 ? true : undefined));
  await exporter.stop();
  assert.deepEqual(counts, { sent: 0, rejected: 0, dropped: 10_000 });
  assert.match(lines.join(), /connection_refused/);
  assert.equal(lines.length, 1);
});

test('what the collector refuses is not sent again; what it rejects of a batch is counted', async () => {
  const collector = await startCollector({ after });
  collector.answer((response) => response.writeHead(401).end('no such key'));
  const { counts, record } = exporterTo(collector.url);
  record(512);
  await eventually('the batch is dropped', async () => (counts.dropped === 512 ? true : undefined));
  assert.equal(collector.requests.length, 1);
  collector.answer((response) => response.end('{"partialSuccess":{"rejectedSpans":"12","errorMessage":"too old"}}'));
  record(512);
  await eventually('the batch is taken', async () => (counts.sent === 500 ? true : undefined));
  assert.equal(counts.rejected, 12);
});

test('a collector that never answers does not keep the process from ending', async () => {
  const collector = await startCollector({ after });
  collector.answer(() => undefined);
  const { exporter, counts, record } = exporterTo(collector.url);
  record(600);
  await eventually('the request has arrived', async () => (collector.requests.length > 0 ? true : undefined));
  await exporter.stop();
  assert.equal(counts.sent, 0);
});
