// A service's own sign-in over HTTP (decision G8), with a mock of identity: the redirects there and back, and what is
// refused.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { makePrincipal, makeTestApp, makeTestAuthenticator } from '#test/support/http-app.ts';
import { ServiceError } from '../errors.ts';
import { fixedKeys } from '../secrets/key-set.ts';
import { createSessionCookies } from './cookies.ts';
import { readReturnPath } from './return-address.ts';
import { createSignIn } from './sign-in.ts';

const ORIGIN = 'https://kedja.example';
const CALLBACK = `${ORIGIN}/dispatch/auth/callback`;
const clock = { time: Date.parse('2026-06-15T12:00:00Z'), now: () => clock.time };
/** The state of identity: codes, each valid once, and the tokens that have ended. */
const codes = new Map<string, { token: string; bound: string | undefined }>();
/**
 * The challenges of all sign-ins, the newest last. A code is bound to any of them, or to the one that a test chooses.
 */
const challenges: string[] = [];
const ended: string[] = [];
const endedBrowsers: string[] = [];
let isIdentityDown = false;
let refreshed = 0;
const callers: Record<string, ReturnType<typeof makePrincipal>> = { anna: makePrincipal(['admin']) };

async function start() {
  const signIn = createSignIn({
    service: 'dispatch',
    rootUrl: `${ORIGIN}/dispatch`,
    identityUrl: `${ORIGIN}/identity`,
    keys: fixedKeys(Buffer.alloc(32, 1)),
    clock,
    source: {
      async exchange(code, next, verifier) {
        if (isIdentityDown) throw new ServiceError('upstream_unavailable', 'Down');
        const known = next === CALLBACK ? codes.get(code) : undefined;
        codes.delete(code);
        const proven = createHash('sha256').update(verifier).digest('base64url');
        return known !== undefined && (known.bound === undefined ? challenges.includes(proven) : known.bound === proven)
          ? known.token
          : undefined;
      },
      async end({ token, browser }) {
        if (isIdentityDown) throw new ServiceError('upstream_unavailable', 'Down');
        if (browser !== undefined) endedBrowsers.push(browser);
        if (token === undefined) return;
        ended.push(token);
        delete callers[token];
      },
    },
    authenticator: makeTestAuthenticator(callers),
    onSignedOut: async () => {
      refreshed += 1;
    },
  });
  const app = await makeTestApp(callers, { authenticator: signIn.authenticator });
  await signIn.register(app);
  const config = { permission: 'directory:administer' } as const;
  app.get('/things', { config }, async () => ({ ok: true }));
  app.post('/things', { config }, async () => ({ ok: true }));
  app.post('/open', { config: { permission: 'public' } }, async () => ({ ok: true }));
  after(() => app.close());
  return app;
}

const app = await start();

type Jar = Map<string, string>;
const cookieHeader = (jar: Jar) => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');

/** Sends a request as a browser with these cookies, and stores those of the response. */
async function browse(jar: Jar, url: string, more: { method?: 'POST'; headers?: Record<string, string> } = {}) {
  const { host } = new URL(ORIGIN);
  const headers = { host, ...(jar.size === 0 ? {} : { cookie: cookieHeader(jar) }), ...more.headers };
  const answer = await app.inject({ method: more.method ?? 'GET', url, headers });
  for (const cookie of [answer.headers['set-cookie'] ?? []].flat()) {
    const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(cookie) ?? [];
    assert.match(attributes, /^; Path=\/; HttpOnly; SameSite=Lax; Secure/, 'every cookie is guarded');
    assert.ok(name.startsWith('__Host-'));
    if (attributes.includes('Max-Age=0')) jar.delete(name);
    else jar.set(name, value);
  }
  return answer;
}

/** The first half of a sign-in: the query of the redirect to identity. */
async function begin(jar: Jar, query = ''): Promise<URL> {
  const answer = await browse(jar, `/auth/login${query}`);
  assert.equal(answer.statusCode, 303);
  const asked = new URL(String(answer.headers.location));
  challenges.push(asked.searchParams.get('code_challenge') ?? '');
  return asked;
}

