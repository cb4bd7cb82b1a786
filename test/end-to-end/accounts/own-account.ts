// People correct their own account (decision L12): the name, an e-mail address that a code proves, and a second factor
// of their own accord. An administrator takes the factor away when the device is lost.
import assert from 'node:assert/strict';
import { codeAt } from '#test/support/identity/totp.ts';
import { admitProfessional, PASSWORD } from '../accounts.ts';
import { call } from '../call.ts';
import type { Story } from '../context.ts';
import { untilStatus, userOf } from '../people.ts';

const EMAIL = 'sten.rask@example.org';
const NEXT_EMAIL = 'sten.ask@example.org';

export async function peopleCorrectTheirAccount(story: Story): Promise<void> {
  const { addresses, accounts, walk } = story;
  const token = await admitProfessional(addresses, accounts.admin, {
    email: EMAIL,
    name: ['Sten', 'Rask'],
    role: 'nurse',
    organisation: accounts.organisationGuid,
    phases: ['planning'],
  });
  await walk('E6', () => correctsTheName(story, token));
  await walk('E7', () => changesTheAddress(story, token));
  const secret = await walk('E8', () => setsUpSecondFactor(story, token));
  await walk('A3', () => administratorTakesItAway(story, { token, secret }));
}

async function correctsTheName({ addresses, accounts }: Story, token: string): Promise<void> {
  const account = `${addresses.identity}/api/auth/account`;
  const { body } = await call(account, { method: 'PATCH', token, json: { last_name: 'Ask' } });
  assert.deepEqual([body.first_name, body.last_name], ['Sten', 'Ask']);
  const plan = { resourceType: 'CarePlan', status: 'active', intent: 'plan' };
  const about = { ...plan, subject: { reference: `Patient/${accounts.patientGuid}` } };
  await call(`${addresses.dispatch}/CarePlan`, { token, json: about, expect: 201 });
}

async function changesTheAddress({ addresses, mail }: Story, token: string): Promise<void> {
  const { identity } = addresses;
  const asking = { token, json: { new_email: NEXT_EMAIL, current_password: PASSWORD, lang: 'en' } };
  const wrong = { ...asking.json, current_password: 'skogens-roda-stigar-1' };
  await call(`${identity}/api/auth/account/email`, { token, json: wrong, expect: 401 });
  await call(`${identity}/api/auth/account/email`, { ...asking, expect: 202 });
  assert.equal((await call(`${identity}/api/auth/account`, { token })).body.pending_email, NEXT_EMAIL);
  const { body } = await mail.mailTo(NEXT_EMAIL, /Code for your new e-mail address/);
  const code = /[A-Z0-9]{4}(?:-[A-Z0-9]{4})+/.exec(body)?.[0];
  await call(`${identity}/api/auth/account/email/confirm`, { token, json: { email_code: code } });
  await mail.mailTo(EMAIL, /was changed|är bytt/);
  const login = (email: string, expect: number) =>
    call(`${identity}/api/auth/login`, { json: { email, password: PASSWORD }, expect });
  await login(EMAIL, 401);
  await login(NEXT_EMAIL, 200);
}

/** Returns the secret of the authenticator app. */
async function setsUpSecondFactor({ addresses }: Story, token: string): Promise<string> {
  const { identity } = addresses;
  const factor = `${identity}/api/auth/second-factor`;
  const { secret } = (await call(factor, { token, json: { current_password: PASSWORD } })).body;
  const on = await call(`${factor}/confirm`, { token, json: { code: codeAt(secret, Date.now()) } });
  assert.equal(on.body.recovery_codes.length, 10);
  const login = { email: NEXT_EMAIL, password: PASSWORD };
  const { challenge } = (await call(`${identity}/api/auth/login`, { json: login })).body;
  const answer = (code: string, expect: number) =>
    call(`${identity}/api/auth/login/second-factor`, { json: { challenge, code }, expect });
  await answer('000000', 401);
  const signedIn = await answer(on.body.recovery_codes[0], 200);
  await call(`${identity}/api/auth/me`, { token: signedIn.body.token });
  const proof = { current_password: PASSWORD, code: on.body.recovery_codes[1] };
  const { secret: next } = (await call(factor, { token, json: proof })).body;
  await call(`${factor}/confirm`, { token, json: { code: codeAt(next, Date.now()) } });
  return next;
}

/** The device is lost: the administrator takes the factor away, and signs the user out everywhere. */
async function administratorTakesItAway(
  { addresses, accounts }: Story,
  { token, secret }: { readonly token: string; readonly secret: string },
): Promise<void> {
  const { identity, dispatch, engine } = addresses;
  assert.ok(secret.length > 20);
  const user = `${identity}/api/admin/users/${await userOf(addresses, token)}`;
  await call(`${user}/second-factor`, { method: 'DELETE', token: accounts.admin });
  for (const url of [`${dispatch}/CarePlan`, `${engine}/Observation`]) await untilStatus(401, url, { token });
  const login = { json: { email: NEXT_EMAIL, password: PASSWORD } };
  const again = (await call(`${identity}/api/auth/login`, login)).body.token;
  await call(`${dispatch}/CarePlan`, { token: again });
  await call(`${user}/sessions`, { method: 'DELETE', token: accounts.admin });
  for (const url of [`${dispatch}/CarePlan`, `${engine}/Observation`]) await untilStatus(401, url, { token: again });
}
