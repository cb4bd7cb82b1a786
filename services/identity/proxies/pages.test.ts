// The pages of proxies and guardians (decision L5, docs/adr/0074). Both sides see, accept and end; administrators set
// guardians. Also tested: what a form of another website, another patient and a hostile text get.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { DAY_MS } from '#lib/clock.ts';
import { ADMIN, handClock, startIdentity } from '#test/support/identity/identity.ts';
import { type IdentityBrowser, openBrowser } from '#test/support/identity/identity-browser.ts';
import {
  makePatient,
  makeProfessional,
  nextEmail,
  PASSWORD,
  personnummerOf,
} from '#test/support/identity/identity-people.ts';

const clock = handClock();
const identity = await startIdentity({ after }, { clock });
const { app } = identity;
const inDays = (days: number) => new Date(clock.now() + days * DAY_MS).toISOString().slice(0, 10);
const YOUNG = Math.floor((clock.now() - 8 * 365 * DAY_MS - Date.UTC(1960, 0, 1)) / DAY_MS) * 1000;

async function makePerson(name: string, personnummer?: string) {
  const made = personnummer === undefined ? await makePatient(identity) : await makeChild(personnummer);
  const payload = { first_name: name, last_name: 'Ek' };
  await app.inject({ method: 'PATCH', url: '/api/auth/account', headers: made.headers, payload });
  return { ...made, browser: await openBrowser(identity, made.email) };
}

async function makeChild(personnummer: string) {
  const { organisation_guid } = await makePatient(identity);
  const payload = { email: nextEmail(), password: PASSWORD, personnummer, organisation_guid };
  const answer = await app.inject({ method: 'POST', url: '/api/patient/register', payload });
  assert.equal(answer.statusCode, 201, answer.body);
  return { ...payload, answer: answer.json(), headers: await identity.signIn(payload.email, PASSWORD) };
}

/** What a screen reader says of the page, without its tags. */
const textOf = (body: string) =>
  body
    .replace(/<style>.*?<\/style>/s, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');
const guidOf = (body: string) => /name="proxy_guid" value="([^"]+)"/.exec(body)?.[1] ?? '';
const show = async (browser: IdentityBrowser, url = '/proxies') => {
  const answer = await browser.get(url);
  assert.equal(answer.statusCode, 200, answer.body);
  assert.equal(answer.headers['cache-control'], 'no-store');
  return answer.body;
};

test('a patient names a proxy until a day; the proxy sees for whom, accepts, and either ends it', async () => {
  const [astrid, bertil] = [await makePerson('Astrid'), await makePerson('Bertil')];
  assert.match(textOf(await show(astrid.browser)), /You have no proxies\. .* You are nobody’s proxy\./);
  const form = { whom: ` ${bertil.email} `, may: 'act', until: inDays(30) };
  const named = await astrid.browser.post('/proxies', form);
  assert.deepEqual([named.statusCode, named.headers.location], [303, 'proxies?lang=en&done=isNamed']);
  const given = await show(astrid.browser, '/proxies?done=isNamed');
  assert.match(textOf(given), /The invitation is sent/);
  assert.match(textOf(given), new RegExp(`${bertil.email} may read and report, has not answered, until and including`));
  assert.doesNotMatch(given, /Bertil/, 'who it is is not shown yet');
  const received = await show(bertil.browser);
  assert.match(textOf(received), /Astrid Ek invites you, may read and report, until and including/);
  const proxy_guid = guidOf(received);
  const stranger = await makePerson('Cecilia');
  for (const act of ['accept', 'end'])
    assert.equal((await stranger.browser.post(`/proxies/${act}`, { proxy_guid })).statusCode, 404, act);
  const accepted = await bertil.browser.post('/proxies/accept', { proxy_guid });
  assert.deepEqual([accepted.statusCode, accepted.headers.location], [303, '../proxies?lang=en&done=isAccepted']);
  assert.match(textOf(await show(astrid.browser)), /Bertil Ek may read and report, until/);
  const ended = await bertil.browser.post('/proxies/end', { proxy_guid });
  assert.equal(ended.headers.location, '../proxies?lang=en&done=isEnded');
  for (const { browser } of [astrid, bertil]) {
    const body = await show(browser);
    assert.match(textOf(body), /ended \d/);
    assert.equal(guidOf(body), '', 'there is nothing more to end');
  }
  const late = await bertil.browser.post('/proxies/accept', { proxy_guid });
  assert.equal(late.statusCode, 409);
  assert.match(late.body, /role="alert">The invitation has been withdrawn/);
});

