// Children without an account (docs/adr/0157): an administrator registers them, guardians act for them, nobody signs in
// as them, and they register themselves once no guardian acts any more.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { DAY_MS } from '#lib/clock.ts';
import { ADMIN, asDispatch, BOTH_SERVICES, handClock, startIdentity } from '#test/support/identity/identity.ts';
import { openBrowser } from '#test/support/identity/identity-browser.ts';
import {
  makeOrganisation,
  makePatient,
  nextEmail,
  nextPersonnummer,
  PASSWORD,
  personnummerOf,
} from '#test/support/identity/identity-people.ts';

const clock = handClock();
const identity = await startIdentity({ after }, { clock, serviceClients: BOTH_SERVICES });
const { app, database } = identity;
const organisation_guid = await makeOrganisation(identity);
const EIGHT_YEARS_AGO = Math.floor((clock.now() - 8 * 365 * DAY_MS - Date.UTC(1960, 0, 1)) / DAY_MS) * 1000;
let born = EIGHT_YEARS_AGO;

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

async function asAdmin(method: Method, url: string, payload?: object) {
  const headers = await identity.asAdmin();
  return app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
}

function childBody(more: object = {}) {
  born += 1;
  const name = { first_name: ' Alva ', last_name: 'Ek' };
  return { personnummer: personnummerOf(born), ...name, organisation_guid, ...more };
}

async function makeChild() {
  const body = childBody();
  const answer = await asAdmin('POST', '/api/admin/patients', body);
  assert.equal(answer.statusCode, 201, answer.body);
  return answer.json();
}

async function register(personnummer: string, email = nextEmail()) {
  const payload = { email, password: PASSWORD, personnummer, organisation_guid };
  const answer = await app.inject({ method: 'POST', url: '/api/patient/register', payload });
  return { email, answer };
}

const guardiansOf = (child: { patient_guid: string }) => `/api/admin/patients/${child.patient_guid}/guardians`;

async function setGuardian(child: { patient_guid: string }) {
  const guardian = await makePatient(identity);
  const guardian_patient_guid = guardian.answer.patient_guid;
  const set = await asAdmin('POST', guardiansOf(child), { guardian_patient_guid });
  assert.equal(set.statusCode, 201, set.body);
  return { ...guardian, proxy: set.json() };
}

async function accessOf(userGuid: string) {
  const answer = await app.inject({ url: `/api/auth/users/${userGuid}/access`, headers: asDispatch });
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json();
}

test('a guardian acts for a child without an account, and for the records that staff have made of it', async () => {
  const body = childBody();
  const record = { record_id: 'child-1', organisation_guid, change: 1, numbers: [body.personnummer] };
  const reported = { method: 'POST', url: '/api/auth/patient-records', headers: asDispatch } as const;
  assert.equal((await app.inject({ ...reported, payload: { records: [record] } })).statusCode, 204);
  const made = await asAdmin('POST', '/api/admin/patients', body);
  assert.equal(made.statusCode, 201, made.body);
  const child = made.json();
  const { personnummer, ...rest } = body;
  assert.deepEqual(child, {
    ...{ user_guid: child.user_guid, patient_guid: child.patient_guid, personnummer },
    ...{ ...rest, first_name: 'Alva' },
  });
  const guardian = await setGuardian(child);
  assert.equal(guardian.proxy.patient_name, 'Alva Ek');
  const { proxy_for } = await accessOf(guardian.answer.user_guid);
  assert.equal(proxy_for.length, 1);
  assert.deepEqual(
    [proxy_for[0].patient_guid, proxy_for[0].may, proxy_for[0].linked_records],
    [child.patient_guid, 'act', { engine: [], dispatch: ['child-1'] }],
  );
  const recorded = 'SELECT FROM audit_event WHERE position($1 in resource) > 0 AND position($2 in resource) > 0';
  const { rows } = await database.query(recorded, ['"patient.create"', child.patient_guid]);
  assert.equal(rows.length, 1);
});

test('who is 13, unknown units, wrong and registered numbers are refused, each by name; of two at once one is made', async () => {
  const refusals = [
    [{ personnummer: nextPersonnummer() }, 422, /13 or older/],
    [{ personnummer: '20200230-1234' }, 400, /'personnummer' must be/],
    [{ first_name: ' ' }, 400, /'first_name'/],
    [{ organisation_guid: '00000000-0000-7000-8000-00000000dead' }, 404, /Organisation/],
  ] as const;
  for (const [more, status, why] of refusals) {
    const refused = await asAdmin('POST', '/api/admin/patients', childBody(more));
    assert.equal(refused.statusCode, status, refused.body);
    assert.match(refused.body, why);
  }
  const body = childBody();
  const both = await Promise.all([0, 1].map(() => asAdmin('POST', '/api/admin/patients', body)));
  assert.deepEqual(both.map(({ statusCode }) => statusCode).toSorted(), [201, 409]);
  const { rows } = await database.query<{ n: number }>('SELECT count(*)::int AS n FROM app_user WHERE email IS NULL');
  assert.equal(rows[0]?.n, 2, 'nothing is left of those that were refused');
});

