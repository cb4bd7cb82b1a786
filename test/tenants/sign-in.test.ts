// One sign-in for the host names of all tenants (docs/adr/0151): a browser is asked once, at the public origin, and
// signing out at any host ends it at all of them.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { lastFirst } from '#test/support/hooks.ts';
import { call, promptly } from '#test/support/http.ts';
import { makeVisitor, type Seen, type WebVisitor } from '#test/support/https/web-visitor.ts';
import { codesFrom } from '#test/support/identity/totp.ts';
import { SENDER, startMailServer } from '#test/support/mail.ts';
import { ADMIN } from '#test/support/system/whole-system.ts';
import {
  isAsked,
  makePatientOf,
  pageOf,
  SIGN_IN,
  SIGNED_IN,
  signIn,
  startHostsSystem,
  statusOf,
} from './hosts-system.ts';
import { succeed } from './tenant-system.ts';

const hooks = lastFirst({ after });
const mail = await startMailServer(hooks);
const { system, PUBLIC, NORTH, NORTHERN, SOUTH } = await startHostsSystem(hooks, {
  KEDJA_SMTP_URL: mail.url,
  KEDJA_MAIL_FROM: SENDER,
});
const makePatient = () => makePatientOf(system, 'north');

const OWN = { 'sec-fetch-site': 'same-origin' };

/** The first link of a page whose address contains the text. */
function linkIn({ body, url }: Seen, part: string): string {
  const links = [...body.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));
  return new URL(links.find((href) => href.includes(part)) ?? `#no-link-with-${part}`, url).href;
}

const consoleStatus = (visitor: WebVisitor) =>
  statusOf(visitor, `${PUBLIC}/identity/api/auth/me`, { 'kedja-console': '1', ...OWN });

test('a sign-in that begins at a tenant’s host leads to the public origin and back', async () => {
  const visitor = makeVisitor();
  const asked = await visitor.open(`${NORTH}${SIGN_IN}`);
  assert.equal(pageOf(asked), `200 ${PUBLIC}/identity/t/north/login`);
  assert.equal(asked.url.searchParams.get('next'), `${NORTH}/engine/auth/callback`);
  assert.equal(asked.url.searchParams.get('lang'), 'en', 'in the language of the visitor');
  assert.match(String(asked.headers['content-security-policy']), new RegExp(`form-action 'self' ${NORTH}[; ]`));
  const back = await visitor.submit(asked, ADMIN);
  assert.equal(pageOf(back), `200 ${NORTH}${SIGNED_IN}`);
  assert.match(back.body, /This browser is signed in/);
  assert.deepEqual([...(visitor.jar.get('kedja.example.test')?.keys() ?? [])], ['__Host-kedja-session']);
  assert.deepEqual([...(visitor.jar.get('north.example.test')?.keys() ?? [])], ['__Host-kedja-engine.north']);
});

test('one sign-in is enough for every host, path, service and the console, whichever is first', async () => {
  const places = {
    north: [`${NORTH}${SIGN_IN}`, `${NORTH}${SIGNED_IN}`, `${NORTH}/engine/api/v1/Patient`],
    dispatch: [`${NORTH}/dispatch/auth/login`, `${NORTH}/dispatch/auth/session`, `${NORTH}/dispatch/api/v1/Patient`],
    south: [`${SOUTH}${SIGN_IN}`, `${SOUTH}${SIGNED_IN}`, `${SOUTH}/engine/api/v1/Patient`],
    // The host that the address names first is the one that a tenant is known by.
    northern: [`${NORTHERN}${SIGN_IN}`, `${NORTH}${SIGNED_IN}`, `${NORTH}/engine/api/v1/Patient`],
    west: [
      `${PUBLIC}/engine/t/west/auth/login`,
      `${PUBLIC}/engine/t/west/auth/session`,
      `${PUBLIC}/engine/t/west/api/v1/Patient`,
    ],
    default: [`${PUBLIC}${SIGN_IN}`, `${PUBLIC}${SIGNED_IN}`, `${PUBLIC}/engine/api/v1/Patient`],
    console: [`${PUBLIC}/auth/login?page=login&lang=en&return_to=/accessibility`, `${PUBLIC}/accessibility`, undefined],
  } as const;
  for (const first of ['north', 'console'] as const) {
    const visitor = makeVisitor();
    const back = await signIn(visitor, places[first][0]);
    assert.equal(pageOf(back), `200 ${places[first][1]}`);
    for (const [name, [begin, end, record]] of Object.entries(places)) {
      const passed = await visitor.open(begin);
      assert.equal(pageOf(passed), `200 ${end}`, `${name} after ${first}`);
      if (record !== undefined) assert.equal(await statusOf(visitor, record), 200, name);
    }
    assert.equal(await consoleStatus(visitor), 200);
    const { body } = await visitor.open(`${PUBLIC}/identity/session?lang=en`);
    assert.match(body, new RegExp(`signed in as <strong>${ADMIN.email}`));
  }
});

