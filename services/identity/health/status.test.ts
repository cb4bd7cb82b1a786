// GET /api/admin/status: what runs here, for administrators. GET /api/health, when the database has stopped answering.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { makeTestApp } from '#test/support/http-app.ts';
import { handClock, startIdentity } from '#test/support/identity/identity.ts';
import { inMockedTime } from '#test/support/mocked-time.ts';
import { registerHealthRoutes } from './routes.ts';

const clock = handClock();
const identity = await startIdentity({ after }, { clock });
const headers = await identity.asAdmin();

test('the status has release, start, database, requests and mails', async () => {
  const answer = await identity.app.inject({ url: '/api/admin/status', headers });
  assert.equal(answer.statusCode, 200);
  const { database, requests, started_at: startedAt, ...rest } = answer.json();
  assert.deepEqual(rest, { version: rest.version, mails: { waiting: 0, dead: 0, oldest_s: 0 } });
  assert.match(startedAt, /^\d{4}-\d{2}-\d{2}T.*Z$/);
  assert.ok(database.latency_ms >= 0);
  assert.ok(requests.total >= 0 && Array.isArray(requests.routes));
});

test('the health answers although the database does not, and asks it once', async (t) => {
  let asked = 0;
  const silent = <R>(): Promise<R> => {
    asked += 1;
    return new Promise(() => undefined);
  };
  const app = await makeTestApp();
  t.after(() => app.close());
  const database = { schema: 'identity', query: silent, transaction: silent, listen: silent, close: silent };
  registerHealthRoutes(app, { database, version: '1.2.3' });
  await app.ready();
  for (let n = 0; n < 2; n += 1) {
    const answer = await inMockedTime(t, async () => app.inject('/api/health'));
    const told = { status: 'degraded', database: 'unreachable', version: '1.2.3' };
    assert.deepEqual([answer.statusCode, answer.json()], [200, told]);
  }
  assert.equal(asked, 1);
});
