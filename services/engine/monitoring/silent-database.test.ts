// GET /health of an engine whose database has stopped answering, or the disk.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '#lib/metrics/metrics.ts';
import { inMockedTime } from '#test/support/mocked-time.ts';
import { createMonitoringService } from './service.ts';

test('the health is down when nothing answers, and nothing is asked again meanwhile', async (t) => {
  const clock = { time: 0, now: () => clock.time };
  let asked = 0;
  const silent = <R>(): Promise<R> => {
    asked += 1;
    return new Promise(() => undefined);
  };
  const database = { schema: 'engine', query: silent, transaction: silent, listen: silent, close: silent };
  const service = createMonitoringService({
    database,
    clock,
    metrics: createMetrics('engine'),
    version: '1.2.3',
    resourceTypes: new Set(),
    resources: database,
    servers: silent,
    readDisk: silent,
  });
  for (const seconds of [0, 60]) {
    clock.time += seconds * 1000;
    assert.deepEqual(await inMockedTime(t, service.health), {
      status: 'down',
      version: '1.2.3',
      checks: {
        database: { status: 'down', latency_ms: null },
        servers: { status: 'ok', total: 0, down: 0, unknown: 0 },
        queue: { status: 'down', waiting: null, oldest_s: null },
        disk: { status: 'degraded', free_bytes: null, total_bytes: null },
      },
      uptime_s: seconds,
    });
  }
  assert.equal(asked, 4);
});
