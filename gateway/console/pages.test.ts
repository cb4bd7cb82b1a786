// The console's pages and files over HTTP: who gets them, their policy, their caching (docs/adr/0093).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { fixedKeys } from '#lib/secrets/key-set.ts';
import { createSessionCookies } from '#lib/sign-in/cookies.ts';
import { makeGateway, startTestGateway } from '#test/support/gateway.ts';
import { CONSOLE_FACES } from './pages.ts';

const { app, clock } = await startTestGateway({ after });
const keys = fixedKeys(Buffer.alloc(32, 7));
const cookie =
  createSessionCookies({ service: 'console', keys, isSecure: true, clock }).session('a.b.c').split(';')[0] ?? '';

test('who has a session gets the console, at the root and at every address of a face', async () => {
  for (const url of ['/', ...CONSOLE_FACES, ...CONSOLE_FACES.map((face) => `${face}/deep/er?x=1`)]) {
    const page = await app.inject({ url, headers: { cookie, 'accept-language': 'en' } });
    assert.equal(page.statusCode, 200, url);
    assert.match(page.body, /<html lang="en"><meta nonce="[\w+/=]{24}">.*JavaScript in the browser/s);
    assert.equal(page.headers['cache-control'], 'no-store');
  }
});

test('the console opens in the language that was chosen there, else in that of the sign-in, else in the browser’s', async () => {
  const languageOf = async (...cookies: readonly string[]) => {
    const headers = { cookie: [cookie, ...cookies].join('; '), 'accept-language': 'sv' };
    return /<html lang="(\w+)"/.exec((await app.inject({ url: '/my', headers })).body)?.[1];
  };
  const ofSignIn = '__Host-kedja-language=en';
  assert.equal(await languageOf(), 'sv');
  assert.equal(await languageOf(ofSignIn), 'en');
  assert.equal(await languageOf(ofSignIn, 'kedja-view=browser.auto.Europe/Stockholm'), 'en');
  assert.equal(await languageOf(ofSignIn, 'kedja-view=sv.auto.Europe/Stockholm'), 'sv');
  assert.equal(await languageOf('__Host-kedja-language=xx'), 'sv');
});

test('anybody else gets the start page, and is led from a face to the sign-in and back', async () => {
  assert.match((await app.inject('/')).body, /<h1>Kedja<\/h1>/);
  assert.match((await app.inject('/developer?lang=en')).body, /<h1>For developers<\/h1>/);
  const led = await app.inject('/my/forms?status=to_do');
  const signIn = '/auth/login?return_to=%2Fmy%2Fforms%3Fstatus%3Dto_do';
  assert.deepEqual([led.statusCode, led.headers.location], [303, signIn]);
  const begun = await app.inject({ url: signIn, headers: { host: 'kedja.test' } });
  assert.equal(begun.statusCode, 303);
});

test('the policy allows nothing unsafe, and each page has a nonce of its own', async () => {
  const policies = await Promise.all(
    [1, 2].map(async () => {
      const { headers, body } = await app.inject({ url: '/', headers: { cookie } });
      const policy = String(headers['content-security-policy']);
      const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
      assert.ok(body.includes(`nonce="${nonce}"`));
      return policy;
    }),
  );
  assert.doesNotMatch(policies.join(), /unsafe|https?:|\*/);
  assert.notEqual(policies[0], policies[1]);
});

test('files are sent compressed where the browser takes that, and are kept for a year; unknown ones are 404', async () => {
  const plain = await app.inject('/assets/a-1.js');
  assert.deepEqual([plain.body, plain.headers['content-encoding']], ['1', undefined]);
  assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
  const packed = await app.inject({ url: '/assets/a-1.js', headers: { 'accept-encoding': 'br' } });
  assert.deepEqual(
    [packed.body, packed.headers['content-encoding'], packed.headers.vary],
    ['b', 'br', 'Accept-Encoding'],
  );
  for (const name of ['b.js', '..%2f..%2fpackage.json', 'a-1.js.br']) {
    const none = await app.inject(`/assets/${name}`);
    assert.equal(none.statusCode, 404, name);
    assert.match(String(none.headers['cache-control']), /no-store/);
  }
});

test('until the console is built its page says to wait', async () => {
  const gateway = await makeGateway(['http://127.0.0.1:9']);
  after(() => gateway.close());
  const page = await gateway.inject({ url: '/my', headers: { cookie } });
  // A browser asks again by itself.
  assert.deepEqual([page.statusCode, page.headers['retry-after'], page.headers['refresh']], [503, '5', '5']);
  assert.match(page.body, /<h1>/);
});