test('errors are at their fields, and what was typed stays; who exists is not disclosed', async () => {
  const { browser } = await makePerson('David');
  const empty = await browser.post('/proxies', { whom: '', may: 'everything', until: '' });
  assert.equal(empty.statusCode, 400);
  for (const field of ['whom', 'may', 'until']) assert.match(empty.body, new RegExp(`id="${field}-error"`), field);
  for (const until of ['2027-02-31', '0000-00-00', '9999-12-31', '+275760-09-14', 'tomorrow', inDays(-1)]) {
    const refused = await browser.post('/proxies', { whom: 'a@example.org', may: 'read', until });
    assert.equal(refused.statusCode, 400, until);
    assert.match(refused.body, /id="until-error">Enter a day/, until);
  }
  const hostile = '"><script>alert(1)</script>@x';
  const refused = await browser.post('/proxies', { whom: hostile, may: 'read', until: inDays(3) });
  assert.equal(refused.statusCode, 400);
  assert.doesNotMatch(refused.body, /<script/);
  assert.match(refused.body, /value="&quot;&gt;&lt;script&gt;/);
  const answers = [];
  for (const whom of [(await makePerson('Eva')).email, nextEmail()])
    answers.push((await browser.post('/proxies', { whom, may: 'read', until: inDays(3) })).statusCode);
  assert.deepEqual(answers, [303, 303]);
  assert.match(textOf(await show(browser)), /has not answered.*has not answered/);
  const swedish = await browser.get('/proxies?lang=sv');
  assert.match(swedish.body, /<html lang="sv">.*<h1>Ombud<\/h1>/s);
});

test('a hostile name is shown as text; a form of another website does nothing; without a session one is led back', async () => {
  const mallory = await makePerson('<img src=x onerror=alert(1)>');
  const victim = await makePerson('Frida');
  await mallory.browser.post('/proxies', { whom: victim.email, may: 'read', until: inDays(3) });
  const body = await show(victim.browser);
  assert.doesNotMatch(body, /<img/);
  assert.match(body, /aria-label="Accept: &lt;img src=x onerror=alert\(1\)&gt; Ek"/);
  const proxy_guid = guidOf(body);
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': '', origin: 'https://evil.example' },
  ]) {
    for (const path of [
      '/proxies',
      '/proxies/accept',
      '/proxies/end',
      '/guardians/find',
      '/guardians/set',
      '/guardians/end',
    ])
      assert.equal((await victim.browser.post(path, { proxy_guid }, headers)).statusCode, 403, path);
  }
  assert.equal(guidOf(await show(victim.browser)), proxy_guid, 'nothing has changed');
  victim.browser.jar.clear();
  const out = await victim.browser.post('/proxies/accept', { proxy_guid });
  assert.equal(out.statusCode, 401);
  assert.match(out.body, /return_to=%2Fidentity%2Fproxies%3Flang%3Den/);
});

