// Attacks on identity's pages (decisions L5, L11, L12). They are forms of other websites, forms that are too large or
// of another kind, what others typed, addresses that lead elsewhere, and fixed sessions. The tests also check the
// headers of every page.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { lastFirst } from '#test/support/hooks.ts';
import { ADMIN, handClock, REDIRECT, startIdentity } from '#test/support/identity/identity.ts';
import { openBrowser } from '#test/support/identity/identity-browser.ts';
import { makePatient, nextEmail, PASSWORD } from '#test/support/identity/identity-people.ts';
import { startMailServer } from '#test/support/mail.ts';
import { atOnce } from '#test/support/system/at-once.ts';

const hooks = lastFirst({ after });
const clock = handClock();
const mails = await startMailServer(hooks);
const identity = await startIdentity(hooks, { clock, sendMail: mails.send });
const { app, database } = identity;
const FORM = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };
const UNKNOWN = '01900000-0000-7000-8000-00000000ffff';
const HOSTILE = `"'><script>alert(1)</script><img src=x onerror=alert(2)>\u2028`;

/** Forms that act for the user who has a session in the browser, filled in so that nothing else refuses them. */
const OF_SESSION: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/account/name': { first_name: 'Eve', last_name: 'Ek' },
  '/account/email': { new_email: 'eve@example.org', current_password: PASSWORD },
  '/account/email/confirm': { email_code: 'AAAA-BBBB-CCCC-DDDD' },
  '/account/second-factor': { current_password: PASSWORD },
  '/account/second-factor/confirm': { code: '000000' },
  '/account/second-factor/replace': { current_password: PASSWORD, code: '000000' },
  '/account/second-factor/disable': { current_password: PASSWORD, code: '000000' },
  '/proxies': { whom: 'eve@example.org', may: 'act', until: '2027-01-31' },
  '/proxies/accept': { proxy_guid: UNKNOWN },
  '/proxies/end': { proxy_guid: UNKNOWN },
  '/guardians/find': { child: '191212121212' },
  '/guardians/register': { child: '202001012380', first_name: 'Alva', last_name: 'Ek', organisation_guid: UNKNOWN },
  '/guardians/set': { patient: UNKNOWN, guardian: '191212121212' },
  '/guardians/end': { patient: UNKNOWN, proxy_guid: UNKNOWN },
  '/login/session': { next: `${REDIRECT}callback`, user: UNKNOWN },
  '/sign-out': {},
};
/** Forms that prove their user themselves, or need none. */
const OF_NOBODY = [
  '/api/auth/login',
  '/login/code',
  '/login/set-up',
  '/login/continue',
  '/forgot-password',
  '/reset-password',
  '/register',
  '/access-request',
  '/change-password',
  '/recovery-codes',
];
const PAGES = [
  '/login',
  `/login?next=${encodeURIComponent(`${REDIRECT}callback`)}`,
  '/register',
  '/access-request',
  '/change-password',
  '/recovery-codes',
  '/forgot-password',
  '/reset-password?token=abc',
  '/session',
  '/sign-out/done',
  '/account',
  '/account/second-factor',
  '/account/second-factor/replace',
  '/proxies',
  '/guardians',
  '/nowhere',
];
const bodyOf = (form: Readonly<Record<string, string>>) => new URLSearchParams({ lang: 'en', ...form }).toString();

test('these are all forms that identity takes', async () => {
  const pages: string[] = [];
  const parents: string[] = [];
  for (const line of app.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent = '', part = '', methods = ''] = /^([\s│]*)[├└]── (\S+)(?: \(([^)]+)\))?/.exec(line) ?? [];
    if (part === '') continue;
    const depth = indent.length / 4;
    parents.splice(depth, parents.length, part);
    const path = parents.join('');
    if (methods.includes('POST') && !/^\/(?:api|fhir)\//.test(path)) pages.push(path);
  }
  const known = [...Object.keys(OF_SESSION), ...OF_NOBODY.filter((path) => !path.startsWith('/api/'))];
  assert.deepEqual(new Set(pages), new Set(known));
});

