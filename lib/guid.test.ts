import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isGuid, newGuid, timeOfGuid } from './guid.ts';

test('guids are lower-case UUIDv7 that carry the time', () => {
  const guid = newGuid(Date.UTC(2100, 0, 1));
  assert.match(guid, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(Number.parseInt(guid.replaceAll('-', '').slice(0, 12), 16), Date.UTC(2100, 0, 1));
  assert.equal(timeOfGuid(guid), Date.UTC(2100, 0, 1));
  assert.ok(isGuid(guid));
});

test('guids of one process are unique and increasing, also when the clock stands still or steps back', () => {
  const guids = Array.from({ length: 10_000 }, (_, index) => newGuid(Date.UTC(2100, 0, 2) - (index % 3)));
  assert.equal(new Set(guids).size, guids.length);
  assert.deepEqual([...guids].sort(), guids);
});

test('a text that is no guid is rejected', () => {
  for (const text of ['', 'x', newGuid().toUpperCase(), `${newGuid()} `, newGuid().replaceAll('-', '')]) {
    assert.equal(isGuid(text), false, text);
  }
});