function grant(token = 'anna', bound?: string): string {
  const code = `code-${codes.size}-${token}`;
  codes.set(code, { token, bound });
  return code;
}

async function signedIn(token = 'anna'): Promise<Jar> {
  const jar: Jar = new Map();
  const state = (await begin(jar)).searchParams.get('state');
  const answer = await browse(jar, `/auth/callback?code=${grant(token)}&state=${state}`);
  assert.equal(answer.statusCode, 303, answer.payload);
  return jar;
}

const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

test('the redirect leads to identity’s page with a state, and back by the code to the first address', async () => {
  const jar: Jar = new Map();
  const identity = await begin(jar, '?return_to=/dispatch/docs/%3Fa=b%23part&lang=en');
  assert.equal(`${identity.origin}${identity.pathname}`, `${ORIGIN}/identity/login`);
  const { state = '', code_challenge: hash = '', ...asked } = Object.fromEntries(identity.searchParams);
  assert.deepEqual(asked, { next: CALLBACK, response_mode: 'code', code_challenge_method: 'S256', lang: 'en' });
  assert.match(hash, /^[\w-]{43}$/);
  assert.match(state, /^[\w-]{43}$/);
  assert.ok(!cookieHeader(jar).includes(state), 'the cookie does not reveal it');
  const back = await browse(jar, `/auth/callback?code=${grant()}&state=${state}`);
  assert.deepEqual([back.statusCode, back.headers.location], [303, `${ORIGIN}/dispatch/docs/?a=b#part`]);
  assert.equal(back.headers['cache-control'], 'no-store');
  assert.equal(back.headers['referrer-policy'], 'no-referrer');
  assert.deepEqual([...jar.keys()], ['__Host-kedja-dispatch'], 'the pending sign-in is over');
  assert.ok(!cookieHeader(jar).includes('anna'));
  assert.equal((await browse(jar, '/things')).statusCode, 200);
  assert.equal((await browse(new Map(), '/things')).statusCode, 401);
});

test('a code that is bound to the sign-in of another browser opens no session, though the state is right (code injection)', async () => {
  const other: Jar = new Map();
  await begin(other);
  const foreign = challenges.at(-1);
  const jar: Jar = new Map();
  const state = (await begin(jar)).searchParams.get('state');
  assert.notEqual(challenges.at(-1), foreign, 'each sign-in has a verifier of its own');
  const answer = await browse(jar, `/auth/callback?code=${grant('anna', foreign)}&state=${state}`);
  assert.deepEqual([answer.statusCode, jar.has('__Host-kedja-dispatch')], [400, false]);
});

test('without a return address it leads to the page that shows who is signed in, in either language', async () => {
  const jar: Jar = new Map();
  const state = (await begin(jar)).searchParams.get('state');
  const back = await browse(jar, `/auth/callback?code=${grant()}&state=${state}`);
  assert.equal(back.headers.location, `${ORIGIN}/dispatch/auth/session`);
  assert.match((await browse(jar, '/auth/session')).payload, /<html lang="sv">.*<h1>Inloggad<\/h1>/s);
  assert.match((await browse(jar, '/auth/session?lang=en')).payload, /<h1>Signed in<\/h1>/);
  assert.match((await browse(new Map(), '/auth/session')).payload, /<h1>Inte inloggad<\/h1>/);
});

