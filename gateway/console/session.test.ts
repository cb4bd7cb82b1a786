// The console's session over HTTP, before a mock of the services: what is forwarded with the session's token, and what
// is refused (docs/adr/0092).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { fixedKeys } from '#lib/secrets/key-set.ts';
import { createSessionCookies } from '#lib/sign-in/cookies.ts';
import { PAGE, startTestGateway } from '#test/support/gateway.ts';

const { app, answers, clock, sent } = await startTestGateway({ after });

type Jar = Map<string, string>;
type Headers = Record<string, string>;

const COOKIE = '__Host-kedja-console';
const CONSOLE = { 'kedja-console': '1' };
const OWN = { ...CONSOLE, 'sec-fetch-site': 'same-origin', origin: 'https://kedja.test' };

/** Sends a request like a browser with these cookies, and stores the cookies of the response. */
async function browse(jar: Jar, url: string, more: { method?: 'GET' | 'POST' | 'DELETE'; headers?: Headers } = {}) {
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = { host: 'kedja.test', ...(cookie === '' ? {} : { cookie }), ...more.headers };
  const answer = await app.inject({ method: more.method ?? 'GET', url, headers });
  for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
    const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(line) ?? [];
    assert.match(attributes, /^; Path=\/; HttpOnly; SameSite=Lax; Secure/, 'no script reads it');
    if (attributes.includes('Max-Age=0')) jar.delete(name);
    else jar.set(name, value);
  }
  return answer;
}

async function signedIn(token = 'a.b.c', returnTo = '/'): Promise<Jar> {
  const jar: Jar = new Map();
  const begun = await browse(jar, `/auth/login?return_to=${encodeURIComponent(returnTo)}`);
  const place = new URL(String(begun.headers.location));
  answers['/api/auth/token'] = { status: 200, json: { token } };
  const back = await browse(jar, `/auth/callback?code=x&state=${place.searchParams.get('state')}`);
  assert.deepEqual([back.statusCode, back.headers.location], [303, `https://kedja.test${returnTo}`], back.body);
  assert.deepEqual([...jar.keys()], [COOKIE]);
  return jar;
}

/** What the service got. */
async function forwarded(jar: Jar, headers: Headers, method: 'GET' | 'POST' | 'DELETE' = 'GET') {
  const answer = await browse(jar, '/dispatch/api/v1/things', { method, headers });
  assert.equal(answer.statusCode, 201, answer.body);
  return answer.json().headers as Headers;
}

async function refused(jar: Jar, headers: Headers, method: 'GET' | 'POST' | 'DELETE' = 'GET') {
  const answer = await browse(jar, '/identity/api/things', { method, headers });
  return [answer.statusCode, answer.json().error];
}

test('a request of the console is forwarded with the token of the session, and with neither its mark nor any cookie', async () => {
  const jar = await signedIn();
  jar.set('__Host-kedja-session', 's');
  for (const method of ['GET', 'POST', 'DELETE'] as const) {
    const seen = await forwarded(jar, OWN, method);
    assert.deepEqual(
      [seen['authorization'], seen['kedja-console'], seen['cookie']],
      ['Bearer a.b.c', undefined, undefined],
      method,
    );
  }
  assert.equal(
    (await forwarded(jar, CONSOLE))['authorization'],
    'Bearer a.b.c',
    'a browser without fetch metadata reads',
  );
});

test('without the mark the session opens nothing, and no service gets the cookie', async () => {
  const jar = await signedIn();
  jar.set('__Host-kedja-dispatch', 'd');
  for (const headers of [{}, { 'kedja-console': '0' }, { 'kedja-console': '1, 1' }, { 'kedja-console': '' }]) {
    const seen = await forwarded(jar, headers as Headers);
    assert.deepEqual(
      [seen['authorization'], seen['kedja-console'], seen['cookie']],
      [undefined, undefined, '__Host-kedja-dispatch=d'],
    );
  }
});

test('other credentials take precedence, and the mark never adds the session to them', async () => {
  const jar = await signedIn();
  for (const own of [{ authorization: 'Bearer own' }, { 'x-api-key': 'k' }, { 'x-sso-client-id': 'c' }]) {
    const seen = await forwarded(jar, { ...CONSOLE, ...own, 'sec-fetch-site': 'cross-site' });
    assert.equal(seen['authorization'], Object(own).authorization);
    assert.deepEqual([seen['kedja-console'], seen['cookie']], [undefined, undefined]);
  }
  assert.equal((await forwarded(jar, { ...OWN, authorization: '' }))['authorization'], '', 'an empty one, too');
});

test('the mark without a session is 401: no cookie, another’s name, another key, a forged one', async () => {
  const jar = await signedIn();
  const value = jar.get(COOKIE) ?? '';
  const foreign = (service: string, byte: number) =>
    createSessionCookies({ service, keys: fixedKeys(Buffer.alloc(32, byte)), isSecure: true, clock })
      .session('a.b.c')
      .split(';')[0]
      ?.split('=')[1] ?? '';
  for (const cookies of [
    [],
    [['kedja-console', value]],
    [['__Host-kedja-dispatch', value]],
    [[COOKIE, foreign('dispatch', 7)]],
    [[COOKIE, foreign('console', 8)]],
    [[COOKIE, `${value.slice(0, -2)}AA`]],
    [[COOKIE, 'a.b.c']],
  ] as [string, string][][]) {
    assert.deepEqual(await refused(new Map(cookies), OWN), [401, 'unauthorized'], JSON.stringify(cookies));
  }
});

