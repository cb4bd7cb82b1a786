import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { after, test } from 'node:test';
import { afterFailure } from '#lib/auth/login-failures.ts';
import { MINUTE_MS } from '#lib/clock.ts';
import { ADMIN, handClock, startIdentity } from '#test/support/identity/identity.ts';
import { makeProfessional, PASSWORD } from '#test/support/identity/identity-people.ts';

const clock = handClock();
const identity = await startIdentity({ after }, { clock });
const { app } = identity;
const login = (email: string, password: string) =>
  app.inject({ method: 'POST', url: '/api/auth/login', payload: { email, password } });

for (const email of [ADMIN.email, 'nobody@example.org']) {
  test(`ten failures lock ${email === ADMIN.email ? 'an account' : 'an unknown address just the same'} for a growing while`, async () => {
    for (let failure = 1; failure <= 10; failure += 1) {
      assert.equal((await login(email.toUpperCase(), 'wrong')).statusCode, 401, `failure ${failure}`);
    }
    const locked = await login(email, ADMIN.password);
    assert.deepEqual([locked.statusCode, locked.json().error], [429, 'rate_limited']);
    const first = Number(locked.headers['retry-after']);
    assert.ok(first > 25 && first <= 30);
    clock.advance(31_000);
    assert.equal((await login(email, 'wrong')).statusCode, 401);
    const again = Number((await login(email, 'wrong')).headers['retry-after']);
    assert.ok(again > 50 && again <= 60);
  });
}

test('when the lock has ended the right password works and clears the record', async () => {
  clock.advance(61_000);
  assert.equal((await login(ADMIN.email, ADMIN.password)).statusCode, 200);
  for (let failure = 1; failure <= 9; failure += 1) assert.equal((await login(ADMIN.email, 'wrong')).statusCode, 401);
  assert.equal((await login(ADMIN.email, ADMIN.password)).statusCode, 200);
});

test('guesses that arrive together do not slip past the lock', async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, guess) => login('guessed@example.org', `wrong ${guess}`)),
  );
  assert.equal(answers.filter((answer) => answer.statusCode === 401).length, 10);
  assert.equal(answers.filter((answer) => answer.statusCode === 429).length, 40);
});

test('a right password among the guesses of who holds a token is refused once they have locked the account', async () => {
  const { headers } = await makeProfessional(identity);
  const cores = availableParallelism();
  const wrong = Array.from({ length: Math.min(cores * 8 + 30, cores * 32) }, (_, guess) => `wrong ${guess}`);
  const answers = await Promise.all(
    [...wrong, PASSWORD].map((current_password) =>
      app.inject({
        method: 'POST',
        url: '/api/auth/change-password',
        headers,
        payload: { current_password, new_password: 'another long phrase' },
      }),
    ),
  );
  const right = answers.at(-1);
  assert.deepEqual([right?.statusCode, right?.json().error], [429, 'rate_limited']);
  assert.deepEqual([right?.headers['ratelimit-limit'], right?.headers['ratelimit-remaining']], ['10', '0']);
  assert.equal(right?.headers['ratelimit-reset'], right?.headers['retry-after']);
});

const NONE = { failed_at: [], lock_count: 0, locked_until: null, last_failed_at: new Date(0) };

test('only failures of the last quarter of an hour count', () => {
  let record = afterFailure(NONE, 0);
  for (let failure = 1; failure < 30; failure += 1) record = afterFailure(record, failure * 2 * MINUTE_MS);
  assert.equal(record.locked_until, null);
});

test('locks double up to an hour, and quiet forgets them', () => {
  let record = NONE as ReturnType<typeof afterFailure>;
  let now = MINUTE_MS;
  const locks: number[] = [];
  for (let failure = 0; failure < 20; failure += 1) {
    now = Math.max(now, record.locked_until?.getTime() ?? 0) + 1;
    record = afterFailure(record, now);
    if (record.locked_until !== null) locks.push((record.locked_until.getTime() - now) / 1000);
  }
  assert.deepEqual(locks, [30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600, 3600]);
  const later = afterFailure(record, (record.locked_until?.getTime() ?? 0) + 15 * MINUTE_MS + 1);
  assert.deepEqual([later.failed_at.length, later.lock_count, later.locked_until], [1, 0, null]);
});