test('a callback that this browser did not begin signs nobody in (login CSRF), nor does one that is late or repeated', async () => {
  const victim: Jar = new Map();
  const attacker: Jar = new Map();
  const state = (await begin(attacker)).searchParams.get('state');
  const failed = async (jar: Jar, query: string) => {
    const answer = await browse(jar, `/auth/callback?${query}`);
    assert.deepEqual([answer.statusCode, jar.has('__Host-kedja-dispatch')], [400, false]);
    assert.match(answer.payload, /kunde inte slutföras/);
  };
  await failed(victim, `code=${grant()}&state=${state}`);
  const own = (await begin(victim)).searchParams.get('state');
  await failed(victim, `code=${grant()}&state=${state}`);
  await failed(victim, `code=${grant()}`);
  await failed(victim, '');
  const code = grant();
  assert.equal(
    (await browse(victim, `/auth/callback?code=${code}&state=${own}`)).statusCode,
    303,
    'its own still works',
  );
  const repeated: Jar = new Map();
  await failed(repeated, `code=${code}&state=${own}`);
  const late = (await begin(repeated)).searchParams.get('state');
  clock.time += 10 * 60_000;
  await failed(repeated, `code=${grant()}&state=${late}`);
  const unknown = (await begin(repeated)).searchParams.get('state');
  await failed(repeated, `code=unknown&state=${unknown}`);
});

test('several tabs sign in at once, each to where it began; one that fails leaves the others', async () => {
  const jar: Jar = new Map();
  const states: (string | null)[] = [];
  for (const page of ['a', 'b', 'c']) states.push((await begin(jar, `?return_to=/${page}`)).searchParams.get('state'));
  assert.equal(new Set(states).size, 3);
  const come = (index: number, code: string) => browse(jar, `/auth/callback?code=${code}&state=${states[index]}`);
  const second = await come(1, grant());
  assert.deepEqual([second.statusCode, second.headers.location], [303, `${ORIGIN}/b`]);
  const unused = grant();
  const again = await come(1, unused);
  // As by the way back of a browser: it is signed in already.
  assert.deepEqual([again.statusCode, again.headers.location], [303, `${ORIGIN}/dispatch/auth/session`]);
  assert.deepEqual([again.cookies, codes.has(unused)], [[], true], 'each is good once');
  assert.equal((await come(2, 'unknown')).statusCode, 400);
  await come(2, unused);
  assert.ok(codes.has(unused), 'and failed once is over');
  const first = await come(0, grant('anna'));
  assert.deepEqual([first.statusCode, first.headers.location], [303, `${ORIGIN}/a`]);
  assert.deepEqual([...jar.keys()], ['__Host-kedja-dispatch']);
});

test('tabs that begin at the same moment, each before the other’s response, keep both sign-ins', async () => {
  const jar: Jar = new Map();
  const [one, two] = await Promise.all([begin(jar, '?return_to=/one'), begin(jar, '?return_to=/two')]);
  for (const [way, where] of [[two, 'two'] as const, [one, 'one'] as const]) {
    const back = await browse(jar, `/auth/callback?code=${grant()}&state=${way.searchParams.get('state')}`);
    assert.deepEqual([back.statusCode, back.headers.location], [303, `${ORIGIN}/${where}`]);
  }
});

test('a sign-in that is opened by another name of the machine begins at the public one, where its cookie is read; once, whatever a proxy makes of the name', async () => {
  const jar: Jar = new Map();
  const asked = '?return_to=/a%3Fb%3D%26c&lang=en';
  for (const host of [
    'localhost',
    'localhost:8080',
    '127.0.0.1',
    'kedja.example.evil.example',
    'evil.example:443',
    'a b',
    '',
  ]) {
    const answer = await browse(jar, `/auth/login${asked}`, { headers: { host } });
    assert.equal(answer.statusCode, 303, host);
    assert.deepEqual([answer.headers['set-cookie'], jar.size], [undefined, 0], host);
    assert.equal(answer.headers.location, `${ORIGIN}/dispatch/auth/login?return_to=%2Fa%3Fb%3D%26c&lang=en&at=public`);
  }
  const state = (await begin(jar, `${asked}&at=public`)).searchParams.get('state');
  const back = await browse(jar, `/auth/callback?code=${grant()}&state=${state}`);
  assert.deepEqual([back.statusCode, back.headers.location], [303, `${ORIGIN}/a?b=&c`]);
  const behindProxy = await browse(jar, '/auth/login?at=public', { headers: { host: 'localhost:8080' } });
  assert.equal(new URL(String(behindProxy.headers.location)).pathname, '/identity/login');
  const otherPort = await browse(jar, '/auth/login', { headers: { host: 'KEDJA.example:8082' } });
  assert.equal(new URL(String(otherPort.headers.location)).pathname, '/identity/login', 'cookies know no ports');
});

