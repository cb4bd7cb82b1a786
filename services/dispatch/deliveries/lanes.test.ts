// When the end of an attempt is a reason to claim again (D8): only when the last claim was bounded by the room that has
// become free.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLanes } from './lanes.ts';

const limits = { total: 8, perProvider: 2 };

/** Claims one attempt for each name, as the worker does. */
function claim(lanes: ReturnType<typeof createLanes>, ...providers: string[]): void {
  const room = lanes.capacity();
  lanes.claimed(room, providers);
  for (const provider of providers) lanes.begin(provider);
}

test('a provider of which the claim took all that was due gives no reason to claim again', () => {
  const lanes = createLanes(limits);
  claim(lanes, 'a', 'b', 'b');
  assert.equal(lanes.end('a', 'succeeded'), false);
  assert.equal(lanes.end('b', 'succeeded'), true, 'two are all that b may have');
});

test('a provider that was busy to its limit may have more, also when a later claim found none of it', () => {
  const lanes = createLanes(limits);
  claim(lanes, 'b', 'b');
  claim(lanes, 'a');
  assert.equal(lanes.end('b', 'succeeded'), true);
  claim(lanes, 'c');
  assert.equal(lanes.end('b', 'succeeded'), false, 'it had room, and the claim found nothing');
});

test('when the room of all, or of the failing ones, was used up, every end is a reason', () => {
  const lanes = createLanes(limits);
  claim(lanes, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
  for (const provider of ['a', 'b', 'c', 'd', 'e']) assert.equal(lanes.end(provider, 'failed'), true);
  for (const provider of ['f', 'g', 'h']) lanes.end(provider, 'succeeded');
  const { slowLane } = lanes.capacity();
  assert.deepEqual([slowLane.providers.length, slowLane.room], [5, 4]);
  claim(lanes, 'a', 'b', 'c', 'd', 'f');
  assert.equal(lanes.end('f', 'succeeded'), true);
});
