// /readyz and its metric, when a condition cannot be found out in time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeTestApp } from '#test/support/http-app.ts';
import { inMockedTime } from '#test/support/mocked-time.ts';
import { createMetrics } from '../metrics/metrics.ts';

test('/readyz is 503 with the reason when a check does not end, which runs once for all who ask', async (t) => {
  let begun = 0;
  const hanging = Promise.withResolvers<undefined>();
  const check = () => {
    begun += 1;
    return hanging.promise;
  };
  const database = { name: 'database', check };
  const broken = { name: 'queue', check: () => Promise.reject(new Error('lost')) };
  const metrics = createMetrics('test');
  const app = await makeTestApp({}, { metrics, readiness: [database, broken] });
  t.after(() => app.close());

  const [first, second, text] = await inMockedTime(t, () =>
    Promise.all([app.inject('/readyz'), app.inject('/readyz'), metrics.text()]),
  );
  const reasons = ['database: no answer within 4 s', 'queue: the check itself failed'];
  for (const { statusCode, headers, json } of [first, second]) {
    assert.deepEqual([statusCode, headers['retry-after'], json()], [503, '2', { status: 'not_ready', reasons }]);
  }
  assert.match(text, /^kedja_ready\{check="database",.*\} 0$/m);
  assert.equal(begun, 1);

  hanging.resolve(undefined);
  const later = await app.inject('/readyz');
  assert.deepEqual(later.json().reasons, ['queue: the check itself failed']);
});