test('of many pending sign-ins the five newest are kept, and fewer with long addresses', async () => {
  const jar: Jar = new Map();
  const states: (string | null)[] = [];
  for (let n = 0; n < 8; n += 1) {
    clock.time += 1000;
    states.push((await begin(jar)).searchParams.get('state'));
    assert.equal(jar.size, Math.min(n + 1, 5));
  }
  assert.equal((await browse(jar, `/auth/callback?code=${grant()}&state=${states[2]}`)).statusCode, 400, 'too old');
  assert.equal((await browse(jar, `/auth/callback?code=${grant()}&state=${states[3]}`)).statusCode, 303);
  jar.delete('__Host-kedja-dispatch');
  for (let n = 0; n < 4; n += 1) {
    clock.time += 1000;
    const state = (await begin(jar, `?return_to=/${'a'.repeat(1000)}`)).searchParams.get('state');
    assert.ok(cookieHeader(jar).length < 4100, 'servers on the way bound what a browser sends');
    if (n < 3) continue;
    assert.equal((await browse(jar, `/auth/callback?code=${grant()}&state=${state}`)).statusCode, 303);
  }
  clock.time += 10 * 60_000;
  jar.set('__Host-kedja-dispatch-sign-in-forged', 'x');
  await begin(jar);
  assert.equal([...jar.keys()].filter((name) => name.includes('sign-in')).length, 1, 'what is over or not ours goes');
});

test('it redirects to no other origin, however that is written', async () => {
  const elsewhere = [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '\\\\evil.example',
    '/\t/evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
    'javascript:alert(1)',
    'docs',
    '',
    '/å',
    `/${'a'.repeat(1100)}`,
  ];
  for (const address of elsewhere) {
    assert.equal(readReturnPath(address, ORIGIN), undefined, address);
    const answer = await app.inject(`/auth/login?return_to=${encodeURIComponent(address)}`);
    assert.deepEqual([answer.statusCode, answer.headers['set-cookie']], [400, undefined], address);
  }
  assert.equal(readReturnPath('/a?b=https://evil.example/#c', ORIGIN), '/a?b=https://evil.example/#c');
  assert.equal(readReturnPath('/a/../b', ORIGIN), '/b');
});

test('with a session only our own pages may change something; other credentials need no such page', async () => {
  const jar = await signedIn();
  const post = async (headers: Record<string, string>) =>
    (await browse(jar, '/things', { method: 'POST', headers })).statusCode;
  assert.equal(await post(OWN_PAGE), 200);
  assert.equal(await post({ origin: ORIGIN }), 200);
  for (const site of ['cross-site', 'same-site', 'none']) {
    assert.equal(await post({ 'sec-fetch-site': site, origin: ORIGIN }), 403, site);
  }
  assert.equal(await post({ origin: 'https://evil.example' }), 403);
  assert.equal(await post({ origin: 'null' }), 403);
  assert.equal(await post({}), 403);
  assert.equal(await post({ authorization: 'Bearer anna' }), 200, 'a token is never added by a browser');
  assert.equal((await browse(jar, '/open', { method: 'POST' })).statusCode, 200, 'where nobody is known nobody acts');
  assert.equal((await browse(jar, '/things', { headers: { 'sec-fetch-site': 'cross-site' } })).statusCode, 200);
});

