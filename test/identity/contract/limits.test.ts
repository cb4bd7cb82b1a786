// The rows of the table of limits (contract: identity, Limits; decisions G2 and I2). The allowed number passes and the
// next is refused, on every node. Also tested: which requests count together.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { lastFirst } from '#test/support/hooks.ts';
import { ADMIN, handClock, identityDatabase, startIdentity } from '#test/support/identity/identity.ts';
import { assertShape } from '#test/support/shape.ts';

const hooks = lastFirst({ after });
const clock = handClock();
const on = await identityDatabase(hooks);
const config = { rateLimitLogin: 20, rateLimitRegister: 10, rateLimitCatalogue: 60, rateLimitAccessRequest: 5 };
const [first, second] = [
  await startIdentity(hooks, { on, clock, config }),
  await startIdentity(hooks, { on, clock, config }),
];
const WRONG = { email: 'nobody@example.org', password: 'wrong' };

interface Caller {
  /** Whose connection it is; 127.0.0.1 is the trusted proxy. */
  readonly peer?: string;
  readonly forwardedFor?: string;
}

function ask(address: string, { peer = '127.0.0.1', forwardedFor }: Caller, node = first) {
  const [method = '', url = ''] = address.split(' ');
  return node.app.inject({
    method: method as 'GET' | 'POST',
    url,
    remoteAddress: peer,
    headers: forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor },
    ...(method === 'POST' ? { payload: url.endsWith('login') ? WRONG : {} } : {}),
  });
}

let addresses = 0;
/** An address that nobody has asked from. */
function newAddress(): string {
  addresses += 1;
  return `198.51.100.${addresses}`;
}

async function exhaust(address: string, caller: Caller, limit: number): Promise<void> {
  for (let count = 1; count <= limit; count += 1) {
    const answer = await ask(address, caller, count % 2 === 0 ? first : second);
    assert.notEqual(answer.statusCode, 429, `request ${count} of ${limit}`);
    assert.equal(answer.headers['ratelimit-limit'], String(limit));
    assert.equal(answer.headers['ratelimit-remaining'], String(limit - count));
    assert.match(String(answer.headers['ratelimit-reset']), /^([1-9]|[1-5]\d|60)$/);
  }
}

for (const [address, limit] of [
  ['POST /api/auth/login', 20],
  ['POST /api/patient/register', 10],
  ['GET /api/public/organisations', 60],
  ['GET /api/public/groups', 60],
  ['GET /api/public/group-leaders', 60],
  ['POST /api/public/access-request', 5],
] as const) {
  test(`${address}: ${limit} a minute and address pass on two nodes together, the next is 429 on either`, async () => {
    const caller = { forwardedFor: newAddress() };
    // Guessing one account is limited apart from this, and sooner.
    await first.database.query('DELETE FROM login_failure');
    for (let count = 1; count <= limit; count += 1) {
      if (count % 9 === 0) await first.database.query('DELETE FROM login_failure');
      const answer = await ask(address, caller, count % 2 === 0 ? first : second);
      assert.notEqual(answer.statusCode, 429, `request ${count}: ${answer.body}`);
      assert.equal(answer.headers['ratelimit-remaining'], String(limit - count));
    }
    for (const node of [first, second]) {
      const refused = await ask(address, caller, node);
      assert.equal(refused.statusCode, 429);
      assertShape(refused.json(), { error: 'rate_limited', message: /./ });
      const { 'retry-after': wait, ...headers } = refused.headers;
      assert.match(String(wait), /^([1-9]|[1-5]\d|60)$/);
      assert.deepEqual(
        [headers['ratelimit-limit'], headers['ratelimit-remaining'], headers['ratelimit-reset']],
        [String(limit), '0', wait],
      );
    }
    assert.notEqual((await ask(address, { forwardedFor: newAddress() })).statusCode, 429, 'another address');
    clock.advance(60_000);
    assert.notEqual((await ask(address, caller)).statusCode, 429, 'a minute later');
  });
}

test('the catalogues are counted each for itself', async () => {
  const caller = { forwardedFor: newAddress() };
  await exhaust('GET /api/public/groups', caller, 60);
  assert.equal((await ask('GET /api/public/groups', caller)).statusCode, 429);
  assert.equal((await ask('GET /api/public/organisations', caller)).statusCode, 200);
});

