// The registration pages: the choice of a care unit, errors at their fields, and the same effect as POST
// /api/patient/register.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { BROWSER, errorsOf, postForm } from '#test/support/dispatch/form.ts';
import { startIdentity } from '#test/support/identity/identity.ts';
import {
  auditedEvents,
  makeOrganisation,
  makePatient,
  PASSWORD,
  registration,
} from '#test/support/identity/identity-people.ts';

const identity = await startIdentity({ after });
const { app } = identity;
const NEXT = 'https://app.example.org/sso/callback';
const organisation = await makeOrganisation(identity);

function form(changes: Record<string, string> = {}) {
  return {
    lang: 'en',
    ...registration(organisation),
    password_again: PASSWORD,
    ...changes,
  };
}

const page = (query: string) => app.inject({ url: `/register?${query}`, headers: BROWSER });
const guidsIn = (body: string) => [...body.matchAll(/organisation_guid=([0-9a-f-]{36})/g)].map(([, guid]) => guid);

test('of a thousand organisations twenty are shown, and a search finds the others by any part of the name', async () => {
  await identity.database.query(
    `INSERT INTO organisation (organisation_guid, name, created_at)
     SELECT gen_random_uuid(), 'Unit ' || n || CASE WHEN n = 777 THEN ' Ängens 100% %_\\' ELSE '' END, now()
     FROM generate_series(1, 1000) AS n`,
  );
  const first = await page('lang=en');
  assert.equal(guidsIn(first.body).length, 20);
  assert.match(first.body, /Showing 20 of 1001/);
  for (const search of ['ÄNGENS', ' 777', '%_\\']) {
    const found = await page(new URLSearchParams({ lang: 'en', search }).toString());
    assert.equal(guidsIn(found.body).length, 1, search);
  }
  const nothing = await page('lang=en&search=%3Cb%3E');
  assert.deepEqual(guidsIn(nothing.body), []);
  assert.match(nothing.body, /Nothing matches “&lt;b&gt;”/);
});

test('a form with all that is needed registers the patient, and the page after it leads on to the sign-in', async () => {
  const sent = form({ next: NEXT, state: 'a b', response_mode: 'code' });
  const answer = await postForm(app, '/register', sent);
  assert.equal(answer.statusCode, 303);
  const done = new URL(String(answer.headers.location), 'http://x');
  assert.equal(done.pathname, '/register/done');
  const carried = Object.fromEntries(done.searchParams);
  assert.deepEqual(carried, { lang: 'en', next: NEXT, state: 'a b', response_mode: 'code' });
  const shown = await app.inject({ url: `${done.pathname}${done.search}`, headers: BROWSER });
  const onward = /class="button" href="\.\.\/login\?([^"]+)"/.exec(shown.body)?.[1]?.replaceAll('&amp;', '&');
  // Another user may be signed in in this browser.
  assert.deepEqual(Object.fromEntries(new URLSearchParams(onward)), { ...carried, prompt: 'login' });
  await identity.signIn(sent.email, PASSWORD);
  assert.ok((await auditedEvents(identity)).includes('patient.register'));
});

test('every error is shown at once at its field, in both languages, and everything but passwords is kept', async () => {
  const sent = form({ email: 'no"address', personnummer: '19121212-1213', password: 'password', password_again: 'x' });
  const english = await postForm(app, '/register', sent);
  assert.equal(english.statusCode, 400);
  assert.deepEqual(errorsOf(english.body), {
    email: 'Write an e-mail address like name@example.org.',
    personnummer: 'The number is not right. Write it like 19121212-1212.',
    password:
      'The password is too common, also with digits or signs around it. Several words that do not belong together make a good one.',
    password_again: 'The two passwords differ.',
  });
  assert.match(english.body, /name="email"[^>]* value="no&quot;address"/);
  assert.match(english.body, /name="personnummer"[^>]* value="19121212-1213"/);
  assert.doesNotMatch(english.body, /value="(password|x)"/);
  const swedish = await postForm(app, '/register', { organisation_guid: organisation, lang: 'sv' });
  assert.deepEqual(Object.keys(errorsOf(swedish.body)), ['email', 'personnummer', 'password', 'password_again']);
  assert.match(swedish.body, /<title>Fel: /);
});

test('a taken address or number is reported at its field', async () => {
  const known = await makePatient(identity);
  const email = await postForm(app, '/register', form({ email: known.email.toUpperCase() }));
  assert.deepEqual([email.statusCode, Object.keys(errorsOf(email.body))], [409, ['email']]);
  const number = await postForm(app, '/register', form({ personnummer: known.personnummer }));
  assert.deepEqual([number.statusCode, Object.keys(errorsOf(number.body))], [409, ['personnummer']]);
});

test('a unit that is not there leads back to the choice', async () => {
  for (const guid of ['', 'x', '00000000-0000-7000-8000-00000000dead']) {
    const answer = await postForm(app, '/register', form({ organisation_guid: guid }));
    assert.equal(answer.statusCode, 404);
    assert.match(answer.body, /role="alert">What was chosen is no longer there/);
  }
});

test('a form from another website has no effect; one from our own page or from a program has', async () => {
  for (const site of ['cross-site', 'same-site']) {
    const sent = form();
    const refused = await postForm(app, '/register', sent, { 'sec-fetch-site': site });
    assert.equal(refused.statusCode, 403);
    assert.match(refused.body, /role="alert">The form was sent from another website/);
    await assert.rejects(identity.signIn(sent.email, PASSWORD), /401/);
  }
  for (const site of ['same-origin', 'none']) {
    assert.equal((await postForm(app, '/register', form(), { 'sec-fetch-site': site })).statusCode, 303);
  }
});

test('wrong addresses are answered by a page for browsers and by JSON for programs', async () => {
  for (const [query, status, error] of [
    ['next=https%3A%2F%2Fevil.example%2F', 400, 'invalid_redirect'],
    ['search=%00', 400, 'validation_error'],
    ['strange=1', 400, 'validation_error'],
    [`state=${'x'.repeat(1025)}`, 400, 'validation_error'],
  ] as const) {
    const shown = await page(query);
    assert.deepEqual([shown.statusCode, /<form/.test(shown.body)], [status, false], query);
    assert.match(String(shown.headers['content-type']), /^text\/html/);
    const found = await app.inject(`/register?${query}`);
    assert.deepEqual([found.statusCode, found.json().error], [status, error], query);
  }
  const evil = await postForm(app, '/register', form({ next: 'https://evil.example/' }));
  assert.deepEqual([evil.statusCode, evil.headers.location], [400, undefined]);
});