test('other credentials take precedence over the session, and it does not replace wrong ones', async () => {
  const jar = await signedIn();
  const wrong = await browse(jar, '/things', { headers: { authorization: 'Bearer nobody' } });
  assert.equal(wrong.statusCode, 401);
});

test('a forged or altered cookie, or one of another service, does not count', async () => {
  const jar = await signedIn();
  const [[name, value] = ['', '']] = jar;
  const options = { keys: fixedKeys(Buffer.alloc(32, 1)), isSecure: true, clock };
  const engine = createSessionCookies({ ...options, service: 'engine' });
  const other = /=([^;]*)/.exec(engine.session('anna'))?.[1] ?? '';
  const otherKey = createSessionCookies({ ...options, keys: fixedKeys(Buffer.alloc(32, 2)), service: 'dispatch' });
  const forged = /=([^;]*)/.exec(otherKey.session('anna'))?.[1] ?? '';
  const altered = `${value.slice(0, -2)}${value.endsWith('AA') ? 'BB' : 'AA'}`;
  const beginning: Jar = new Map();
  await begin(beginning);
  const [pending = ''] = beginning.values();
  for (const wrong of [other, forged, altered, pending, 'anna', '', '%', 'a'.repeat(5000)]) {
    assert.equal((await browse(new Map([[name, wrong]]), '/things')).statusCode, 401, wrong);
  }
  assert.equal((await browse(new Map([[name, value]]), '/things')).statusCode, 200);
  assert.throws(() => engine.session('a'.repeat(4000)), /too long/);
});

test('signing out ends the token, here at once, and the cookie; from elsewhere it is refused', async () => {
  callers['bo'] = makePrincipal(['admin']);
  const jar = await signedIn('bo');
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const foreign = await browse(jar, '/auth/logout', {
    method: 'POST',
    headers: { ...form, 'sec-fetch-site': 'cross-site' },
  });
  assert.deepEqual([foreign.statusCode, ended], [403, []]);
  assert.equal((await browse(jar, '/auth/logout')).statusCode, 405, 'no link ends a session');
  isIdentityDown = true;
  const down = await browse(jar, '/auth/logout', { method: 'POST', headers: { ...form, ...OWN_PAGE } });
  isIdentityDown = false;
  assert.deepEqual([down.statusCode, jar.size], [503, 1], 'a sign-out that failed is not reported as done');
  const kept = new Map(jar);
  const out = await browse(jar, '/auth/logout', { method: 'POST', headers: { ...form, ...OWN_PAGE } });
  assert.deepEqual([out.statusCode, out.headers.location], [303, `${ORIGIN}/dispatch/auth/session?lang=sv`]);
  assert.deepEqual([ended, refreshed, jar.size], [['bo'], 1, 0]);
  assert.equal((await browse(kept, '/things')).statusCode, 401, 'a copy of the cookie is of no use');
  assert.match((await browse(kept, '/auth/session')).payload, /<h1>Inte inloggad<\/h1>/);
  const secret = 's'.repeat(43);
  const expired: Jar = new Map([['__Host-kedja-session', secret]]);
  await browse(expired, '/auth/logout', { method: 'POST', headers: { ...form, ...OWN_PAGE } });
  assert.deepEqual([endedBrowsers, expired.size], [[secret], 0], 'the session at identity ends by its own cookie');
  const again = await browse(new Map(), '/auth/logout', { method: 'POST', headers: { ...form, ...OWN_PAGE } });
  assert.equal(again.statusCode, 303, 'one who is not signed in may sign out');
});

test('while identity cannot be asked a sign-in is 503 and can be completed afterwards', async () => {
  const jar: Jar = new Map();
  const state = (await begin(jar)).searchParams.get('state');
  const code = grant();
  isIdentityDown = true;
  assert.equal((await browse(jar, `/auth/callback?code=${code}&state=${state}`)).statusCode, 503);
  isIdentityDown = false;
  assert.equal((await browse(jar, `/auth/callback?code=${code}&state=${state}`)).statusCode, 303);
});