test('a form of another website does nothing with the visitor’s session, however it is sent', async () => {
  const { email, answer } = await makePatient(identity);
  const browser = await openBrowser(identity, email);
  const cookies = [...browser.jar].map((pair) => pair.join('=')).join('; ');
  const state = async () => {
    const { rows } = await database.query<{ state: string }>(
      `SELECT md5(row_to_json(u)::text || (SELECT count(*) FROM patient_proxy) || (SELECT count(*) FROM email_change)
         || (SELECT count(*) FROM browser_session)) AS state FROM app_user u WHERE user_guid = $1`,
      [answer.user_guid],
    );
    return rows[0]?.state;
  };
  const before = await state();
  const origins: readonly Readonly<Record<string, string>>[] = [
    {},
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: 'https://kedja.example.org' },
    { 'sec-fetch-site': 'none', origin: 'https://kedja.example.org' },
    { 'sec-fetch-site': 'SAME-ORIGIN' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://kedja.example.org' },
    { origin: 'https://kedja.example.org.evil.example' },
    { origin: 'https://kedja.example.org:8443' },
    { referer: 'https://kedja.example.org/identity/account' },
  ];
  for (const [url, form] of Object.entries(OF_SESSION)) {
    for (const origin of origins) {
      const headers = { ...FORM, cookie: cookies, ...origin };
      const refused = await app.inject({ method: 'POST', url, headers, payload: bodyOf(form) });
      assert.equal(refused.statusCode, 403, `${url} ${JSON.stringify(origin)}: ${refused.statusCode}`);
      assert.equal(refused.headers['set-cookie'], undefined, url);
    }
    const get = await app.inject({ url: `${url}?${bodyOf(form)}`, headers: { cookie: cookies, accept: 'text/html' } });
    assert.ok(get.statusCode >= 400 || get.statusCode === 200, `${url} changes nothing by GET`);
  }
  assert.equal(await state(), before);
  assert.equal((await browser.get('/account')).statusCode, 200, 'the session goes on');
});

test('forms of another type, that are too large, or no forms at all are refused, and nobody is signed in', async () => {
  const own = { 'sec-fetch-site': 'same-origin', accept: 'text/html' };
  const { email } = await makePatient(identity);
  const { jar } = await openBrowser(identity, email);
  const cookie = [...jar].map((pair) => pair.join('=')).join('; ');
  for (const url of [...Object.keys(OF_SESSION), ...OF_NOBODY]) {
    const send = (type: string, payload: string) =>
      app.inject({ method: 'POST', url, headers: { ...own, cookie, 'content-type': type }, payload });
    for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/xml', 'text/html'])
      assert.equal((await send(type, 'first_name=Eve')).statusCode, 415, `${url} ${type}`);
    const large = await send('application/x-www-form-urlencoded', `first_name=${'a'.repeat(300_000)}`);
    // The sign-in shows its own page, which leads nowhere.
    assert.equal(large.statusCode, url === '/api/auth/login' ? 400 : 413, url);
    for (const payload of ['%', '%ff%fe=%00', '__proto__=1&constructor=2&toString=3', '&&&===', 'a[b]=1&a[]=2'])
      assert.ok((await send('application/x-www-form-urlencoded', payload)).statusCode < 500, `${url} ${payload}`);
  }
});

test('what is typed is shown as text, and leads nowhere: pages, errors, languages and redirects', async () => {
  const { email } = await makePatient(identity);
  const browser = await openBrowser(identity, email);
  const assertHarmless = ({ body, headers }: { body: string; headers: Record<string, unknown> }, what: string) => {
    assert.doesNotMatch(body, /<script|<img src=x|onerror=alert\(2\)>/, what);
    const { location } = headers;
    assert.ok(
      location === undefined || /^(?:\.\.\/)*[a-z-]|^https:\/\/app\.example\.org\/sso\//.test(String(location)),
      what,
    );
    assert.doesNotMatch(String(location ?? ''), /[\r\n]|evil/, what);
  };
  const crlf = 'en\r\nset-cookie: a=b';
  for (const [url, form] of Object.entries(OF_SESSION)) {
    if (url === '/sign-out') continue;
    const hostile = Object.fromEntries(Object.keys(form).map((name) => [name, HOSTILE]));
    const answer = await browser.post(url, hostile);
    assert.ok(answer.statusCode < 500, `${url}: ${answer.statusCode}`);
    assertHarmless(answer, url);
    const split = await browser.post(url, { ...form, lang: crlf, done: '//evil.example', next: '//evil.example' });
    assert.ok(split.statusCode < 500, url);
    assertHarmless(split, url);
    assert.doesNotMatch(String(split.headers['set-cookie'] ?? ''), /a=b/);
  }
  for (const page of PAGES) {
    for (const query of [
      `lang=${encodeURIComponent(HOSTILE)}`,
      `done=${encodeURIComponent(HOSTILE)}`,
      'next=//evil.example',
    ])
      assertHarmless(await browser.get(`${page}${page.includes('?') ? '&' : '?'}${query}`), `${page} ${query}`);
  }
  const patient = await browser.get(`/proxies?patient=${encodeURIComponent(HOSTILE)}`);
  assertHarmless(patient, 'another parameter');
});

