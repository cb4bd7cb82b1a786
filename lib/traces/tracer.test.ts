import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createBatcher } from '../jobs/batcher.ts';
import { shareStep } from './shared-step.ts';
import { beginStatement, beginStep } from './steps.ts';
import { currentSpan, runInTrace, traceHeaders } from './trace-context.ts';
import { createTracer } from './tracer.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const parent = (flags: string) => ({ traceparent: `00-${TRACE_ID}-b7ad6b7169203331-${flags}` });

interface Taken {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly links?: readonly { readonly spanId: string }[];
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

function site(ratio: number, random = () => 0.5) {
  const spans: Taken[] = [];
  const clock = { time: 1_000, now: () => clock.time };
  const tracer = createTracer({ take: (text) => spans.push(JSON.parse(text) as Taken), ratio, random, clock });
  return { spans, clock, tracer };
}

test('a new trace is recorded by chance, and one of a caller as the caller says', () => {
  const isRecorded = (ratio: number, headers: Record<string, string> = {}) => {
    const { flags, span } = site(ratio).tracer.begin('r', headers);
    assert.equal(flags === '01', span !== undefined);
    return span !== undefined;
  };
  assert.deepEqual([isRecorded(0.6), isRecorded(0.5), isRecorded(0)], [true, false, false]);
  assert.deepEqual([isRecorded(0, parent('01')), isRecorded(1, parent('00'))], [true, false]);
  assert.equal(isRecorded(0, { traceparent: 'hostile' }), false);
});

test('two hundred requests of a second are recorded, whoever asks; the others are passed on as not recorded', () => {
  const { tracer, clock } = site(0);
  const recorded = () =>
    Array.from({ length: 300 }, () => tracer.begin('r', parent('01'))).filter(({ span }) => span !== undefined).length;
  assert.equal(recorded(), 200);
  assert.equal(tracer.begin('r', parent('01')).flags, '00');
  clock.time += 1_000;
  assert.equal(recorded(), 200);
});

test('statements and calls are steps of the request, until it has ended', () => {
  const { tracer, spans } = site(1);
  const trace = tracer.begin('r', {});
  runInTrace(trace, () => {
    beginStatement({ name: 'user-by-name', text: 'SELECT guid FROM users WHERE name = $1' })?.end();
    const step = beginStep({ name: 'GET', kind: 'client' });
    assert.equal(traceHeaders(step).traceparent, `00-${trace.traceId}-${step?.id}-01`);
    assert.equal(traceHeaders().traceparent, `00-${trace.traceId}-${trace.span?.id}-01`);
    trace.span?.end({ name: 'GET /things' });
    trace.span?.end({ name: 'ended twice' });
    assert.equal(beginStep({ name: 'late', kind: 'client' }), undefined);
    assert.equal(currentSpan(), undefined);
  });
  const [statement, request] = spans;
  assert.deepEqual(
    spans.map(({ name }) => name),
    ['SELECT users', 'GET /things'],
  );
  assert.deepEqual([statement?.traceId, statement?.parentSpanId], [trace.traceId, request?.spanId]);
  assert.match(String(request?.startTimeUnixNano), /^\d{19}$/);
  assert.ok(BigInt(request?.endTimeUnixNano ?? 0) >= BigInt(statement?.endTimeUnixNano ?? 1));
  assert.ok(BigInt(statement?.startTimeUnixNano ?? 0) >= BigInt(request?.startTimeUnixNano ?? 1));
});

test('a request has a bounded number of steps', () => {
  const { tracer, spans } = site(1);
  runInTrace(tracer.begin('r', {}), () => {
    for (let at = 0; at < 1_000; at += 1) beginStatement('SELECT 1')?.end();
  });
  assert.equal(spans.length, 255);
});

test('work that several requests share is in the trace of the first, and the others have a link to it', async () => {
  const { tracer, spans } = site(1);
  const work = createBatcher<number, number>({
    name: 'add',
    together: async (items) => {
      beginStatement('SELECT 1')?.end();
      return items.map((item) => ({ value: item + 1 }));
    },
    limits: { size: 100, groups: 1 },
  });
  const callers = [tracer.begin('a', {}), tracer.begin('b', {})];
  assert.deepEqual(await Promise.all(callers.map((trace, at) => runInTrace(trace, () => work(at)))), [1, 2]);
  await turn();
  const [first, second] = spans.filter(({ name }) => name === 'add');
  const statement = spans.find(({ name }) => name === 'SELECT');
  assert.deepEqual([statement?.traceId, statement?.parentSpanId], [callers[0]?.traceId, first?.spanId]);
  assert.deepEqual(
    [first?.parentSpanId, second?.parentSpanId],
    callers.map(({ span }) => span?.id),
  );
  assert.equal(second?.links?.[0]?.spanId, first?.spanId);
});

test('work of requests that are not recorded is not recorded', async () => {
  assert.equal(await shareStep([], { name: 'add', size: 1 }, async () => currentSpan()), undefined);
});