test('signing out at any host ends the session at all of them', async () => {
  const records = [
    `${NORTH}/engine/api/v1/Patient`,
    `${SOUTH}/dispatch/api/v1/Patient`,
    `${PUBLIC}/engine/api/v1/Patient`,
  ];
  const ends: readonly ((visitor: WebVisitor) => Promise<Seen>)[] = [
    async (visitor) => visitor.submit(await visitor.open(`${NORTH}${SIGNED_IN}?lang=en`)),
    async (visitor) => visitor.submit(await visitor.open(`${SOUTH}/dispatch/auth/session?lang=en`)),
    (visitor) => visitor.open(`${PUBLIC}/auth/logout`, { form: { lang: 'en' }, headers: OWN }),
    async (visitor) => visitor.submit(await visitor.open(`${PUBLIC}/identity/session?lang=en`)),
    // By way of a tenant's host, too.
    async (visitor) => visitor.submit(await visitor.open(`${NORTH}/identity/session?lang=en`)),
  ];
  for (const end of ends) {
    const visitor = makeVisitor();
    await signIn(visitor, `${NORTH}${SIGN_IN}`);
    for (const begin of [`${SOUTH}/dispatch/auth/login`, `${PUBLIC}${SIGN_IN}`, `${PUBLIC}/auth/login`])
      assert.ok(!isAsked(await visitor.open(begin)));
    const copy = new Map([...visitor.jar].map(([host, cookies]) => [host, new Map(cookies)]));
    for (const record of records) assert.equal(await statusOf(visitor, record), 200);
    assert.equal((await end(visitor)).status, 200);
    // A copy of the cookies opens as little as what the browser has left.
    for (const [host, cookies] of copy) visitor.jar.set(host, cookies);
    for (const record of records)
      await promptly(
        `${record} is closed`,
        async () => ((await statusOf(visitor, record)) === 401 ? true : undefined),
        2_000,
      );
    await promptly('the console is', async () => ((await consoleStatus(visitor)) === 401 ? true : undefined), 2_000);
    for (const begin of [`${NORTH}${SIGN_IN}`, `${SOUTH}${SIGN_IN}`, `${PUBLIC}${SIGN_IN}`])
      assert.ok(isAsked(await visitor.open(begin)), begin);
  }
});

test('a page of identity at a tenant’s host is the same page at the public origin', async () => {
  const visitor = makeVisitor();
  for (const page of ['login', 'forgot-password', 'reset-password', 'change-password', 'register', 'access-request']) {
    const query = `lang=en&next=${encodeURIComponent(`${NORTH}/engine/auth/callback`)}&state=%22a%20b%22`;
    const seen = await visitor.open(`${NORTHERN}/identity/${page}?${query}`);
    assert.equal(`${seen.status} ${seen.url.href}`, `200 ${PUBLIC}/identity/t/north/${page}?${query}`);
    assert.equal(seen.way.length, 2);
  }
  for (const page of ['session', 'account', 'guardians']) {
    const seen = await visitor.open(`${SOUTH}/identity/${page}?lang=sv`);
    assert.equal(seen.way[1], `${PUBLIC}/identity/t/south/${page}?lang=sv`);
  }
  assert.equal(visitor.jar.get('north.example.test'), undefined, 'no cookie before');
  for (const address of ['api/auth/me', '.well-known/jwks.json', 'fhir/metadata', 'docs/', 'nothing'])
    assert.equal((await visitor.open(`${NORTH}/identity/${address}`)).way.length, 1, address);
});

test('two tabs at two hosts, and the way back through a sign-in that is done', async () => {
  const visitor = makeVisitor();
  const [first, second] = [await visitor.open(`${NORTH}${SIGN_IN}`), await visitor.open(`${SOUTH}${SIGN_IN}`)];
  assert.equal(pageOf(await visitor.submit(first, ADMIN)), `200 ${NORTH}${SIGNED_IN}`);
  assert.equal(pageOf(await visitor.submit(second, ADMIN)), `200 ${SOUTH}${SIGNED_IN}`);
  for (const origin of [NORTH, SOUTH]) assert.equal(await statusOf(visitor, `${origin}/engine/api/v1/Patient`), 200);
  for (const page of [first, second]) {
    const back = await visitor.open(page.url.href);
    assert.equal(pageOf(back), `200 ${new URL(page.url.searchParams.get('next') ?? '').origin}${SIGNED_IN}`);
    assert.match(back.body, /This browser is signed in/);
  }
});

