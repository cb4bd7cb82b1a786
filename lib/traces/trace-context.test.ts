import assert from 'node:assert/strict';
import { test } from 'node:test';
import { carriedTrace, contextHeaders, readCarried, readTrace, runInTrace } from './trace-context.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const PARENT_ID = 'b7ad6b7169203331';
const PARENT = `00-${TRACE_ID}-${PARENT_ID}-01`;

const read = (traceparent: unknown, tracestate?: string | string[]) =>
  readTrace('req-1', { traceparent: traceparent as string, tracestate });

test('a trace of the caller goes on, with its flag, its span and its state', () => {
  const { span, ...context } = read(PARENT, 'vendor=a:1, other@tenant=b');
  assert.deepEqual(context, {
    requestId: 'req-1',
    traceId: TRACE_ID,
    parentId: PARENT_ID,
    flags: '01',
    state: 'vendor=a:1,other@tenant=b',
  });
  assert.equal(span, undefined);
  assert.deepEqual(contextHeaders(read(PARENT, 'a=1')), { traceparent: PARENT, tracestate: 'a=1' });
});

test('of the flags the first bit counts, and a later version may have more fields', () => {
  const flagsOf = (text: string) => read(text).flags;
  assert.equal(flagsOf(`00-${TRACE_ID}-${PARENT_ID}-03`), '01');
  assert.equal(flagsOf(`00-${TRACE_ID}-${PARENT_ID}-02`), '00');
  const later = read(`cc-${TRACE_ID}-${PARENT_ID}-01-what-comes-later`);
  assert.deepEqual([later.traceId, later.flags], [TRACE_ID, '01']);
});

test('a hostile or malformed traceparent begins a trace of our own, without a state', () => {
  const hostile: readonly unknown[] = [
    undefined,
    '',
    'x'.repeat(100_000),
    [PARENT, PARENT],
    `${PARENT}, ${PARENT}`,
    ` ${PARENT}`,
    `${PARENT}\r\nx-admin: 1`,
    PARENT.toUpperCase(),
    `00-${'0'.repeat(32)}-${PARENT_ID}-01`,
    `00-${TRACE_ID}-${'0'.repeat(16)}-01`,
    `ff-${TRACE_ID}-${PARENT_ID}-01`,
    `00-${TRACE_ID}-${PARENT_ID}-01-more`,
    `00-${TRACE_ID}-${PARENT_ID}-0g`,
    `00-19121212-1212-${PARENT_ID}-01`,
  ];
  for (const given of hostile) {
    const { traceId, parentId, flags, state } = read(given, 'vendor=1');
    assert.match(traceId, /^[0-9a-f]{32}$/);
    assert.notEqual(traceId, TRACE_ID);
    assert.deepEqual([parentId, flags, state], [undefined, '00', undefined], String(given).slice(0, 80));
  }
});

test('a tracestate that is too long or malformed is left out, and the trace goes on', () => {
  const many = Array.from({ length: 33 }, (_, at) => `k${at}=1`).join();
  const wrong = ['', ',', 'a', '=1', 'A=1', 'a=1\u0000', 'a=å', `a=${'x'.repeat(600)}`, many];
  for (const state of wrong) {
    const context = read(PARENT, state);
    assert.deepEqual([context.traceId, context.state], [TRACE_ID, undefined], state.slice(0, 40));
  }
  assert.equal(read(PARENT, ['a=1', 'b=2']).state, 'a=1,b=2');
});

test('a trace that is recorded is carried as text to later work, and no other is', () => {
  const carried = (traceparent: string, state?: string) => runInTrace(read(traceparent, state), carriedTrace);
  assert.equal(carried(PARENT), PARENT);
  assert.equal(carried(PARENT, 'a=1,b=x y'), `${PARENT} a=1,b=x y`);
  assert.equal(carried(`00-${TRACE_ID}-${PARENT_ID}-00`), undefined);
  assert.equal(carriedTrace(), undefined, 'outside of a request');
  const again = readCarried(carried(PARENT, 'a=1,b=x y'));
  assert.deepEqual([again?.traceId, again?.parentId, again?.state], [TRACE_ID, PARENT_ID, 'a=1,b=x y']);
  assert.equal(readCarried('nonsense'), undefined);
  assert.equal(readCarried(undefined), undefined);
});
