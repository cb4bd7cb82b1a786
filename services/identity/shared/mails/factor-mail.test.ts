// The owner of an account gets a mail when its second factor is turned on, replaced, turned off, or taken away by an
// administrator.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { lastFirst } from '#test/support/hooks.ts';
import { handClock, startIdentity } from '#test/support/identity/identity.ts';
import { PASSWORD } from '#test/support/identity/identity-people.ts';
import { codeAt, makeGuarded } from '#test/support/identity/totp.ts';
import { startMailServer } from '#test/support/mail.ts';

const hooks = lastFirst({ after });
const mails = await startMailServer(hooks);
const clock = handClock();
const identity = await startIdentity(hooks, { clock, sendMail: mails.send });
const { app } = identity;

test('a mail for each change, in both languages, without a secret or a code', async () => {
  const { email, headers, codes, secret, recoveryCodes } = await makeGuarded(identity, clock);
  const on = await mails.mailTo(email, /påslagen \/ Two-step verification at Kedja is on/);
  assert.match(on.body, /turned on/);
  const payload = { current_password: PASSWORD, code: codes[0] };
  const off = await app.inject({ method: 'POST', url: '/api/auth/second-factor/disable', headers, payload });
  assert.equal(off.statusCode, 200, off.body);
  assert.match((await mails.mailTo(email, /is off/)).body, /turned off/);
  for (const { raw } of mails.taken)
    for (const text of [secret, ...recoveryCodes]) assert.ok(!raw.includes(text), 'no secret');
});

test('another app in place of the one before is a mail of its own', async () => {
  const { email, headers, codes } = await makeGuarded(identity, clock);
  const post = (path: string, payload: object) =>
    app.inject({ method: 'POST', url: `/api/auth/second-factor${path}`, headers, payload });
  const { secret } = (await post('', { current_password: PASSWORD, code: codes[0] })).json();
  const confirmed = await post('/confirm', { code: codeAt(secret, clock.now()) });
  assert.equal(confirmed.statusCode, 200, confirmed.body);
  const { body, raw } = await mails.mailTo(email, /är bytt \/ The app of two-step verification at Kedja is replaced/);
  assert.match(body, /Codes of the former app are no longer valid, nor are earlier recovery codes/);
  for (const text of [secret, ...confirmed.json().recovery_codes]) assert.ok(!raw.includes(text), 'no secret');
});

test('what an administrator takes away, the owner learns of', async () => {
  const { email, userGuid } = await makeGuarded(identity, clock);
  const url = `/api/admin/users/${userGuid}/second-factor`;
  const taken = await app.inject({ method: 'DELETE', url, headers: await identity.asAdmin() });
  assert.equal(taken.statusCode, 200, taken.body);
  assert.match((await mails.mailTo(email, /is off/)).body, /En administratör har tagit bort/);
});
