// A scrape waits neither for a locked table nor for a database that is away.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundedRead } from './bounded-read.ts';
import { createMetrics } from './metrics.ts';

const never = new Promise<never>(() => {});

test('a read that is late is given up, and waited for again instead of being repeated', async () => {
  let begun = 0;
  const held = Promise.withResolvers<number>();
  const read = boundedRead(() => {
    begun += 1;
    return held.promise;
  }, 20);
  assert.equal(await read(), undefined);
  assert.equal(await read(), undefined);
  assert.equal(begun, 1);
  held.resolve(7);
  await held.promise;
  const next = boundedRead(() => 8, 60_000);
  assert.deepEqual([await next(), await next()], [8, 8]);
});

test('after a late read has ended, the next call reads again', async () => {
  const answers = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
  let begun = 0;
  const read = boundedRead(() => answers[begun++]?.promise ?? 0, 20);
  assert.equal(await read(), undefined);
  answers[0]?.resolve(1);
  // The late read has ended once its promise has been seen by those who waited before.
  await new Promise(setImmediate);
  answers[1]?.resolve(2);
  assert.equal(await read(), 2);
});

test('a gauge that cannot be read is NaN, one with labels has no values, and the others are served', async () => {
  const metrics = createMetrics('any', { isExposed: false });
  metrics.gauge('kedja_held', 'h', () => never);
  metrics.gauge('kedja_failing', 'h', () => Promise.reject(new Error('away')));
  metrics.gauge('kedja_fine', 'h', () => 3);
  metrics.gauges('kedja_many', 'h', ['part'], () => never);
  const lines = (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  assert.deepEqual(lines.toSorted(), [
    'kedja_failing{service="any"} Nan',
    'kedja_fine{service="any"} 3',
    'kedja_held{service="any"} Nan',
  ]);
});
