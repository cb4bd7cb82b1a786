// When the end of an attempt causes another claim (D8): only when the last claim reached the limit that has become
// free.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLanes } from './lanes.ts';

const limits = { total: 8, perProvider: 2 };

/** Claims one attempt for each name, as the worker does. */
function claim(lanes: ReturnType<typeof createLanes>, ...providers: string[]): void {
  const available = lanes.capacity();
  lanes.claimed(available, providers);
  for (const provider of providers) lanes.begin(provider);
}

test('the end of an attempt causes no claim when the last claim took all that was due', () => {
  const lanes = createLanes(limits);
  claim(lanes, 'a', 'b', 'b');
  assert.equal(lanes.end('a', 'succeeded'), false);
  assert.equal(lanes.end('b', 'succeeded'), true, 'two are all that b may have');
});

test('the end of an attempt causes a claim when its provider was at its limit, also after a later claim', () => {
  const lanes = createLanes(limits);
  claim(lanes, 'b', 'b');
  claim(lanes, 'a');
  assert.equal(lanes.end('b', 'succeeded'), true);
  claim(lanes, 'c');
  assert.equal(lanes.end('b', 'succeeded'), false, 'it had capacity left, and the claim found nothing');
});

test('every end causes a claim when the total limit or that of failing providers was reached', () => {
  const lanes = createLanes(limits);
  claim(lanes, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
  for (const provider of ['a', 'b', 'c', 'd', 'e']) assert.equal(lanes.end(provider, 'failed'), true);
  for (const provider of ['f', 'g', 'h']) lanes.end(provider, 'succeeded');
  const { slowLane } = lanes.capacity();
  assert.deepEqual([slowLane.providers.length, slowLane.capacity], [5, 4]);
  claim(lanes, 'a', 'b', 'c', 'd', 'f');
  assert.equal(lanes.end('f', 'succeeded'), true);
});
