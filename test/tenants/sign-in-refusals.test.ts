// What a sign-in across the host names of tenants refuses (docs/adr/0151): strangers to a tenant, foreign addresses and
// host names, codes of another tenant, and callbacks of another browser.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { lastFirst } from '#test/support/hooks.ts';
import { call } from '#test/support/http.ts';
import { makeVisitor, type WebVisitor } from '#test/support/https/web-visitor.ts';
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

const { system, PUBLIC, NORTH, NORTHERN, SOUTH, EAST, port } = await startHostsSystem(lastFirst({ after }));
const makePatient = () => makePatientOf(system, 'north');

test('who is no member of the tenant is told so, and led in no circle', async () => {
  const visitor = makeVisitor();
  await signIn(visitor, `${NORTH}${SIGN_IN}`);
  const refused = await visitor.open(`${EAST}${SIGN_IN}`);
  assert.equal(pageOf(refused), `403 ${PUBLIC}/identity/t/east/login`);
  assert.match(
    refused.body,
    /You are signed in as admin@example\.org, but that account has no access to east\.example\.test/,
  );
  assert.ok(isAsked(refused), 'another account may sign in');
  assert.match(refused.body, /href="session\?lang=en"/);
  const again = await visitor.submit(refused, ADMIN);
  assert.equal(pageOf(again), `403 ${PUBLIC}/identity/t/east/api/auth/login`);
  assert.match(again.body, /This account has no access here/);
  assert.equal(visitor.jar.get('east.example.test')?.size ?? 0, 1, 'the sign-in that has not ended');
  assert.equal(await statusOf(visitor, `${NORTH}/engine/api/v1/Patient`), 200, 'what the browser had stays');
  const stranger = makeVisitor();
  const first = await signIn(stranger, `${EAST}${SIGN_IN}`);
  assert.equal(first.status, 403);
  assert.equal(stranger.jar.get('kedja.example.test')?.size ?? 0, 0, 'no session');
});

test('a member of one tenant alone signs in there, and nowhere else', async () => {
  const visitor = makeVisitor();
  assert.equal(pageOf(await signIn(visitor, `${NORTH}${SIGN_IN}`, await makePatient())), `200 ${NORTH}${SIGNED_IN}`);
  for (const begin of [`${SOUTH}${SIGN_IN}`, `${PUBLIC}${SIGN_IN}`, `${PUBLIC}/auth/login?lang=en`])
    assert.equal((await visitor.open(begin)).status, 403, begin);
});

test('a sign-in leads back to its tenant’s own origins alone', async () => {
  const visitor = makeVisitor();
  const statusFor = async (tenant: string, next: string) =>
    (await visitor.open(`${PUBLIC}/identity${tenant}/login?${new URLSearchParams({ next, lang: 'en' })}`)).status;
  for (const next of [
    `${NORTH}/engine/auth/callback`,
    `${NORTHERN}/anything?a=b`,
    `${NORTH.replace('north', 'NORTH')}/`,
    `${PUBLIC}/x`,
  ])
    assert.equal(await statusFor('/t/north', next), 200, next);
  const foreign = [
    `https://north.example.test/`,
    `https://north.example.test:1${port}/`,
    `http://north.example.test:${port}/`,
    `${NORTH}.evil.test/`,
    `https://north.example.test.evil.test:${port}/`,
    `https://x.north.example.test:${port}/`,
    `https://north.example.test.:${port}/`,
    `https://north.example.test@evil.test:${port}/`,
    `${NORTH}@evil.test/`,
    `${NORTH}\\@evil.test/`,
    `//north.example.test:${port}/`,
    `${NORTH}/../x`,
    `${NORTH}//evil.test`,
    `${NORTH}/#x`,
    SOUTH,
    `${SOUTH}/engine/auth/callback`,
    'javascript:alert(1)',
  ];
  for (const next of foreign) assert.equal(await statusFor('/t/north', next), 400, next);
  for (const tenant of ['', '/t/south', '/t/west'])
    assert.equal(await statusFor(tenant, `${NORTH}/engine/auth/callback`), 400, tenant);
});

