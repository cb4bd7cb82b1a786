// Guesses of a client's secret (docs/adr/0054): how many an address has, whom the limit refuses, and that response
// times disclose nothing.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { lastFirst } from '#test/support/hooks.ts';
import { asService, handClock, startIdentity } from '#test/support/identity/identity.ts';
import { credentialsOf, makeClient } from '#test/support/identity/identity-clients.ts';
import { matchesAny, newSecret } from './secret.ts';

const clock = handClock();
const identity = await startIdentity(lastFirst({ after }), { clock, config: { rateLimitClient: 5 } });
const { app } = identity;
const KNOWN = await makeClient(identity, { client_id: 'known' });
const LATE = await makeClient(identity, { client_id: 'late' });

async function asked(headers: Readonly<Record<string, string>>, remoteAddress = '192.0.2.1') {
  const bearer = await identity.asAdmin();
  return app.inject({ url: '/api/auth/me/service', headers: { ...bearer, ...headers }, remoteAddress });
}

test('after too many wrong secrets an address is refused until the minute ends; clients that authenticated before and other addresses are not', async () => {
  assert.equal((await asked(KNOWN.headers)).statusCode, 200);
  for (let guess = 0; guess < 5; guess += 1) {
    const wrong = await asked(credentialsOf(guess % 2 === 0 ? 'known' : 'nobody', `guess-${guess}`));
    assert.deepEqual([wrong.statusCode, wrong.json().error], [403, 'invalid_service_credentials']);
  }
  for (const headers of [credentialsOf('known', 'guess'), credentialsOf('nobody', 'guess'), LATE.headers]) {
    const limited = await asked(headers);
    assert.deepEqual([limited.statusCode, limited.json().error], [429, 'rate_limited']);
    assert.ok(Number(limited.headers['retry-after']) >= 1);
  }
  const exchanged = await app.inject({
    method: 'POST',
    url: '/api/auth/token',
    headers: credentialsOf('known', 'guess'),
    payload: { code: 'x', next: 'https://app.example.org/sso/' },
    remoteAddress: '192.0.2.1',
  });
  assert.equal(exchanged.statusCode, 429, 'wherever the guess is made');
  const forged = { ...credentialsOf('known', 'guess'), 'x-forwarded-for': '192.0.2.9' };
  assert.equal((await asked(forged)).statusCode, 429, 'whatever it says of its address');
  assert.equal((await asked(KNOWN.headers)).statusCode, 200, 'proved before');
  assert.equal((await asked(asService)).statusCode, 200, 'of the configuration');
  assert.equal((await asked(LATE.headers, '192.0.2.2')).statusCode, 200, 'from elsewhere');
  assert.equal((await asked({})).statusCode, 403, 'none is no guess');
  clock.advance(61_000);
  assert.equal((await asked(LATE.headers)).statusCode, 200);
});

test('guesses that dispatch and the engine were shown count for the address that showed them', async () => {
  const introspect = (client_secret: string, address: string) =>
    app.inject({
      method: 'POST',
      url: '/api/auth/clients/introspect',
      headers: asService,
      payload: { client_id: 'known', client_secret, address },
    });
  for (let guess = 0; guess < 5; guess += 1) {
    assert.deepEqual((await introspect(`g${guess}`, '2001:db8::1')).json(), { active: false });
  }
  assert.equal((await introspect('g', '2001:db8::ffff')).statusCode, 429, 'an IPv6 network is one');
  assert.deepEqual((await introspect('g', '2001:db8:0:1::1')).json(), { active: false });
  assert.equal((await introspect(KNOWN.secret, '2001:db8::1')).json().active, true);
});

test('a guess is compared as a hash, with every stored hash, and with a dummy for an unknown client', () => {
  const [first, second, third] = [newSecret(), newSecret(), newSecret()];
  assert.notEqual(first.secret, second.secret);
  assert.equal(matchesAny(first.hash, [first.hash, second.hash]), true);
  assert.equal(matchesAny(second.hash, [first.hash, second.hash]), true);
  assert.equal(matchesAny(third.hash, [first.hash, second.hash]), false);
  assert.equal(matchesAny(Buffer.alloc(32), []), false, 'where nobody is, nothing is right');
});