test('no page is stored by a cache, framed, or says where its visitor came from', async () => {
  const { email } = await makePatient(identity);
  for (const browser of [
    await openBrowser(identity, email),
    await openBrowser(identity, ADMIN.email, ADMIN.password),
  ]) {
    for (const isOut of [false, true]) {
      if (isOut) browser.jar.clear();
      for (const page of PAGES) {
        const { headers, statusCode } = await browser.get(page);
        assert.match(String(headers['cache-control']), /no-store/, page);
        assert.equal(headers['x-content-type-options'], 'nosniff', page);
        assert.match(String(headers['referrer-policy']), /^no-referrer$/, page);
        if (statusCode < 400 && statusCode >= 300) continue;
        const policy = String(headers['content-security-policy']);
        for (const directive of [/default-src 'none'/, /frame-ancestors 'none'/, /base-uri 'none'/, /form-action /])
          assert.match(policy, directive, `${page}: ${policy}`);
        assert.doesNotMatch(policy, /unsafe|\*/, page);
      }
    }
  }
});

test('a session that somebody else chose is never taken over, by a sign-in or by a change of the second factor', async () => {
  const { email } = await makePatient(identity);
  const chosen = 'x'.repeat(43);
  const headers = { ...FORM, 'sec-fetch-site': 'same-origin', cookie: `__Host-kedja-session=${chosen}` };
  const payload = bodyOf({ email, password: PASSWORD, next: `${REDIRECT}callback` });
  const signedIn = await app.inject({ method: 'POST', url: '/api/auth/login', headers, payload });
  const cookie = String(signedIn.headers['set-cookie']);
  assert.match(cookie, /^__Host-kedja-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure/);
  assert.doesNotMatch(cookie, new RegExp(chosen));
  const fixed = await app.inject({ url: '/account', headers: { cookie: `__Host-kedja-session=${chosen}` } });
  assert.equal(fixed.statusCode, 401);
});

test('of fifty forms at once that name, accept and end, each is done once', async () => {
  const [one, other] = [await makePatient(identity), await makePatient(identity)];
  const [from, to] = [await openBrowser(identity, one.email), await openBrowser(identity, other.email)];
  const until = new Date(clock.now() + 5 * 86_400_000).toISOString().slice(0, 10);
  await from.post('/proxies', { whom: other.email, may: 'read', until });
  const proxy_guid = /name="proxy_guid" value="([^"]+)"/.exec((await to.get('/proxies')).body)?.[1] ?? '';
  const fifty = Array.from({ length: 50 }, () => () => to.post('/proxies/accept', { proxy_guid }));
  assert.deepEqual(new Set((await atOnce(fifty)).map(({ statusCode }) => statusCode)), new Set([303]));
  const ends = Array.from(
    { length: 50 },
    (_, index) => () => (index % 2 ? from : to).post('/proxies/end', { proxy_guid }),
  );
  assert.deepEqual(new Set((await atOnce(ends)).map(({ statusCode }) => statusCode)), new Set([303]));
  const { rows } = await database.query<{ event: string; n: number }>(
    `SELECT event, count(*)::int AS n FROM audit_event WHERE resource LIKE $1 AND event <> 'proxy.list' GROUP BY 1 ORDER BY 1`,
    [`%${proxy_guid}%`],
  );
  assert.deepEqual(rows, [
    { event: 'proxy.accept', n: 1 },
    { event: 'proxy.end', n: 1 },
    { event: 'proxy.invite', n: 1 },
  ]);
});

test('codes and links to another account’s address are worth nothing: another’s code, one that was replaced, after a sign-out', async () => {
  const [mallory, victim] = [await makePatient(identity), await makePatient(identity)];
  const [attacker, owner] = [await openBrowser(identity, mallory.email), await openBrowser(identity, victim.email)];
  const wanted = nextEmail();
  await owner.post('/account/email', { new_email: wanted, current_password: PASSWORD });
  const code = /[A-Z2-7]{4}(?:-[A-Z2-7]{4}){3}/.exec((await mails.mailTo(wanted, /Code for/)).body)?.[0] ?? '';
  const stolen = await attacker.post('/account/email/confirm', { email_code: code });
  assert.equal(stolen.statusCode, 401, 'a code is good for the account that asked for it');
  const cookie = new Map(owner.jar);
  assert.equal((await owner.post('/sign-out', {})).statusCode, 303);
  for (const [name, value] of cookie) owner.jar.set(name, value);
  const replayed = await owner.post('/account/email/confirm', { email_code: code });
  assert.equal(replayed.statusCode, 401, 'the cookie of a session that has ended opens nothing');
  const again = await openBrowser(identity, victim.email);
  assert.equal((await again.post('/account/email/confirm', { email_code: code })).statusCode, 303);
});
