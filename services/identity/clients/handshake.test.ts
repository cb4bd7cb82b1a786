// Attacks on sign-ins for a client (docs/adr/0054): redirects, use of the code, permissions of the token, and what
// remains after the client is disabled.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { decodeJwt } from 'jose';
import { postForm } from '#test/support/dispatch/form.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { ADMIN, asService, REDIRECT, startIdentity } from '#test/support/identity/identity.ts';
import {
  administer,
  codeFor,
  credentialsOf,
  exchange,
  makeClient,
  PROOF,
  signInFor,
} from '#test/support/identity/identity-clients.ts';
import { auditedEvents, makePatient, PASSWORD } from '#test/support/identity/identity-people.ts';
import { makeGuarded } from '#test/support/identity/totp.ts';
import { atOnce } from '#test/support/system/at-once.ts';

const identity = await startIdentity(lastFirst({ after }));
const { app } = identity;

const NEXT = 'https://journal.example.org/callback?tenant=a%20b';
const JOURNAL = await makeClient(identity, { client_id: 'records', redirects: [NEXT, 'https://journal.example.org/'] });
const PORTAL = await makeClient(identity, {
  client_id: 'portal',
  audience: 'https://portal.example.org',
  redirects: ['https://portal.example.org/in', NEXT],
});
const APP = await makeClient(identity, {
  client_id: 'app',
  public: true,
  redirects: [
    'http://127.0.0.1/done',
    'http://[::1]/done?x=1',
    'http://localhost/done',
    'https://app.example.net/done',
  ],
});
const LEGACY = credentialsOf('journal', 'another-secret-of-some-length');

const statusOf = async (answer: Promise<{ statusCode: number; body: string }>) => {
  const { statusCode, body } = await answer;
  return statusCode < 300 ? [statusCode] : [statusCode, JSON.parse(body).error];
};
const askAbout = (token: string, headers: Readonly<Record<string, string>>, url = '/api/auth/me/service') =>
  statusOf(app.inject({ url, headers: { authorization: `Bearer ${token}`, ...headers } }));

test('a sign-in for a client leads to one of its addresses, and the code is exchanged by it alone, once', async () => {
  const wanted = { client_id: JOURNAL.id, next: NEXT };
  const answer = await signInFor(identity, wanted);
  assert.equal(answer.statusCode, 302, answer.body);
  assert.match(
    String(answer.headers.location),
    /^https:\/\/journal\.example\.org\/callback\?tenant=a%20b&code=[\w-]{43}&state=s$/,
  );
  const code = await codeFor(identity, wanted);
  const presented = { code, next: NEXT };
  const failed = [401, 'authentication_failed'];
  const refused = [403, 'invalid_service_credentials'];
  assert.deepEqual(await statusOf(exchange(identity, presented)), failed, 'nobody in particular');
  assert.deepEqual(await statusOf(exchange(identity, presented, PORTAL.headers)), failed, 'another client');
  assert.deepEqual(await statusOf(exchange(identity, presented, LEGACY)), failed, 'one of the configuration');
  assert.deepEqual(await statusOf(exchange(identity, presented, asService)), refused, 'a service');
  assert.deepEqual(await statusOf(exchange(identity, { ...presented, client_id: APP.id })), failed, 'a public one');
  assert.deepEqual(
    await statusOf(exchange(identity, { ...presented, client_id: JOURNAL.id })),
    refused,
    'without its secret',
  );
  const mixed = exchange(identity, { ...presented, client_id: JOURNAL.id }, PORTAL.headers);
  assert.deepEqual(await statusOf(mixed), refused, 'in the name of another');
  const wrong = exchange(identity, presented, { ...JOURNAL.headers, 'x-sso-client-secret': PORTAL.secret });
  assert.deepEqual(await statusOf(wrong), refused);
  const { token } = (await exchange(identity, presented, JOURNAL.headers)).json();
  assert.equal(decodeJwt(token).aud, 'kedja');
  assert.deepEqual(await askAbout(token, JOURNAL.headers), [200]);
  assert.deepEqual(await askAbout(token, {}, '/api/auth/me'), [200], 'it is the user’s');
  assert.deepEqual(await statusOf(exchange(identity, presented, PORTAL.headers)), failed, 'another client, once more');
  assert.deepEqual(await askAbout(token, JOURNAL.headers), [200], 'which ends nothing');
  assert.deepEqual(await statusOf(exchange(identity, presented, JOURNAL.headers)), failed, 'once more');
  assert.deepEqual(await askAbout(token, JOURNAL.headers), [401, 'unauthorized']);
});

