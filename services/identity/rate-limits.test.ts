// The rate limits of the contract, counted across two nodes.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { BROWSER, postForm } from '#test/support/dispatch/form.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually } from '#test/support/http.ts';
import { handClock, identityDatabase, startIdentity } from '#test/support/identity/identity.ts';
import { makeOrganisation } from '#test/support/identity/identity-people.ts';

const hooks = lastFirst({ after });
const clock = handClock();
const on = await identityDatabase(hooks);
const config = {
  rateLimitLogin: 20,
  rateLimitRegister: 10,
  rateLimitCatalogue: 60,
  rateLimitAccessRequest: 5,
  rateLimitPasswordReset: 5,
};
const nodes = await Promise.all([
  startIdentity(hooks, { on, clock, config }),
  startIdentity(hooks, { on, clock, config }),
]);

// The nodes connect first: on a busy machine a connection may take longer than a request waits for it.
for (const node of nodes) {
  await eventually('the node answers', async () => (await node.app.inject('/readyz')).statusCode === 200 || undefined);
}

function ask(index: number, limited: (typeof LIMITED)[number], address: string) {
  const node = nodes[index % nodes.length];
  const headers = { 'x-forwarded-for': address };
  const { method, url } = limited;
  return node!.app.inject({ method, url, headers, ...(method === 'POST' ? { payload: {} } : {}) });
}

const LIMITED = [
  { method: 'POST', url: '/api/auth/login', limit: 20 },
  { method: 'POST', url: '/api/patient/register', limit: 10 },
  { method: 'GET', url: '/api/public/organisations', limit: 60 },
  { method: 'GET', url: '/api/public/groups', limit: 60 },
  { method: 'GET', url: '/api/public/group-leaders', limit: 60 },
  { method: 'POST', url: '/api/public/access-request', limit: 5 },
  { method: 'POST', url: '/api/auth/password-reset', limit: 5 },
] as const;

for (const limited of LIMITED) {
  const { method, url, limit } = limited;
  test(`${method} ${url}: ${limit} a minute and address, on all nodes together`, async () => {
    const answers = await Promise.all(
      Array.from({ length: limit + 3 }, (_, index) => ask(index, limited, '198.51.100.7')),
    );
    const refused = answers.filter((answer) => answer.statusCode === 429);
    assert.equal(refused.length, 3);
    const [one] = refused;
    assert.equal(one?.json().error, 'rate_limited');
    assert.equal(one?.headers['ratelimit-limit'], String(limit));
    assert.equal(one?.headers['ratelimit-remaining'], '0');
    const wait = Number(one?.headers['retry-after']);
    assert.ok(wait >= 1 && wait <= 60);
    assert.equal((await ask(0, limited, '198.51.100.8')).headers['ratelimit-remaining'], String(limit - 1));
    clock.advance(wait * 1000);
    assert.notEqual((await ask(1, limited, '198.51.100.7')).statusCode, 429);
  });
}

test('IPv6 addresses of one /64 count together, other networks apart', async () => {
  const [limited] = LIMITED.slice(-1);
  for (let index = 0; index < 5; index += 1) await ask(index, limited!, `2001:db8:0:1::${index}`);
  assert.equal((await ask(0, limited!, '2001:db8:0:1:ffff::1')).statusCode, 429);
  assert.notEqual((await ask(0, limited!, '2001:db8:0:2::1')).statusCode, 429);
});

for (const [form, url, limit] of [
  ['/change-password', '/api/auth/login', 20],
  ['/register', '/api/patient/register', 10],
  ['/access-request', '/api/public/access-request', 5],
] as const) {
  test(`the form of ${form} counts with POST ${url}, and its page says how long to wait`, async () => {
    const address = { 'x-forwarded-for': `198.51.100.${100 + limit}` };
    const organisation = await makeOrganisation(nodes[0]!);
    const leaders = (await nodes[0]!.app.inject('/api/public/group-leaders')).json();
    const chosen = { organisation_guid: organisation, chosen_leader_guid: leaders[0].user_guid };
    for (let index = 0; index < limit; index += 1) {
      if (index % 2 === 0) await nodes[0]!.app.inject({ method: 'POST', url, headers: address, payload: {} });
      else await postForm(nodes[1]!.app, form, { ...chosen, lang: 'en' }, address);
    }
    const answer = await postForm(nodes[0]!.app, form, { ...chosen, lang: 'en', email: 'kept@example.org' }, address);
    assert.equal(answer.statusCode, 429);
    const seconds = String(answer.headers['retry-after']);
    assert.match(answer.body, new RegExp(`role="alert">Too many attempts\\. Wait ${seconds} seconds`));
    assert.match(answer.body, /value="kept@example\.org"/);
  });
}

test('the choices of the pages count with the catalogue, and beyond it a browser is shown how long to wait', async () => {
  const headers = { ...BROWSER, 'x-forwarded-for': '198.51.100.200' };
  const open = (url: string) => nodes[0]!.app.inject({ url, headers });
  for (let index = 0; index < 20; index += 1) {
    for (const url of ['/register', '/access-request', '/api/public/organisations']) await open(url);
  }
  const refused = await open('/register?lang=sv');
  assert.equal(refused.statusCode, 429);
  assert.match(refused.body, new RegExp(`Försök igen om ${refused.headers['retry-after']} sekund`));
});

for (const form of ['/register', '/access-request']) {
  test(`the choices that ${form} shows in answer to a form count with the catalogue too`, async () => {
    const address = { 'x-forwarded-for': form === '/register' ? '198.51.100.201' : '198.51.100.202' };
    const answers = await Promise.all(Array.from({ length: 62 }, () => postForm(nodes[0]!.app, form, {}, address)));
    assert.equal(answers.filter((answer) => answer.statusCode === 404).length, 60);
    const refused = answers.find((answer) => answer.statusCode === 429);
    assert.equal(refused?.headers['ratelimit-limit'], '60');
  });
}

test('a browser that signs in too often gets its form back with the time to wait', async () => {
  const form = 'email=a%40example.org&password=wrong&lang=en&next=https%3A%2F%2Fapp.example.org%2Fsso%2F&state=kept';
  const post = () =>
    nodes[0]!.app.inject({
      method: 'POST',
      url: '/api/auth/login',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'text/html',
        'x-forwarded-for': '198.51.100.99',
      },
      payload: form,
    });
  for (let attempt = 0; attempt < 20; attempt += 1) await post();
  const answer = await post();
  assert.equal(answer.statusCode, 429);
  const seconds = String(answer.headers['retry-after']);
  assert.match(answer.body, new RegExp(`role="alert">Too many attempts. Wait ${seconds} seconds`));
  assert.match(answer.body, /name="state" value="kept"/);
});
