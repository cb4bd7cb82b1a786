// Many calls become few, and the last one counts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spaced } from './spaced.ts';

test('fifty calls a second are at most one in each stretch of time, the first at once and the last in any case', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let count = 0;
  const call = spaced(800, () => {
    count += 1;
  });
  call();
  assert.equal(count, 1, 'at once');
  for (let calls = 0; calls < 100; calls += 1) {
    call();
    t.mock.timers.tick(20);
  }
  assert.equal(count, 3, 'in two seconds');
  t.mock.timers.tick(800);
  assert.equal(count, 4, 'the last one');
  t.mock.timers.tick(5_000);
  assert.equal(count, 4);
  call();
  call.cancel();
  t.mock.timers.tick(5_000);
  assert.equal(count, 5);
});