test('a client’s code joined with its id is no code of nobody’s: no token of Kedja, none without the secret, none is ended', async () => {
  const next = 'https://portal.example.org/in';
  const failed = [401, 'authentication_failed'];
  for (const client of [PORTAL, JOURNAL]) {
    const at = client === PORTAL ? next : NEXT;
    const code = await codeFor(identity, { client_id: client.id, next: at });
    const joined = { code: `${client.id}\n${code}`, next: at };
    assert.deepEqual(await statusOf(exchange(identity, joined)), failed);
    const answer = await exchange(identity, { code, next: at }, client.headers);
    assert.equal(answer.statusCode, 200, 'nor was it used up');
    const { token } = answer.json();
    assert.deepEqual(await statusOf(exchange(identity, joined)), failed, 'a used one');
    assert.deepEqual(await askAbout(token, client.headers), [200], 'which ends nothing');
  }
});

test('whatever the hash says, a code is the client’s that its row names, and the token is the one’s it was given to', async () => {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const code = await codeFor(identity, { client_id: JOURNAL.id, next: NEXT });
  const rehash = (table: string, from: string, to: string) =>
    identity.database.query(`UPDATE ${table} SET code_hash = $2 WHERE code_hash = $1`, [digest(from), digest(to)]);
  const named = `${JOURNAL.id}\n${code}`;
  await rehash('sign_in_code', named, code);
  assert.equal((await exchange(identity, { code, next: NEXT })).statusCode, 401);
  await rehash('sign_in_code', code, named);
  const { token } = (await exchange(identity, { code, next: NEXT }, JOURNAL.headers)).json();
  await rehash('issued_token', named, code);
  assert.equal((await exchange(identity, { code, next: NEXT })).statusCode, 401);
  assert.deepEqual(await askAbout(token, JOURNAL.headers), [200]);
});

test('of a code that is presented twenty times at once one token is made, and it counts no more (RFC 6749 §4.1.2)', async () => {
  const reuses = async () => (await auditedEvents(identity)).filter((event) => event === 'user.reuse-code').length;
  const before = await reuses();
  const presented = { code: await codeFor(identity, { client_id: JOURNAL.id, next: NEXT }), next: NEXT };
  const answers = await atOnce(Array.from({ length: 20 }, () => () => exchange(identity, presented, JOURNAL.headers)));
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, ...Array<number>(19).fill(401)]);
  const token = answers.find(({ statusCode }) => statusCode === 200)?.json().token;
  assert.deepEqual(await askAbout(token, JOURNAL.headers), [401, 'unauthorized']);
  // The events have no order in the table.
  assert.equal((await reuses()) - before, 1, 'on record, once');
});

test('a code with the wrong verifier, or another address of its client, is used up', async () => {
  const wanted = { client_id: JOURNAL.id, next: NEXT };
  for (const wrong of [
    { code_verifier: 'a'.repeat(43) },
    { next: 'https://journal.example.org/' },
    { code_verifier: undefined },
  ]) {
    const code = await codeFor(identity, wanted);
    assert.equal((await exchange(identity, { code, next: NEXT, ...wrong }, JOURNAL.headers)).statusCode, 401);
    assert.equal((await exchange(identity, { code, next: NEXT }, JOURNAL.headers)).statusCode, 401);
  }
});

test('a sign-in without a client works as before: by the allow-list, and its code is bound to no client', async () => {
  const code = await codeFor(identity, { next: REDIRECT });
  assert.equal((await exchange(identity, { code, next: REDIRECT })).statusCode, 200);
  assert.equal((await signInFor(identity, { next: NEXT })).statusCode, 400, 'a client’s address is not on the list');
  const configured = await codeFor(identity, { next: REDIRECT, client_id: 'journal' });
  assert.equal((await exchange(identity, { code: configured, next: REDIRECT })).statusCode, 401);
  assert.equal((await exchange(identity, { code: configured, next: REDIRECT }, LEGACY)).statusCode, 200);
});

