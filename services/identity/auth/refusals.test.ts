// A sign-in that is refused because the account is no member of the tenant is a failed sign-in in the audit log, by
// whatever way it came (docs/adr/0137).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { handClock, REDIRECT, startIdentity } from '#test/support/identity/identity.ts';
import { openBrowser } from '#test/support/identity/identity-browser.ts';
import { codeFor, exchange, signInFor } from '#test/support/identity/identity-clients.ts';
import { makeProfessional, PASSWORD } from '#test/support/identity/identity-people.ts';
import { atTenant, TENANTS } from '#test/support/identity/identity-tenants.ts';
import { makeGuarded } from '#test/support/identity/totp.ts';

const clock = handClock();
const identity = await startIdentity({ after }, { clock, tenants: TENANTS });
const { app, database } = identity;
const next = `${REDIRECT}callback`;

/** The failed sign-ins of the user, as the audit log has them. */
async function refusalsOf(userGuid: string): Promise<{ total: number; details: string[] }> {
  const headers = await identity.asAdmin();
  const url = `/api/admin/audit?event=user.sign-in&outcome=failure&user_guid=${userGuid}`;
  const items: { detail: string; subject: { user_guid: string } | null }[] = (
    await app.inject({ url, headers })
  ).json();
  const about = items.filter(({ subject }) => subject?.user_guid === userGuid);
  return { total: about.length, details: [...new Set(about.map(({ detail }) => detail))] };
}

const admit = (userGuid: string, tenant: string) =>
  database.query('INSERT INTO tenant_member (user_guid, tenant, added_at) VALUES ($1, $2, now())', [userGuid, tenant]);

const post = (url: string, payload: object) => app.inject({ method: 'POST', url, payload });

test('with a password: for a token, for a code, and at the page', async () => {
  const { email, userGuid } = await makeProfessional(identity);
  await atTenant('north', async () => {
    assert.equal((await post('/api/auth/login', { email, password: PASSWORD })).statusCode, 403);
    assert.equal((await signInFor(identity, { email, password: PASSWORD, next })).statusCode, 403);
    const form = {
      method: 'POST',
      url: '/api/auth/login',
      headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ email, password: PASSWORD, next }).toString(),
    } as const;
    assert.equal((await app.inject(form)).statusCode, 403);
  });
  assert.deepEqual(await refusalsOf(userGuid), { total: 3, details: ['no member of tenant north'] });
});

test('with a second factor, after its code', async () => {
  const { email, userGuid, codes } = await makeGuarded(identity, clock);
  await atTenant('north', async () => {
    const { challenge } = (await post('/api/auth/login', { email, password: PASSWORD })).json();
    const answer = await post('/api/auth/login/second-factor', { challenge, code: codes[0] });
    assert.equal(answer.statusCode, 403, answer.body);
  });
  assert.deepEqual(await refusalsOf(userGuid), { total: 1, details: ['no member of tenant north'] });
});

test('by the session of a browser, which stays, and by a code of before the membership ended', async () => {
  const { email, userGuid } = await makeProfessional(identity);
  const browser = await openBrowser(identity, email);
  const visit = () => browser.get(`/login?${new URLSearchParams({ next })}`);
  assert.equal((await atTenant('west', visit)).statusCode, 403);
  assert.deepEqual(await refusalsOf(userGuid), { total: 1, details: ['no member of tenant west'] });
  await admit(userGuid, 'north');
  const code = await atTenant('north', () => codeFor(identity, { email, password: PASSWORD, next }));
  await database.query('DELETE FROM tenant_member WHERE user_guid = $1', [userGuid]);
  const exchanged = await atTenant('north', () => exchange(identity, { code, next }));
  assert.equal(exchanged.statusCode, 403, exchanged.body);
  const { total, details } = await refusalsOf(userGuid);
  assert.deepEqual([total, details.toSorted()], [2, ['no member of tenant north', 'no member of tenant west']]);
});

test('at the default tenant, too; a member is not refused', async () => {
  const { email, userGuid } = await makeProfessional(identity);
  await admit(userGuid, 'north');
  assert.equal((await post('/api/auth/login', { email, password: PASSWORD })).statusCode, 403);
  const inNorth = await atTenant('north', () => post('/api/auth/login', { email, password: PASSWORD }));
  assert.equal(inNorth.statusCode, 200, inNorth.body);
  assert.deepEqual(await refusalsOf(userGuid), { total: 1, details: ['no member of tenant default'] });
});