test('a host name that is no tenant’s is in no redirect and no cookie, whichever header has it', async () => {
  const visitor = makeVisitor();
  const next = encodeURIComponent(`${PUBLIC}/engine/auth/callback`);
  for (const path of [
    SIGN_IN,
    '/dispatch/t/west/auth/login',
    '/auth/login',
    '/sign-in',
    `/identity/login?next=${next}`,
  ]) {
    for (const headers of [
      { host: 'kedja.evil.test' },
      { host: `north.example.test.evil.test:${port}` },
      { host: `north.example.test:${port}@kedja.evil.test` },
      { 'x-forwarded-host': 'kedja.evil.test' },
      { forwarded: 'host=kedja.evil.test' },
    ]) {
      const until = () => true;
      const seen = await visitor.open(`${PUBLIC}${path}`, { headers, until });
      assert.doesNotMatch(seen.way.slice(1).join(' '), /evil/, `${path} ${JSON.stringify(headers)}`);
    }
  }
});

/** A code for the engine of a tenant, which nobody has exchanged. */
async function codeFor(
  visitor: WebVisitor,
  origin: string,
): Promise<{ readonly callback: URL; readonly jar: WebVisitor['jar'] }> {
  const stopped = await visitor.open(`${origin}${SIGN_IN}`, {
    until: ({ pathname }) => pathname.endsWith('/auth/callback'),
  });
  return { callback: stopped.url, jar: visitor.jar };
}

test('a code of one tenant is refused at every other, and of no use after that', async () => {
  const verifier = 'v'.repeat(43);
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const next = `${NORTH}/engine/auth/callback`;
  const handshake = {
    next,
    response_mode: 'code',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    lang: 'en',
  };
  const visitor = makeVisitor();
  await signIn(visitor, `${SOUTH}${SIGN_IN}`);
  const until = ({ pathname }: URL) => pathname.endsWith('/auth/callback');
  const codeNow = async () => {
    const { url } = await visitor.open(`${PUBLIC}/identity/t/north/login?${new URLSearchParams(handshake)}`, { until });
    return url.searchParams.get('code') ?? '';
  };
  const exchange = (address: string, code: string, expect: number) =>
    call(`${system.identity}${address}/api/auth/token`, { json: { code, next, code_verifier: verifier }, expect });
  for (const other of ['', '/t/south', '/t/west']) {
    const code = await codeNow();
    await exchange(other, code, 401);
    await exchange('/t/north', code, 401);
  }
  await exchange('/t/north', await codeNow(), 200);
});

test('a callback works in the browser that began, at the host where it began', async () => {
  const attacker = makeVisitor();
  await signIn(attacker, `${SOUTH}${SIGN_IN}`);
  const { callback } = await codeFor(attacker, NORTH);
  const victim = makeVisitor();
  const refused = await victim.open(callback.href);
  assert.equal(refused.status, 400);
  assert.equal(victim.jar.get('north.example.test')?.size ?? 0, 0, 'the victim is not signed in as the attacker');
  // At another host with the sign-in's own cookie, as if a cookie could be carried over.
  const moved = new URL(`${SOUTH}${callback.pathname}${callback.search}`);
  attacker.jar.set('south.example.test', new Map(attacker.jar.get('north.example.test')));
  assert.equal((await attacker.open(moved.href)).status, 400);
  const planted = makeVisitor();
  const secret = 'p'.repeat(43);
  planted.jar.set('kedja.example.test', new Map([['__Host-kedja-session', secret]]));
  await signIn(planted, `${NORTH}${SIGN_IN}`);
  assert.notEqual(planted.jar.get('kedja.example.test')?.get('__Host-kedja-session'), secret);
});
