// GET /api/admin/status: what runs here, for administrators.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { handClock, startIdentity } from '#test/support/identity/identity.ts';

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