test('what changes something must come from our own pages, and reading from no other', async () => {
  const jar = await signedIn();
  for (const headers of [
    CONSOLE,
    { ...CONSOLE, 'sec-fetch-site': 'cross-site' },
    { ...CONSOLE, 'sec-fetch-site': 'same-site' },
    { ...CONSOLE, 'sec-fetch-site': 'none' },
    { ...CONSOLE, origin: 'https://evil.example' },
    { ...CONSOLE, origin: PAGE },
    { ...CONSOLE, origin: 'null' },
    { ...CONSOLE, 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' },
  ] as Headers[]) {
    assert.deepEqual(await refused(jar, headers, 'POST'), [403, 'forbidden'], JSON.stringify(headers));
    if (headers === CONSOLE || Object.keys(headers).length === 1) continue;
    assert.deepEqual(await refused(jar, headers), [403, 'forbidden'], JSON.stringify(headers));
  }
});

test('no page of another origin may send the mark, not even one that may call the services', async () => {
  const headers = {
    origin: PAGE,
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'kedja-console',
  };
  const answer = await app.inject({ method: 'OPTIONS', url: '/dispatch/api/v1/things', headers });
  assert.doesNotMatch(String(answer.headers['access-control-allow-headers']), /kedja-console/i);
  assert.equal(answer.headers['access-control-allow-credentials'], undefined);
});

test('signing out ends the token at identity and the cookies here, and only from our own pages', async () => {
  const jar = await signedIn();
  jar.set('__Host-kedja-session', 's'.repeat(43));
  answers['/api/auth/logout'] = { status: 200, json: {} };
  answers['/api/auth/browser-session/end'] = { status: 200, json: {} };
  const foreign = await browse(jar, '/auth/logout', { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } });
  assert.deepEqual([foreign.statusCode, jar.size], [403, 2]);
  sent.length = 0;
  const out = await browse(jar, '/auth/logout', { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } });
  assert.equal(out.statusCode, 303);
  assert.match(String(out.headers.location), /^https:\/\/kedja\.test\/\?lang=/);
  assert.deepEqual([jar.size, sent.length], [0, 2]);
  assert.deepEqual(await refused(jar, OWN), [401, 'unauthorized']);
});

test('a sign-in leads back to where it began, and to no other origin', async () => {
  await signedIn('a.b.c', '/my/forms?status=to_do');
  for (const place of ['https://evil.example/', '//evil.example/', '/\\evil.example']) {
    const answer = await app.inject(`/auth/login?return_to=${encodeURIComponent(place)}`);
    assert.equal(answer.statusCode, 400, place);
  }
  const stolen = await browse(new Map(), '/auth/callback?code=x&state=y');
  assert.equal(stolen.statusCode, 400);
  assert.doesNotMatch(stolen.body, /session\?lang/, 'the gateway has no such page');
});

const LANGUAGE = '__Host-kedja-language';
const SWEDISH = { 'accept-language': 'sv-SE,sv;q=0.9', 'sec-fetch-site': 'same-origin' };
const languageOfSignIn = (answer: { headers: { location?: unknown } }) =>
  new URL(String(answer.headers.location)).searchParams.get('lang');

test('the language that a sign-in names is kept where the browser prefers another, and is that of later sign-ins', async () => {
  const jar: Jar = new Map();
  assert.equal(languageOfSignIn(await browse(jar, '/auth/login', { headers: SWEDISH })), 'sv');
  assert.equal(jar.has(LANGUAGE), false, 'nothing was named');
  assert.equal(languageOfSignIn(await browse(jar, '/auth/login?lang=en', { headers: SWEDISH })), 'en');
  assert.equal(jar.get(LANGUAGE), 'en');
  assert.equal(languageOfSignIn(await browse(jar, '/auth/login?return_to=/my', { headers: SWEDISH })), 'en');
  assert.equal(jar.get(LANGUAGE), 'en');
  await browse(jar, '/auth/login?lang=xx', { headers: SWEDISH });
  assert.equal(jar.get(LANGUAGE), 'en');
  await browse(jar, '/auth/login?lang=sv', { headers: SWEDISH });
  assert.equal(jar.has(LANGUAGE), false, 'the browser’s own needs no cookie');
});

test('what was chosen in the console is the language of a sign-in that names none', async () => {
  const jar: Jar = new Map([
    ['kedja-view', 'sv.auto.Europe/Stockholm'],
    [LANGUAGE, 'en'],
  ]);
  assert.equal(languageOfSignIn(await browse(jar, '/auth/login', { headers: { 'accept-language': 'en' } })), 'sv');
});

test('a link of another website chooses no language', async () => {
  for (const site of ['cross-site', 'same-site']) {
    const jar: Jar = new Map();
    await browse(jar, '/auth/login?lang=en', { headers: { ...SWEDISH, 'sec-fetch-site': site } });
    assert.equal(jar.has(LANGUAGE), false, site);
  }
});
