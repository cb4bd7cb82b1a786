// The gateway's own pages: the start page, and the sign-in of developers at identity and back.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { makeGateway, startTestGateway } from '#test/support/gateway.ts';

const { app, clock, answers, sent } = await startTestGateway({ after });

test('the start page has both languages, escapes its texts and allows no scripts', async () => {
  const swedish = await app.inject({ url: '/', headers: { 'accept-language': 'sv-SE' } });
  assert.match(swedish.body, /<html lang="sv">/);
  assert.match(swedish.body, /Åsa &lt;Öst&gt;/);
  assert.match(swedish.body, /p&amp;q/);
  const english = await app.inject('/?lang=en');
  assert.match(english.body, /Things to try/);
  assert.match(String(english.headers['content-security-policy']), /^default-src 'none'; style-src 'sha256-/);
});

type Jar = Map<string, string>;

/** Sends a request like a browser with these cookies, and stores the cookies of the response. */
async function browse(jar: Jar, url: string, host = 'kedja.test') {
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const answer = await app.inject({ url, headers: { cookie, host } });
  for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
    const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(line) ?? [];
    assert.match(name, /^__Host-kedja-gateway-sign-in-/);
    assert.match(attributes, /^; Path=\/; HttpOnly; SameSite=Lax; Secure/);
    if (attributes.includes('Max-Age=0')) jar.delete(name);
    else jar.set(name, value);
  }
  return answer;
}

/** The first half: the parameters for identity. */
async function begin(jar: Jar): Promise<Record<string, string>> {
  const start = await browse(jar, '/developer?lang=en');
  const href = /href="(https:\/\/kedja.test\/sign-in\?[^"]+)"/.exec(start.body)?.[1] ?? '';
  const answer = await browse(jar, href.replaceAll('&amp;', '&').replace('https://kedja.test', ''));
  assert.deepEqual([answer.statusCode, answer.headers['cache-control']], [303, 'no-store']);
  const place = new URL(String(answer.headers.location));
  assert.equal(`${place.origin}${place.pathname}`, 'https://kedja.test/identity/login');
  return Object.fromEntries(place.searchParams);
}

function identityAnswers(status = 200): void {
  answers['/api/auth/token'] = { status, json: { token: 'a.b.c', user_guid: 'u', error: 'x', message: 'x' } };
  answers['/api/auth/me'] = {
    status: 200,
    json: { email: 'asa<b>@example.org', user_type: 'professional', is_su_admin: true },
  };
  sent.length = 0;
}

test('a sign-in of a developer returns once to a page with the user and the token, in the chosen language', async () => {
  const jar: Jar = new Map();
  const { state, code_challenge: challenge, ...asked } = await begin(jar);
  const next = 'https://kedja.test/signed-in';
  assert.deepEqual(asked, { next, response_mode: 'code', code_challenge_method: 'S256', lang: 'en' });
  identityAnswers();
  const back = `/signed-in?code=x&state=${state}`;
  const kept = new Map(jar);
  const answer = await browse(jar, back);
  assert.match(answer.body, /You are signed in as <strong>asa&lt;b&gt;@example\.org<\/strong>/);
  assert.match(answer.body, /<code>a\.b\.c<\/code>/);
  assert.deepEqual([answer.statusCode, answer.headers['cache-control'], jar.size], [200, 'no-store', 0]);
  const { code_verifier: verifier, ...exchanged } = JSON.parse(sent[0] ?? '{}');
  assert.deepEqual(exchanged, { code: 'x', next });
  assert.equal(createHash('sha256').update(verifier).digest('base64url'), challenge);
  assert.equal((await browse(jar, back)).statusCode, 400, 'once');
  clock.time += 61 * 60_000;
  assert.equal((await browse(kept, back)).statusCode, 400, 'not for ever');
});

test('a code without a sign-in of this browser is not exchanged: none begun, another state, another browser', async () => {
  const [own, other]: [Jar, Jar] = [new Map(), new Map()];
  const mine = await begin(own);
  const theirs = await begin(other);
  identityAnswers();
  for (const [jar, query] of [
    [new Map(), `code=x&state=${mine['state']}`],
    [new Map(), 'code=x'],
    [own, 'code=x'],
    [own, 'code=x&state='],
    [own, `code=x&state=${theirs['state']}`],
    [other, `code=x&state=${mine['state']}`],
    [own, 'code=x&state=%3Cscript%3E'],
  ] as const) {
    const page = await browse(jar, `/signed-in?${query}`);
    assert.deepEqual([page.statusCode, sent], [400, []], query);
    assert.match(page.body, /role="alert"/);
    assert.doesNotMatch(page.body, /script/);
  }
  assert.equal((await browse(own, `/signed-in?code=x&state=${mine['state']}`)).statusCode, 200, 'mine is still good');
});

test('an invalid code ends the sign-in with a message; while identity is unavailable it can be completed later', async () => {
  const jar: Jar = new Map();
  const { state } = await begin(jar);
  identityAnswers(503);
  assert.equal((await browse(jar, `/signed-in?code=x&state=${state}`)).statusCode, 503);
  assert.equal(jar.size, 1);
  identityAnswers(401);
  const page = await browse(jar, `/signed-in?code=x&state=${state}`);
  assert.match(page.body, /role="alert"/);
  assert.deepEqual([page.statusCode, jar.size], [400, 0]);
});

test('a sign-in that is opened by another name of the machine begins at the public one', async () => {
  const jar: Jar = new Map();
  const answer = await browse(jar, '/sign-in?lang=en', 'localhost:8080');
  assert.deepEqual([answer.statusCode, jar.size], [303, 0]);
  assert.equal(answer.headers.location, 'https://kedja.test/sign-in?lang=en&at=public');
  const led = await browse(jar, '/sign-in?lang=en&at=public', 'localhost:8080');
  assert.equal(new URL(String(led.headers.location)).pathname, '/identity/login');
  assert.equal(jar.size, 1);
});

test('the ways from the start page lead to identity’s pages, and from there to the console', async () => {
  const start = await app.inject('/?lang=en');
  for (const page of ['login', 'register', 'access-request', 'change-password']) {
    const href = `/auth/login?page=${page}&lang=en`;
    assert.ok(start.body.includes(`href="https://kedja.test${href.replace('&', '&amp;')}"`), page);
    const answer = await app.inject({ url: href, headers: { host: 'kedja.test' } });
    const place = new URL(String(answer.headers.location));
    assert.deepEqual([answer.statusCode, place.pathname], [303, `/identity/${page}`]);
    assert.equal(place.searchParams.get('next'), 'https://kedja.test/auth/callback');
  }
});

test('a page that is none of identity’s is refused', async () => {
  assert.equal((await app.inject('/auth/login?page=//evil.example')).statusCode, 400);
});

test('where registration is closed the start page has no link to it', async () => {
  const closed = await makeGateway(['http://127.0.0.1:9'], { isRegistrationOpen: false });
  try {
    const links = (body: string) => [...body.matchAll(/page=([a-z-]+)/g)].map(([, page]) => page);
    const open = links((await app.inject('/?lang=en')).body);
    assert.ok(open.includes('register'));
    const left = links((await closed.inject('/?lang=en')).body);
    assert.deepEqual(
      left,
      open.filter((page) => page !== 'register'),
    );
  } finally {
    await closed.close();
  }
});