test('an administrator finds a child by its number, sets and ends guardians; nobody else opens the page', async () => {
  const child = await makePerson('Gunnar', personnummerOf(YOUNG + 1));
  const guardian = await makePerson('Hanna');
  const admin = await openBrowser(identity, ADMIN.email, ADMIN.password);
  for (const { browser } of [guardian, child]) assert.equal((await browser.get('/guardians')).statusCode, 403);
  const { email } = await makeProfessional(identity, ['planning']);
  const nurse = await openBrowser(identity, email);
  for (const path of ['/guardians', '/proxies']) assert.equal((await nurse.get(path)).statusCode, 403, path);
  assert.equal((await nurse.post('/guardians/find', { child: child.personnummer })).statusCode, 403);
  assert.match(await show(admin, '/account'), /href="guardians\?lang=en"/);
  for (const wrong of ['', '12', '19121212-1212']) {
    const refused = await admin.post('/guardians/find', { child: wrong });
    assert.equal(refused.statusCode, 400, wrong);
    assert.match(refused.body, /id="child-error"/);
  }
  const found = await admin.post('/guardians/find', { child: child.personnummer });
  const guid = child.answer.patient_guid;
  assert.equal(found.headers.location, `../guardians?patient=${guid}&lang=en`, 'no number is in an address');
  const page = `/guardians?patient=${guid}`;
  assert.match(textOf(await show(admin, page)), /Guardians of Gunnar Ek No guardian is set/);
  const minor = await admin.post('/guardians/set', { patient: guid, guardian: child.personnummer });
  assert.equal(minor.statusCode, 422);
  assert.match(minor.body, /id="guardian-error">The number is not right, or not that of a registered person/);
  const set = await admin.post('/guardians/set', { patient: guid, guardian: guardian.personnummer });
  assert.deepEqual([set.statusCode, set.headers.location], [303, `..${page}&lang=en&done=isSet`]);
  const body = await show(admin, `${page}&done=isSet`);
  assert.match(textOf(body), /The guardian is set\. .*Hanna Ek until and including/);
  assert.match(textOf(await show(guardian.browser)), /Gunnar Ek as a guardian, may read and report, until/);
  const own = await show(child.browser);
  assert.match(textOf(own), /Hanna Ek guardian, set by an administrator, until/);
  assert.equal(guidOf(own), '', 'a child ends no guardian');
  const refused = await child.browser.post('/proxies', { whom: guardian.email, may: 'read', until: inDays(3) });
  assert.equal(refused.statusCode, 403);
  assert.match(refused.body, /Who is under 13 names no proxy/);
  const ended = await admin.post('/guardians/end', { patient: guid, proxy_guid: guidOf(body) });
  assert.equal(ended.headers.location, `..${page}&lang=en&done=isEnded`);
  assert.match(textOf(await show(admin, page)), /No guardian is set\. Hanna Ek ended/);
  assert.equal((await admin.get('/guardians?patient=%22%3E%3Cscript%3E')).statusCode, 404);
});

test('an invitation that was declined looks as one that nobody has received, whatever the patient tries', async () => {
  const [ingrid, johan] = [await makePerson('Ingrid'), await makePerson('Johan')];
  const unknown = nextEmail();
  for (const whom of [johan.email, unknown])
    await ingrid.browser.post('/proxies', { whom, may: 'read', until: inDays(3) });
  await johan.browser.post('/proxies/end', { proxy_guid: guidOf(await show(johan.browser)) });
  const { given } = (await app.inject({ url: '/api/patient/proxies', headers: ingrid.headers })).json();
  const shape = (proxy: object) => ({ ...proxy, proxy_guid: '', named: '', created_at: '', ended_at: '' });
  assert.deepEqual(shape(given[0]), shape(given[1]));
  const ended = [];
  for (const { proxy_guid } of given) {
    const url = `/api/patient/proxies/${proxy_guid}`;
    ended.push(shape((await app.inject({ method: 'DELETE', url, headers: ingrid.headers })).json()));
  }
  assert.deepEqual(ended[0], ended[1]);
  for (let count = 0; count < 19; count += 1) {
    const again = await ingrid.browser.post('/proxies', { whom: nextEmail(), may: 'read', until: inDays(3) });
    assert.equal(again.statusCode, 303);
  }
  await ingrid.browser.post('/proxies', { whom: johan.email, may: 'read', until: inDays(3) });
  await johan.browser.post('/proxies/end', { proxy_guid: guidOf(await show(johan.browser)) });
  const full = await ingrid.browser.post('/proxies', { whom: unknown, may: 'read', until: inDays(3) });
  assert.equal(full.statusCode, 409, 'one that was declined still counts');
  assert.match(full.body, /You have invited twenty already/);
});
