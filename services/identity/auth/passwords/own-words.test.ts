// Password rules wherever identity sets a password: words that others know of the owner, and the minimum length of
// professionals (decision I2).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { BROWSER, postForm } from '#test/support/dispatch/form.ts';
import { startIdentity } from '#test/support/identity/identity.ts';
import { accessRequestBody, makePatient, makeProfessional, PASSWORD } from '#test/support/identity/identity-people.ts';
import { setUpSecondFactor } from '#test/support/identity/totp.ts';

const identity = await startIdentity({ after }, { config: { staffPasswordLength: 15 } });
const { app } = identity;
const SHORT = 'a fine phrase';
const PERSONAL = /must not be made of a name, address or number/;

const post = (url: string, payload: object, headers: Record<string, string> = {}) =>
  app.inject({ method: 'POST', url, payload, headers });

test('a patient registers and changes with no password made of address, personnummer, unit or deployment', async () => {
  const { answer, headers, email, password: _, ...known } = await makePatient(identity);
  const unit = await app.inject({ url: '/api/public/organisations' });
  const { name } = unit
    .json()
    .find((each: { organisation_guid: string }) => each.organisation_guid === known.organisation_guid);
  const [local] = email.split('@');
  const number: string = answer.personnummer;
  for (const password of [email, `${local}!2024`, number, `${number.slice(2, 8)}-${number.slice(8)}`, `${name} 1!`]) {
    const weak = await post('/api/patient/register', { ...known, email, personnummer: number, password });
    assert.deepEqual([weak.statusCode, weak.json().error], [400, 'validation_error'], password);
    assert.match(weak.json().message, PERSONAL, password);
    const change = { current_password: PASSWORD, new_password: password };
    const changed = await post('/api/auth/change-password', change, headers);
    assert.deepEqual([changed.statusCode, changed.json().error], [400, 'invalid_request'], password);
    assert.match(changed.json().message, PERSONAL, password);
  }
  const good = { current_password: PASSWORD, new_password: SHORT };
  assert.equal((await post('/api/auth/change-password', good, headers)).statusCode, 200, 'a patient is no staff');
});

test('the page explains such a password only to a user who knows the present one', async () => {
  const { email } = await makeProfessional(identity);
  const weak = 'Anna Berg anna berg 1985';
  const form = { lang: 'sv', email, new_password: weak, new_password_again: weak };
  const known = await postForm(app, '/change-password', { ...form, current_password: PASSWORD });
  assert.match(known.body, /består av namn, adress eller nummer som hör till dig/);
  const guessed = await postForm(app, '/change-password', { ...form, current_password: 'not the password' });
  assert.equal(guessed.statusCode, 401);
  assert.doesNotMatch(guessed.body, /består av namn/);
});

test('an access request may not have names, address or organisation in the password, and needs the length of staff', async () => {
  const form = await accessRequestBody(identity);
  for (const password of ['Anna.Berg.2024!!', 'BergBergBerg2024', `${form.email}!`]) {
    const weak = await post('/api/public/access-request', { ...form, password });
    assert.deepEqual([weak.statusCode, weak.json().error], [400, 'validation_error'], password);
    assert.match(weak.json().message, PERSONAL);
  }
  const short = await post('/api/public/access-request', { ...form, password: SHORT });
  assert.match(short.json().message, /'password' must have at least 15 characters/);
  const guids = { organisation_guid: form.organisation_guid, chosen_leader_guid: form.chosen_leader_guid };
  const query = new URLSearchParams({ ...guids, lang: 'en' });
  const page = await app.inject({ url: `/access-request?${query}`, headers: BROWSER });
  assert.match(page.body, /At least 15 characters\. Several words/);
});

test('a professional needs the length of staff until there is a second factor, and again before it is given up', async () => {
  const { headers } = await makeProfessional(identity);
  const change = { current_password: PASSWORD, new_password: SHORT };
  const refused = await post('/api/auth/change-password', change, headers);
  assert.deepEqual([refused.statusCode, refused.json().error], [400, 'invalid_request']);
  assert.match(refused.json().message, /'new_password' must have at least 15 characters/);
  const { codes } = await setUpSecondFactor(identity, { headers, password: PASSWORD });
  assert.equal((await post('/api/auth/change-password', change, headers)).statusCode, 200);

  const disable = (password: string, code: string | undefined) =>
    post('/api/auth/second-factor/disable', { current_password: password, code }, headers);
  const alone = await disable(SHORT, codes[0]);
  assert.deepEqual([alone.statusCode, alone.json().error], [409, 'conflict']);
  assert.match(alone.json().message, /at least 15 characters: choose a longer one first/);
  const longer = { current_password: SHORT, new_password: PASSWORD };
  assert.equal((await post('/api/auth/change-password', longer, headers)).statusCode, 200);
  assert.equal((await disable(PASSWORD, codes[1])).statusCode, 200);
});