test('no trick redirects anywhere: addresses are compared as strings', async () => {
  const tricks = [
    'https://journal.example.org/callback',
    'https://journal.example.org/callback?tenant=a+b',
    'https://journal.example.org/callback?tenant=a%20b&x=1',
    'https://journal.example.org/callback?tenant=a%20b#',
    'https://journal.example.org/callback?tenant=a%20b#@evil.example',
    'https://journal.example.org/callback/?tenant=a%20b',
    'https://journal.example.org//callback?tenant=a%20b',
    'https://journal.example.org/./callback?tenant=a%20b',
    'https://journal.example.org/x/../callback?tenant=a%20b',
    'https://journal.example.org/%63allback?tenant=a%20b',
    'https://journal.example.org%2Fcallback?tenant=a%20b',
    'https://journal.example.org/callback%2F..?tenant=a%20b',
    'https://journal.example.org:443/callback?tenant=a%20b',
    'https://journal.example.org:8443/callback?tenant=a%20b',
    'https://journal.example.org./callback?tenant=a%20b',
    'https://JOURNAL.example.org/callback?tenant=a%20b',
    'HTTPS://journal.example.org/callback?tenant=a%20b',
    'http://journal.example.org/callback?tenant=a%20b',
    'https://journal.example.org@evil.example/callback?tenant=a%20b',
    'https://evil@journal.example.org/callback?tenant=a%20b',
    'https://journal.example.org\\@evil.example/callback?tenant=a%20b',
    'https://journal.example.org.evil.example/callback?tenant=a%20b',
    'https://journal.example.org/Callback?tenant=a%20b',
    ' https://journal.example.org/callback?tenant=a%20b',
    'https://journal.example.org/callback?tenant=a%20b\n',
    'https://journal.example.org',
    'https://portal.example.org/in',
    REDIRECT,
    '',
  ];
  for (const next of tricks) {
    const answer = await signInFor(identity, { client_id: JOURNAL.id, next });
    assert.deepEqual([answer.statusCode, answer.json().error], [400, 'invalid_redirect'], next);
    const page = await app.inject(
      `/login?${new URLSearchParams({ client_id: JOURNAL.id, next, response_mode: 'code', ...PROOF })}`,
    );
    assert.equal(page.statusCode, 400, next);
  }
  for (const client_id of ['nobody', 'RECORDS', 'engine', 'JOURNAL', 'records ', "records'--"]) {
    assert.equal((await signInFor(identity, { client_id, next: NEXT })).statusCode, 400, client_id);
  }
});

test('an app on a device: any port of loopback by its address, everything else to the letter; the verifier is its proof', async () => {
  for (const next of [
    'http://127.0.0.1:49152/done',
    'http://127.0.0.1/done',
    'http://[::1]:1/done?x=1',
    'http://localhost/done',
    'https://app.example.net/done',
  ]) {
    const presented = { code: await codeFor(identity, { client_id: APP.id, next }), next, client_id: APP.id };
    const { client_id: _id, ...unnamed } = presented;
    assert.equal((await exchange(identity, unnamed)).statusCode, 401, 'it says who it is');
    assert.equal((await exchange(identity, presented)).statusCode, 200, next);
  }
  for (const next of [
    'http://127.0.0.1:49152/done/',
    'http://127.0.0.1:49152/',
    'http://127.0.0.1:999999/done',
    'http://127.0.0.1:/done',
    'http://127.0.0.1:1@evil.example/done',
    'http://127.0.0.2:49152/done',
    'http://localhost:49152/done',
    'http://[::1]:1/done',
    'https://127.0.0.1:49152/done',
    'https://app.example.net:8443/done',
  ]) {
    assert.equal((await signInFor(identity, { client_id: APP.id, next })).statusCode, 400, next);
  }
  const stolen = await codeFor(identity, { client_id: APP.id, next: 'http://localhost/done' });
  const wrong = { code: stolen, next: 'http://localhost/done', client_id: APP.id, code_verifier: 'b'.repeat(43) };
  assert.equal((await exchange(identity, wrong)).statusCode, 401);
});