test('X-Forwarded-For is believed from a trusted proxy alone', async () => {
  const peer = '203.0.113.9';
  for (let count = 0; count < 5; count += 1) {
    await ask('POST /api/public/access-request', { peer, forwardedFor: newAddress() });
  }
  const refused = await ask('POST /api/public/access-request', { peer, forwardedFor: newAddress() });
  assert.equal(refused.statusCode, 429, 'another address claimed by a client');
});

test('behind the trusted proxy only the last untrusted address counts, whatever the client wrote before it', async () => {
  const client = newAddress();
  for (let count = 0; count < 5; count += 1) {
    await ask('POST /api/public/access-request', { forwardedFor: `${newAddress()}, ${client}` });
  }
  const refused = await ask('POST /api/public/access-request', { forwardedFor: `${newAddress()}, ${client}` });
  assert.equal(refused.statusCode, 429);
});

test('IPv6 addresses of one /64 count together, another /64 apart', async () => {
  for (let count = 0; count < 5; count += 1) {
    await ask('POST /api/public/access-request', { forwardedFor: `2001:db8:7:1:${count}::1` });
  }
  const status = async (forwardedFor: string) =>
    (await ask('POST /api/public/access-request', { forwardedFor })).statusCode;
  assert.equal(await status('2001:db8:7:1:ffff:ffff:ffff:ffff'), 429);
  assert.notEqual(await status('2001:db8:7:2::1'), 429);
});

test('an IPv4 address is the same one when it comes as IPv6', async () => {
  const plain = newAddress();
  await exhaust('POST /api/public/access-request', { forwardedFor: plain }, 5);
  const mapped = await ask('POST /api/public/access-request', { forwardedFor: `::ffff:${plain}` });
  assert.equal(mapped.statusCode, 429);
});

test('one account: ten failures within a quarter of an hour, then 429 for a growing while, from any address and for all nodes', async () => {
  await first.database.query('DELETE FROM login_failure');
  const email = 'guessed@example.org';
  const guess = (node = first) =>
    node.app.inject({
      method: 'POST',
      url: '/api/auth/login',
      headers: { 'x-forwarded-for': newAddress() },
      payload: { email, password: 'wrong' },
    });
  for (let count = 0; count < 10; count += 1)
    assert.equal((await guess(count % 2 === 0 ? first : second)).statusCode, 401);
  const waits: number[] = [];
  for (const node of [first, second, first]) {
    const refused = await guess(node);
    assert.equal(refused.statusCode, 429);
    assertShape(refused.json(), { error: 'rate_limited', message: /./ });
    const wait = Number(refused.headers['retry-after']);
    waits.push(wait);
    clock.advance(wait * 1000);
    assert.equal((await guess(node)).statusCode, 401);
  }
  assert.ok(waits[0]! < waits[1]! && waits[1]! < waits[2]!, `growing: ${waits.join()}`);
});

test('one account: the right password is refused too while it is locked, and works afterwards', async () => {
  const login = (password: string) =>
    first.app.inject({
      method: 'POST',
      url: '/api/auth/login',
      headers: { 'x-forwarded-for': newAddress() },
      payload: { email: ADMIN.email, password },
    });
  for (let count = 0; count < 10; count += 1) await login('wrong');
  const refused = await login(ADMIN.password);
  assert.equal(refused.statusCode, 429);
  clock.advance(Number(refused.headers['retry-after']) * 1000);
  assert.equal((await login(ADMIN.password)).statusCode, 200);
});

test('passwords: seven characters are too few, eight are enough, 128 are not too many', async () => {
  const node = await startIdentity(hooks);
  const organisation = await node.app.inject({
    method: 'POST',
    url: '/api/admin/organisations',
    headers: await node.asAdmin(),
    payload: { name: 'Care unit' },
  });
  const { organisation_guid } = organisation.json();
  const register = async (password: string, personnummer: string) => {
    const email = `length-${password.length}@example.org`;
    const payload = { email, password, personnummer, organisation_guid };
    const made = await node.app.inject({ method: 'POST', url: '/api/patient/register', payload });
    return made.statusCode === 201 ? (await node.signIn(email, password)).authorization.slice(0, 6) : made.statusCode;
  };
  assert.equal(await register('kåda-97', '198112189876'), 400);
  assert.equal(await register('kåda-979', '198112189876'), 'Bearer');
  assert.equal(await register('grön stig '.repeat(13).slice(0, 128), '191212121212'), 'Bearer');
});
