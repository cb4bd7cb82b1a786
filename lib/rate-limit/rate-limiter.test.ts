import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestDatabase } from '#test/support/database/database.ts';
import { clientKey } from './client-key.ts';
import { rateLimitMigrations } from './migrations.ts';
import { createRateLimiter, sweepRateLimits } from './rate-limiter.ts';

const created = await createTestDatabase(
  { after },
  { schemas: [{ schema: 'limits', migrations: [rateLimitMigrations] }] },
);
const database = created.database('limits');
let now = Date.UTC(2026, 0, 1);
const clock = { now: () => now };
const limiterOf = (scope: string, limit = 3) =>
  createRateLimiter({ scope, limit, windowSeconds: 60 }, { database, clock });

test('a window allows the limit, reports what remains, refuses the rest and then begins again', async () => {
  const limiter = limiterOf('window');
  const states = [];
  for (let take = 0; take < 4; take += 1) states.push(await limiter.take('a'));
  assert.deepEqual(
    states.map(({ isAllowed, remaining }) => [isAllowed, remaining]),
    [
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
    ],
  );
  assert.deepEqual([states[0]?.limit, states[0]?.resetSeconds], [3, 60]);
  now += 59_500;
  assert.deepEqual([(await limiter.take('a')).isAllowed, (await limiter.take('a')).resetSeconds], [false, 1]);
  now += 500;
  assert.equal((await limiter.take('a')).remaining, 2);
});

test('clients and scopes are counted separately', async () => {
  const [one, other] = [limiterOf('one', 1), limiterOf('other', 1)];
  const states = await Promise.all([one.take('a'), one.take('b'), other.take('a')]);
  assert.ok(states.every((state) => state.isAllowed));
});

test('many at once, on several nodes, are counted exactly', async () => {
  const nodes = [limiterOf('flood', 100), limiterOf('flood', 100), limiterOf('flood', 100)];
  const states = await Promise.all(
    Array.from({ length: 300 }, (_, index) => nodes[index % 3]!.take(index % 2 === 0 ? 'even' : 'odd')),
  );
  assert.equal(states.filter((state) => state.isAllowed).length, 200);
});

test('an unavailable database rejects the waiting requests, and the next one is counted', async () => {
  let isAway = true;
  const flaky = {
    ...database,
    query: (...call: Parameters<typeof database.query>) =>
      isAway ? Promise.reject(new Error('away')) : database.query(...call),
  } as typeof database;
  const limiter = createRateLimiter({ scope: 'flaky', limit: 3, windowSeconds: 60 }, { database: flaky, clock });
  const results = await Promise.allSettled([limiter.take('a'), limiter.take('a')]);
  assert.ok(results.every((result) => result.status === 'rejected'));
  isAway = false;
  assert.equal((await limiter.take('a')).remaining, 2);
});

test('counters whose window has ended are swept', async () => {
  await limiterOf('swept').take('a');
  now += 61_000;
  await sweepRateLimits(database, clock);
  assert.equal((await database.query('SELECT FROM rate_limit')).rowCount, 0);
});

test('what counts as one client', () => {
  for (const [address, key] of [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2:ffff::', '2001:db8:1:2::/64'],
    ['::1', '::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['not an address', 'unknown'],
  ] as const) {
    assert.equal(clientKey(address), key, address);
  }
});