test('with a client a code with a challenge must be asked for: no token is in an address', async () => {
  const wanted = { client_id: JOURNAL.id, next: NEXT };
  for (const [less, named] of [
    [{ response_mode: 'token', code_challenge: undefined, code_challenge_method: undefined }, 'response_mode'],
    [{ response_mode: undefined }, 'response_mode'],
    [{ code_challenge: undefined, code_challenge_method: undefined }, 'code_challenge'],
    [{ code_challenge_method: 'plain' }, 'code_challenge_method'],
  ] as const) {
    const answer = await signInFor(identity, { ...wanted, ...less });
    assert.deepEqual([answer.statusCode, answer.json().error], [400, 'invalid_request']);
    assert.match(answer.body, new RegExp(named));
  }
  const { next: _next, ...nowhere } = wanted;
  assert.equal(
    (await app.inject({ method: 'POST', url: '/api/auth/login', payload: { ...ADMIN, ...nowhere } })).statusCode,
    400,
  );
});

test('a token with the audience of one application: its client may read the user, and it grants nothing else', async () => {
  const next = 'https://portal.example.org/in';
  const code = await codeFor(identity, { client_id: PORTAL.id, next });
  const { token } = (await exchange(identity, { code, next }, PORTAL.headers)).json();
  assert.equal(decodeJwt(token).aud, 'https://portal.example.org');
  const unauthorized = [401, 'unauthorized'];
  for (let times = 0; times < 2; times += 1) {
    assert.deepEqual(await askAbout(token, PORTAL.headers), [200]);
    assert.deepEqual(await askAbout(token, JOURNAL.headers), unauthorized, 'another application');
    assert.deepEqual(await askAbout(token, LEGACY), unauthorized, 'one of the configuration');
    assert.deepEqual(await askAbout(token, asService), unauthorized, 'a service of Kedja');
    assert.deepEqual(await askAbout(token, {}, '/api/auth/me'), unauthorized, 'the user’s own addresses');
    assert.deepEqual(await askAbout(token, {}, '/api/admin/clients'), unauthorized);
  }
  const users = await identity.asAdmin();
  assert.deepEqual(
    await statusOf(app.inject({ url: '/api/auth/me/service', headers: { ...users, ...PORTAL.headers } })),
    unauthorized,
    'and its client hears of no user who signed in elsewhere (token substitution)',
  );
  const logout = app.inject({ method: 'POST', url: '/api/auth/logout', headers: { authorization: `Bearer ${token}` } });
  assert.equal((await logout).statusCode, 200, 'it can be ended');
  assert.deepEqual(await askAbout(token, PORTAL.headers), unauthorized);
});

test('a client that is disabled: its live codes, its pending sign-ins and its tokens end; enabled again they do not come back', async () => {
  const client = await makeClient(identity, { client_id: 'ended', redirects: [NEXT] });
  const wanted = { client_id: client.id, next: NEXT };
  const [first, live] = [await codeFor(identity, wanted), await codeFor(identity, wanted)];
  const { token } = (await exchange(identity, { code: first, next: NEXT }, client.headers)).json();
  const others = await codeFor(identity, { client_id: JOURNAL.id, next: NEXT });
  assert.equal((await administer(identity, 'POST', '/ended/disable')).statusCode, 200);
  const again = await administer(identity, 'POST', '/ended/disable');
  assert.deepEqual([again.statusCode, again.json().status], [200, 'disabled'], 'twice is no error');
  assert.deepEqual(await statusOf(exchange(identity, { code: live, next: NEXT }, client.headers)), [
    403,
    'invalid_service_credentials',
  ]);
  assert.deepEqual(await askAbout(token, JOURNAL.headers), [401, 'unauthorized'], 'its token is gone for every holder');
  assert.equal((await signInFor(identity, wanted)).statusCode, 400);
  await administer(identity, 'POST', '/ended/enable');
  assert.equal((await exchange(identity, { code: live, next: NEXT }, client.headers)).statusCode, 401);
  assert.equal(
    (await exchange(identity, { code: others, next: NEXT }, JOURNAL.headers)).statusCode,
    200,
    'others stay',
  );
});