test('nobody registers with the number while a guardian acts; afterwards the child has an account, and is the same patient', async () => {
  const child = await makeChild();
  const { proxy } = await setGuardian(child);
  const early = await register(child.personnummer);
  assert.equal(early.answer.statusCode, 409, early.answer.body);
  assert.equal((await asAdmin('DELETE', `${guardiansOf(child)}/${proxy.proxy_guid}`)).statusCode, 200);
  const { email } = await makePatient(identity);
  assert.equal((await register(child.personnummer, email)).answer.statusCode, 409, 'another account has the address');
  const both = await Promise.all([0, 1].map(() => register(child.personnummer)));
  assert.deepEqual(both.map(({ answer }) => answer.statusCode).toSorted(), [201, 409]);
  const own = both.find(({ answer }) => answer.statusCode === 201) ?? assert.fail();
  const { user_guid, patient_guid } = own.answer.json();
  assert.deepEqual([user_guid, patient_guid], [child.user_guid, child.patient_guid]);
  const headers = await identity.signIn(own.email, PASSWORD);
  const account = (await app.inject({ url: '/api/auth/account', headers })).json();
  assert.deepEqual([account.email, account.first_name, account.last_name], [own.email, 'Alva', 'Ek']);
});

test('an administrator sees that it has no account, gives it one, and deletes it', async () => {
  const child = await makeChild();
  const user = `/api/admin/users/${child.user_guid}`;
  const seen = (await asAdmin('GET', user)).json();
  assert.deepEqual([seen.email, seen.first_name, seen.patient.patient_guid], [null, 'Alva', child.patient_guid]);
  const csv = await asAdmin('GET', '/api/admin/export-users');
  assert.match(csv.body, new RegExp(`\\n"?"?,"?patient"?,"?Alva"?,"?Ek"?,"?"?,"?${child.personnummer}"?,`));
  const resource = (await asAdmin('GET', `/fhir/Patient/${child.patient_guid}`)).json();
  assert.deepEqual([resource.telecom, resource.name[0].family], [undefined, 'Ek']);
  const code = await asAdmin('POST', `${user}/password-reset`);
  assert.equal(code.statusCode, 409);
  assert.match(code.body, /e-mail address/);
  const other = await makePatient(identity);
  const into = { into_user_guid: child.user_guid };
  const merge = `/api/admin/users/${other.answer.user_guid}/merge`;
  assert.equal((await asAdmin('POST', merge, into)).statusCode, 409, 'nobody signs in to what would remain');
  const email = nextEmail();
  assert.equal((await asAdmin('PATCH', user, { email })).statusCode, 200);
  const issued = await asAdmin('POST', `${user}/password-reset`);
  assert.equal(issued.statusCode, 201, issued.body);
  const payload = { token: issued.json().code, new_password: PASSWORD };
  const confirmed = await app.inject({ method: 'POST', url: '/api/auth/password-reset/confirm', payload });
  assert.equal(confirmed.statusCode, 200, confirmed.body);
  assert.ok(await identity.signIn(email, PASSWORD));
  const young = await makeChild();
  const gone = `/api/admin/users/${young.user_guid}`;
  assert.equal((await asAdmin('DELETE', gone)).statusCode, 200);
  assert.equal((await asAdmin('GET', gone)).statusCode, 404);
});

test('the page of guardians registers a child that is not there, with what is wrong at its field', async () => {
  const admin = await openBrowser(identity, ADMIN.email, ADMIN.password);
  const { personnummer } = childBody();
  const adult = await admin.post('/guardians/find', { child: nextPersonnummer() });
  assert.equal(adult.statusCode, 400);
  assert.match(adult.body, /id="child-error">The number is not right, or not that of a child under 13/);
  const found = await admin.post('/guardians/find', { child: ` ${personnummer} ` });
  assert.equal(found.statusCode, 200);
  assert.match(found.body, /The child is not registered/);
  assert.match(found.body, /<option value="[^"]+">Care unit/);
  const form = { child: personnummer, first_name: '"><b>Bo', last_name: 'Ek', organisation_guid };
  const empty = await admin.post('/guardians/register', { child: personnummer });
  assert.equal(empty.statusCode, 400);
  for (const field of ['first_name', 'last_name', 'organisation_guid'])
    assert.match(empty.body, new RegExp(`id="${field}-error"`), field);
  const dead = '00000000-0000-7000-8000-00000000dead';
  const unit = await admin.post('/guardians/register', { ...form, organisation_guid: dead });
  assert.match(unit.body, /id="organisation_guid-error">The care unit is not there any more/);
  assert.match(unit.body, /value="&quot;&gt;&lt;b&gt;Bo"/, 'what was typed stays');
  const made = await admin.post('/guardians/register', form);
  assert.equal(made.statusCode, 303, made.body);
  assert.doesNotMatch(String(made.headers.location), new RegExp(personnummer), 'no number is in an address');
  const page = await admin.get(`/${String(made.headers.location).replace('../', '')}`);
  assert.match(page.body, /The child is registered/);
  assert.match(page.body, /Guardians of &quot;&gt;&lt;b&gt;Bo Ek/);
  const again = await admin.post('/guardians/register', form);
  assert.match(String(again.headers.location), /guardians\?patient=/, 'it leads to the child that is there');
  const strange = await admin.post('/guardians/register', form, { 'sec-fetch-site': 'cross-site' });
  assert.equal(strange.statusCode, 403);
});

test('at 13 the right of the guardian has ended by itself, and the child registers', async () => {
  const child = await makeChild();
  await setGuardian(child);
  clock.advance(6 * 366 * DAY_MS);
  assert.equal((await register(child.personnummer)).answer.statusCode, 201);
});