test('what is wrong in the form is said at the form, and the other pages lead back to it', async () => {
  const visitor = makeVisitor();
  const asked = await visitor.open(`${NORTH}/engine/auth/login?lang=sv&return_to=/engine/docs/`);
  const empty = await visitor.submit(asked, { email: ADMIN.email, password: '' });
  assert.equal(empty.status, 400);
  assert.match(empty.body, /Fyll i ditt lösenord/);
  const page = await visitor.open(linkIn(asked, 'forgot-password'));
  assert.equal(page.url.pathname, '/identity/t/north/forgot-password');
  const who = await makePatient();
  const mine = await call(`${system.identity}/t/north/api/auth/login`, { json: who });
  const issued = await call(`${system.identity}/api/admin/users/${mine.body.user_guid}/password-reset`, {
    method: 'POST',
    token: await system.signIn(),
  });
  const password = 'four-other-small-words-27';
  const reset = await visitor.open(linkIn(page, 'reset-password'));
  const done = await visitor.submit(reset, {
    token: issued.body.code,
    new_password: password,
    new_password_again: password,
  });
  assert.equal(done.status, 200, done.body);
  const form = await visitor.open(linkIn(done, 'login?'));
  assert.equal(pageOf(form), `200 ${PUBLIC}/identity/t/north/login`);
  assert.equal(form.url.searchParams.get('lang'), 'sv');
  const back = await visitor.submit(form, { email: who.email, password });
  assert.equal(pageOf(back), `200 ${NORTH}/engine/docs/`);
});

test('the link of a forgotten password leads to the tenant where it was asked for', async () => {
  const visitor = makeVisitor();
  const who = await makePatient();
  const forgot = await visitor.open(`${NORTH}/identity/forgot-password?lang=en`);
  assert.equal((await visitor.submit(forgot, { email: who.email })).status, 200);
  const { body } = await mail.mailTo(who.email);
  const link = /https:\S+reset-password\S+/.exec(body)?.[0] ?? '';
  assert.ok(link.startsWith(`${PUBLIC}/identity/t/north/reset-password?token=`), body);
  const password = 'four-other-small-words-27';
  const form = await visitor.open(link);
  const done = await visitor.submit(form, { new_password: password, new_password_again: password });
  const back = await signIn(visitor, linkIn(done, 'auth/login'), { email: who.email, password });
  assert.equal(pageOf(back), `200 ${NORTH}${SIGNED_IN}`);
});

test('a page of one’s own leads a member of one tenant to the sign-in of that tenant, and back', async () => {
  const who = await makePatient();
  await succeed(system.tenant('admit', 'west', who.email));
  for (const [begin, name, home] of [
    [`${NORTH}/identity/account?lang=en`, 'north', `${NORTH}${SIGNED_IN}`],
    [`${PUBLIC}/identity/t/west/account?lang=en`, 'west', `${PUBLIC}/engine/t/west/auth/session`],
  ] as const) {
    const visitor = makeVisitor();
    const first = await visitor.open(begin);
    assert.equal(pageOf(first), `401 ${PUBLIC}/identity/t/${name}/account`);
    const back = await signIn(visitor, linkIn(first, 'auth/login'), who);
    assert.equal(pageOf(back), `200 ${PUBLIC}/identity/t/${name}/account`);
    assert.match(back.body, new RegExp(who.email));
    assert.equal(pageOf(await visitor.open(linkIn(back, 'auth/login'))), `200 ${home}`, 'the link home');
  }
});

test('a second factor is asked for once', async () => {
  const who = await makePatient();
  const signed = await call(`${system.identity}/t/north/api/auth/login`, { json: who });
  const options = { token: signed.body.token };
  const begun = await call(`${system.identity}/api/auth/second-factor`, {
    ...options,
    json: { current_password: who.password },
  });
  const [earlier, now, later] = codesFrom(begun.body.secret);
  await call(`${system.identity}/api/auth/second-factor/confirm`, { ...options, json: { code: earlier } });
  await succeed(system.tenant('admit', 'south', who.email));
  const visitor = makeVisitor();
  const asked = await signIn(visitor, `${NORTH}${SIGN_IN}`, who);
  assert.match(asked.body, /name="code"/);
  assert.equal(asked.url.origin, PUBLIC);
  let back = await visitor.submit(asked, { code: now });
  // A step of the clock may have ended since.
  if (back.status !== 200) back = await visitor.submit(back, { code: later });
  assert.equal(pageOf(back), `200 ${NORTH}${SIGNED_IN}`);
  assert.equal(pageOf(await visitor.open(`${SOUTH}${SIGN_IN}`)), `200 ${SOUTH}${SIGNED_IN}`);
});
