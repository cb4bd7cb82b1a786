// What ends while somebody acts for a patient (decision L5, docs/adr/0074). These are a guardian's right on the
// thirteenth birthday, a proxy who is blocked, and a record that was linked to the wrong person. Nothing that was begun
// goes on, and no repeated request brings back what it had answered.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { DAY_MS } from '#lib/clock.ts';
import { newGuid } from '#lib/guid.ts';
import { startEngineWithIdentity } from '../support/engine/engine-with-identity.ts';
import { eventually } from '../support/http.ts';
import {
  makePatient,
  makeProfessional,
  nextPersonnummer,
  personnummerOf,
} from '../support/identity/identity-people.ts';

const { identity, engine, follow, clock, reporter } = await startEngineWithIdentity({ after });
const { app } = identity;
const admin = await identity.asAdmin();
const nurse = await makeProfessional(identity, ['planning', 'analysis']);
const nurseToken = nurse.headers.authorization.slice(7);
const report = { resourceType: 'Observation', status: 'final', code: { text: 'weight' }, valueString: '20 kg' };

type Person = Awaited<ReturnType<typeof makePatient>>;
const guidOf = ({ answer }: Person) => String(answer.patient_guid);

async function onRecord(person: Person): Promise<void> {
  const id = guidOf(person);
  const made = await engine.call(nurseToken, 'PUT', `/Patient/${id}`, { resourceType: 'Patient', id });
  assert.ok(made.status < 300, made.text);
}

async function acting(
  person: Person,
  patient: Person,
  { method = 'GET', path = '/Observation', key }: { method?: 'GET' | 'POST'; path?: string; key?: string } = {},
) {
  const answer = await engine.app.inject({
    method,
    url: `/api/v1${path}`,
    headers: {
      ...person.headers,
      'kedja-patient': guidOf(patient),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(method === 'POST' ? { payload: report } : {}),
  });
  return { status: answer.statusCode, text: answer.payload };
}

async function nameProxy(patient: Person, proxy: Person): Promise<void> {
  const until = new Date(clock.now() + 30 * DAY_MS).toISOString().slice(0, 10);
  const url = '/api/patient/proxies';
  const payload = { email: proxy.email, may: 'act', until };
  const invited = await app.inject({ method: 'POST', url, headers: patient.headers, payload });
  const accept = `${url}/${invited.json().proxy_guid}/accept`;
  assert.equal((await app.inject({ method: 'POST', url: accept, headers: proxy.headers })).statusCode, 200);
  await follow();
}

test('a proxy who is blocked while acting is out at once, also with a repeated request; unblocked, the right is there again', async () => {
  const [patient, proxy] = [await makePatient(identity), await makePatient(identity)];
  await onRecord(patient);
  await nameProxy(patient, proxy);
  const key = newGuid();
  assert.equal((await acting(proxy, patient, { method: 'POST', key })).status, 201);
  const block = (act: string) =>
    app.inject({ method: 'POST', url: `/api/admin/users/${proxy.answer.user_guid}/${act}`, headers: admin });
  const raced = await Promise.all([
    block('block'),
    ...Array.from({ length: 20 }, () => acting(proxy, patient, { method: 'POST' })),
  ]);
  assert.ok(raced.slice(1).every((each) => 'status' in each && [201, 401].includes(each.status)));
  await follow();
  for (const ask of [{}, { method: 'POST' }, { method: 'POST', key }] as const)
    assert.equal((await acting(proxy, patient, ask)).status, 401, JSON.stringify(ask));
  const given = (await app.inject({ url: '/api/patient/proxies', headers: patient.headers })).json().given[0];
  assert.equal(given.status, 'active', 'the patient sees whom they have named, and may end it');
  assert.equal((await block('unblock')).statusCode, 200);
  await follow();
  assert.equal((await acting(proxy, patient)).status, 401, 'the session before stays ended');
  Object.assign(proxy, { headers: await identity.signIn(proxy.email, proxy.password) });
  assert.equal((await acting(proxy, patient)).status, 200);
});

test('a record with a wrong person’s number is that person’s and their proxy’s until it is corrected, and no longer', async () => {
  reporter.start();
  const [wrong, right] = [nextPersonnummer(), nextPersonnummer()];
  const [patient, other] = [
    await makePatient(identity, { personnummer: wrong }),
    await makePatient(identity, { personnummer: right }),
  ];
  const proxy = await makePatient(identity);
  await nameProxy(patient, proxy);
  const resource = (personnummer: string) => ({
    resourceType: 'Patient',
    identifier: [{ system: 'http://electronichealth.se/identifier/personnummer', value: personnummer }],
  });
  const made = await engine.call(nurseToken, 'POST', '/Patient', resource(wrong));
  const path = `/Patient/${made.body.id}`;
  const until = (status: number) =>
    eventually(`the proxy got ${status}`, async () => {
      await follow();
      return (await acting(proxy, patient, { path })).status === status ? true : undefined;
    });
  await until(200);
  await engine.call(nurseToken, 'PUT', path, { ...resource(right), id: made.body.id });
  await until(404);
  const seen = await engine.call(other.headers.authorization.slice(7), 'GET', path);
  assert.equal(seen.status, 200, 'it is the other person’s now');
  assert.equal((await acting(proxy, other)).status, 403, 'whose proxy they are not');
});

test('on the thirteenth birthday an open session of the guardian goes on for nobody but the guardian', async () => {
  const index = Math.floor((clock.now() - (13 * 365.25 - 3) * DAY_MS - Date.UTC(1960, 0, 1)) / DAY_MS) * 1000;
  const child = await makePatient(identity, { personnummer: personnummerOf(index + 7) });
  const guardian = await makePatient(identity);
  await onRecord(child);
  const url = `/api/admin/patients/${guidOf(child)}/guardians`;
  const payload = { guardian_patient_guid: guidOf(guardian) };
  const set = await app.inject({ method: 'POST', url, headers: admin, payload });
  assert.equal(set.statusCode, 201, set.body);
  await follow();
  const again = await app.inject({ method: 'POST', url, headers: admin, payload });
  assert.equal(again.json().proxy_guid, set.json().proxy_guid, 'set twice it is one');
  const key = newGuid();
  const reported = await acting(guardian, child, { method: 'POST', key });
  assert.equal(reported.status, 201, reported.text);
  assert.equal((await acting(guardian, child, { method: 'POST', key })).text, reported.text, 'the same request again');
  const birthday = Date.parse(set.json().ends_at);
  clock.advance(birthday - clock.now() - 10_000);
  // Tokens live shorter than these days: a session goes on with a new one.
  Object.assign(guardian, { headers: await identity.signIn(guardian.email, guardian.password) });
  assert.equal((await acting(guardian, child)).status, 200, 'ten seconds before');
  clock.advance(16_000);
  for (const ask of [
    {},
    { method: 'POST' },
    { method: 'POST', key },
    { path: `/Patient/${guidOf(child)}/$everything` },
  ] as const)
    assert.equal((await acting(guardian, child, ask)).status, 403, JSON.stringify(ask));
  const own = await engine.app.inject({ url: '/api/v1/Observation', headers: guardian.headers });
  assert.equal(own.statusCode, 200, 'the guardian’s own session goes on');
  const late = await app.inject({ method: 'POST', url, headers: await identity.asAdmin(), payload });
  assert.equal(late.statusCode, 422, 'a child of thirteen gets no guardian');
  const { received } = (await app.inject({ url: '/api/patient/proxies', headers: guardian.headers })).json();
  assert.equal(received[0].status, 'ended');
});