test('exchanges that race with the disabling of their client leave no living token behind', async () => {
  const client = await makeClient(identity, { client_id: 'raced', redirects: [NEXT] });
  const codes = await Promise.all(
    Array.from({ length: 12 }, () => codeFor(identity, { client_id: client.id, next: NEXT })),
  );
  const [disabled, ...answers] = await Promise.all([
    administer(identity, 'POST', '/raced/disable'),
    ...codes.map((code) => exchange(identity, { code, next: NEXT }, client.headers)),
  ]);
  assert.equal(disabled.statusCode, 200);
  for (const answer of answers) {
    assert.ok([200, 401, 403].includes(answer.statusCode), answer.body);
    if (answer.statusCode !== 200) continue;
    assert.deepEqual(await askAbout(answer.json().token, JOURNAL.headers), [401, 'unauthorized']);
  }
  const { rows } = await identity.database.query(`SELECT FROM sign_in_code WHERE client_id = 'raced'`);
  assert.equal(rows.length, 0);
});

test('the pages carry the client on: from the sign-in to the other language, and through a wrong password to the code', async () => {
  const query = new URLSearchParams({ client_id: JOURNAL.id, next: NEXT, state: 's', response_mode: 'code', ...PROOF });
  const page = await app.inject({ url: `/login?${query}`, headers: { accept: 'text/html' } });
  assert.equal(page.statusCode, 200, page.body);
  assert.match(page.body, /name="client_id"[^>]*value="records"|value="records"[^>]*name="client_id"/);
  assert.match(page.body, /client_id=records/, 'the links to other pages');
  const send = (password: string) =>
    app.inject({
      method: 'POST',
      url: '/api/auth/login',
      headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams([...query, ['email', ADMIN.email], ['password', password]]).toString(),
    });
  const wrong = await send('wrong password');
  assert.equal(wrong.statusCode, 401);
  assert.match(wrong.body, /value="records"/);
  const done = await send(ADMIN.password);
  const code = String(new URL(String(done.headers.location)).searchParams.get('code'));
  assert.equal((await exchange(identity, { code, next: NEXT })).statusCode, 401);
  assert.equal((await exchange(identity, { code, next: NEXT }, JOURNAL.headers)).statusCode, 200);
});

test('the client is kept through a temporary password and a second factor, and is checked again after each', async () => {
  const wanted = { client_id: JOURNAL.id, next: NEXT, state: 's', response_mode: 'code', ...PROOF };
  const { email, answer: patient } = await makePatient(identity);
  await identity.database.query('UPDATE app_user SET must_change_password = true WHERE user_guid = $1', [
    patient.user_guid,
  ]);
  const [current_password, new_password] = [PASSWORD, `another ${PASSWORD}`];
  const form = { email, current_password, new_password, new_password_again: new_password, ...wanted };
  const changed = await postForm(app, '/change-password', form);
  const code = String(new URL(String(changed.headers.location)).searchParams.get('code'));
  assert.equal((await exchange(identity, { code, next: NEXT })).statusCode, 401);
  assert.equal((await exchange(identity, { code, next: NEXT }, JOURNAL.headers)).statusCode, 200);

  const guarded = await makeGuarded(identity);
  const ended = await makeClient(identity, { client_id: 'second-step', redirects: [NEXT] });
  const challengeOf = async (client_id: string) => {
    const payload = { email: guarded.email, password: PASSWORD, ...wanted, client_id };
    return (await app.inject({ method: 'POST', url: '/api/auth/login', payload })).json().challenge;
  };
  const answer = (challenge: string, secondCode: string) =>
    app.inject({ method: 'POST', url: '/api/auth/login/second-factor', payload: { challenge, code: secondCode } });
  const [recovery = ''] = guarded.recoveryCodes;
  const gone = await challengeOf(ended.id);
  await administer(identity, 'POST', `/${ended.id}/disable`);
  assert.equal((await answer(gone, recovery)).statusCode, 401, 'the sign-in has ended with its client');
  const second = await answer(await challengeOf(JOURNAL.id), recovery);
  const factored = String(new URL(String(second.headers.location)).searchParams.get('code'));
  assert.equal((await exchange(identity, { code: factored, next: NEXT }, PORTAL.headers)).statusCode, 401);
  assert.equal((await exchange(identity, { code: factored, next: NEXT }, JOURNAL.headers)).statusCode, 200);
});
