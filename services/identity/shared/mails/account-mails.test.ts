// The owner of an account gets a mail when its password or its e-mail address is changed, by whatever way.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { lastFirst } from '#test/support/hooks.ts';
import { startIdentity } from '#test/support/identity/identity.ts';
import { makePatient, makeProfessional, nextEmail, PASSWORD } from '#test/support/identity/identity-people.ts';
import { atTenant, TENANTS } from '#test/support/identity/identity-tenants.ts';
import { startMailServer } from '#test/support/mail.ts';

const NEXT = 'another phrase of some length';
const hooks = lastFirst({ after });
const mails = await startMailServer(hooks);
const identity = await startIdentity(hooks, { sendMail: mails.send, tenants: TENANTS });
const { app } = identity;

const mailsTo = (address: string) =>
  mails.taken.filter(({ to, subject }) => to.includes(address) && /changed/.test(subject));

test('a password that its owner changes while signed in: in the language of the request, without the password', async () => {
  const { email, headers } = await makeProfessional(identity);
  const change = (current: string, next: string, language: string) =>
    app.inject({
      method: 'POST',
      url: '/api/auth/change-password',
      headers: { ...headers, 'accept-language': language },
      payload: { current_password: current, new_password: next },
    });
  assert.equal((await change('a wrong one', NEXT, 'en')).statusCode, 401);
  assert.equal((await change(PASSWORD, NEXT, 'en')).statusCode, 200);
  const english = await mails.mailTo(email, /Your password for Kedja was changed/);
  assert.match(english.body, /was changed on \d+ \w+ \d{4} at \d\d:\d\d\./);
  assert.match(english.body, /\nhttps:\/\/kedja\.example\.org\/identity\/forgot-password\?lang=en\n/);
  for (const secret of [PASSWORD, NEXT]) assert.ok(!english.body.includes(secret));
  assert.equal(mailsTo(email).length, 1, 'none of what failed');
  assert.equal((await change(NEXT, PASSWORD, 'sv')).statusCode, 200);
  assert.match(
    (await mails.mailTo(email, /lösenord till Kedja är bytt/)).body,
    /byttes den \d+ \w+ \d{4} kl\. \d\d:\d\d\./,
  );
});

test('a password that is changed on the page, without a session: in the language of the page, with its tenant’s link', async () => {
  const { email } = await makeProfessional(identity);
  const fields = { email, current_password: PASSWORD, new_password: NEXT, new_password_again: NEXT, lang: 'en' };
  const answer = await atTenant('west', () =>
    app.inject({
      method: 'POST',
      url: '/change-password',
      headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(fields).toString(),
    }),
  );
  assert.equal(answer.statusCode, 303, answer.body);
  const { body } = await mails.mailTo(email, /Your password for Kedja was changed/);
  assert.match(body, /\nhttps:\/\/kedja\.example\.org\/identity\/t\/west\/forgot-password\?lang=en\n/);
});

test('an address that an administrator changes: the former one is told, in both languages, and not where it leads', async () => {
  const { email, userGuid } = await makeProfessional(identity);
  const headers = await identity.asAdmin();
  const change = async (payload: object) => {
    const answer = await app.inject({ method: 'PATCH', url: `/api/admin/users/${userGuid}`, headers, payload });
    assert.equal(answer.statusCode, 200, answer.body);
  };
  const next = nextEmail();
  const former = email.replace(/^./, (first) => first.toUpperCase());
  await change({ email: former });
  await change({ first_name: 'Lars' });
  await change({ email: next });
  const { body, to } = await mails.mailTo(former, /är bytt \/ The e-mail address of your account/);
  assert.match(body, /En administratör bytte[\s\S]*An administrator changed/);
  assert.ok(!body.includes(next));
  assert.deepEqual([to, mailsTo(next)], [[former], []]);
  assert.equal(mailsTo(former).length, 1, 'one, of the other address');
});

test('without a mail server all of it is done, too', async () => {
  const silent = await startIdentity(hooks);
  const { email, headers } = await makePatient(silent);
  const answer = await silent.app.inject({
    method: 'POST',
    url: '/api/auth/change-password',
    headers,
    payload: { current_password: 'a long enough phrase', new_password: NEXT },
  });
  assert.equal(answer.statusCode, 200, `${email} ${answer.body}`);
  assert.equal((await silent.database.query('SELECT FROM mail_outbox')).rowCount, 0);
});
