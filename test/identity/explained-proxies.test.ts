// An access check names the proxy's right, and says when and by whom it ended (docs/adr/0091). The tests cover a
// patient's proxy, a guardian, and each way in which such a right ends. Each answer is compared with the proxy's own
// request.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { DAY_MS } from '#lib/clock.ts';
import { startEngineWithIdentity } from '../support/engine/engine-with-identity.ts';
import { ADMIN } from '../support/identity/identity.ts';
import { makePatient, makeProfessional, PASSWORD, personnummerOf } from '../support/identity/identity-people.ts';

const { identity, engine, follow, clock, line } = await startEngineWithIdentity({ after });
const { app } = identity;
const nurse = await makeProfessional(identity, ['planning', 'analysis']);
/** Of a session that begins now: a test may have moved the clock. */
const tokenOf = async (email: string) => (await identity.signIn(email, PASSWORD)).authorization.slice('Bearer '.length);
const PROTECTION = { system: 'http://terminology.hl7.org/CodeSystem/v3-Confidentiality', code: 'R' };

type Person = Awaited<ReturnType<typeof makePatient>>;
const guidOf = ({ answer }: Person) => String(answer.patient_guid);

interface Act {
  readonly act: string;
  readonly resource_type: string;
  readonly allowed: boolean;
  readonly acting_for?: string;
  readonly rules: readonly { readonly rule: string; readonly reason: string; readonly given: readonly string[] }[];
}

/** Who asks: the name of a caller, or a token. */
let administrator = 'admin';
let patient: Person;
let proxy: Person;

/** A further SU admin, who works in the organisation; returns the token. */
async function makeAdmin(organisation: string): Promise<string> {
  const { userGuid, email } = await makeProfessional(identity);
  const headers = await identity.asAdmin();
  const payload = { organisation_guids: [organisation] };
  await app.inject({ method: 'PATCH', url: `/api/admin/users/${userGuid}`, headers, payload });
  const promotion = { user_guid: userGuid, password: ADMIN.password };
  const promoted = await app.inject({ method: 'POST', url: '/api/admin/promote-su', headers, payload: promotion });
  assert.equal(promoted.statusCode, 200, promoted.body);
  return tokenOf(email);
}

async function onRecord(person: Person, security: readonly object[] = []): Promise<void> {
  const id = guidOf(person);
  const meta = security.length === 0 ? {} : { meta: { security } };
  const nurseToken = await tokenOf(nurse.email);
  const made = await engine.call(nurseToken, 'PUT', `/Patient/${id}`, { resourceType: 'Patient', id, ...meta });
  assert.ok(made.status < 300, made.text);
}

async function check(person: Person, about: Person, more: object = {}): Promise<Act[]> {
  await follow();
  const caller = { kind: 'user', guid: person.answer.user_guid, ...more };
  const question = { caller, resource_type: 'Patient', id: guidOf(about) };
  const { status, text, body } = await engine.call(administrator, 'POST', '/access-checks', question);
  assert.equal(status, 200, text);
  return body.acts;
}

/** What is said of reading as the proxy, which is what the proxy's request gets. */
async function readAsProxy(person: Person, about: Person) {
  const acts = (await check(person, about)).filter(({ acting_for: patientGuid }) => patientGuid !== undefined);
  const read = acts.find(({ act, resource_type: type }) => act === 'read' && type === 'Patient');
  const headers = { ...person.headers, 'kedja-patient': guidOf(about) };
  const got = await engine.app.inject({ url: `/api/v1/Patient/${guidOf(about)}`, headers });
  assert.equal(got.statusCode === 200, read?.allowed ?? false, `${got.statusCode}: ${JSON.stringify(read)}`);
  const rule = read?.rules.find(({ rule: name }) => name === 'proxy');
  return { reason: rule?.reason, given: rule?.given, acts };
}

async function invite(may: 'read' | 'act' = 'read', days = 30): Promise<string> {
  const until = new Date(clock.now() + days * DAY_MS).toISOString().slice(0, 10);
  const payload = { email: proxy.email, may, until };
  const url = '/api/patient/proxies';
  const invited = await app.inject({ method: 'POST', url, headers: patient.headers, payload });
  assert.equal(invited.statusCode, 201, invited.body);
  return invited.json().proxy_guid;
}

async function nameProxy(may: 'read' | 'act' = 'read', days = 30): Promise<string> {
  const guid = await invite(may, days);
  const url = `/api/patient/proxies/${guid}/accept`;
  assert.equal((await app.inject({ method: 'POST', url, headers: proxy.headers })).statusCode, 200);
  return guid;
}

/** Returns when it ended. */
async function end(person: Person, guid: string): Promise<string> {
  const url = `/api/patient/proxies/${guid}`;
  const ended = await app.inject({ method: 'DELETE', url, headers: person.headers });
  assert.equal(ended.statusCode, 200);
  return ended.json().ended_at;
}

before(async () => {
  patient = await makePatient(identity);
  proxy = await makePatient(identity);
  await onRecord(patient);
});

test('who is no proxy is asked about as themself alone', async () => {
  const acts = await check(proxy, patient);
  assert.ok(acts.length > 0 && acts.every(({ acting_for: patientGuid }) => patientGuid === undefined));
  assert.equal(acts.find(({ act }) => act === 'read')?.rules.at(-1)?.reason, 'not_own_record');
  const named = await check(proxy, patient, { acting_for: guidOf(patient) });
  assert.deepEqual(
    named.map(({ act, rules }) => [act, rules.at(-1)?.reason]),
    [['read', 'not_a_proxy']],
  );
});

test('an invitation gives no right until it is accepted, and the right says how far it goes and until when', async () => {
  const guid = await invite();
  assert.equal((await readAsProxy(proxy, patient)).reason, 'proxy_not_accepted');
  const url = `/api/patient/proxies/${guid}/accept`;
  const { ends_at: until } = (await app.inject({ method: 'POST', url, headers: proxy.headers })).json();
  const { reason, given, acts } = await readAsProxy(proxy, patient);
  assert.deepEqual([reason, given], ['is_proxy', ['read', until]]);
  const update = acts.find(({ act }) => act === 'update');
  assert.deepEqual(
    update?.rules.map((rule) => rule.reason),
    ['is_proxy', 'closed_to_proxies'],
    'a proxy does not change the record',
  );
  const own = (await check(proxy, patient)).find(({ act, acting_for }) => act === 'read' && acting_for === undefined);
  assert.equal(own?.allowed, false, 'as themself they see nothing of the patient');
  const since = await end(patient, guid);
  const ended = await readAsProxy(proxy, patient);
  assert.deepEqual([ended.reason, ended.given], ['proxy_withdrawn', [since]], 'and since when');
});

test('what the proxy gives up or declines is said so, and a later right counts before an earlier end', async () => {
  const accepted = await nameProxy('act');
  assert.deepEqual((await readAsProxy(proxy, patient)).given?.[0], 'act');
  await end(proxy, accepted);
  assert.equal((await readAsProxy(proxy, patient)).reason, 'proxy_declined');
  const declined = await invite();
  await end(proxy, declined);
  assert.equal((await readAsProxy(proxy, patient)).reason, 'proxy_declined');
  await end(patient, await nameProxy());
  await nameProxy('read');
  const next = await invite('act');
  assert.equal((await readAsProxy(proxy, patient)).reason, 'is_proxy', 'the one in force, not the open invitation');
  await end(patient, next);
});

test('a right that comes to its last day is over, without anybody ending it', async () => {
  const [another, friend] = [await makePatient(identity), await makePatient(identity)];
  await onRecord(another);
  [patient, proxy] = [another, friend];
  await nameProxy('read', 1);
  assert.equal((await readAsProxy(proxy, patient)).reason, 'is_proxy');
  clock.advance(3 * DAY_MS);
  Object.assign(proxy, { headers: await identity.signIn(proxy.email, proxy.password) });
  assert.equal((await readAsProxy(proxy, patient)).reason, 'proxy_over');
});

test('a guardian is called one, also when an administrator has ended it or the child is 13', async () => {
  const index = Math.floor((clock.now() - (13 * 365.25 - 3) * DAY_MS - Date.UTC(1960, 0, 1)) / DAY_MS) * 1000;
  const child = await makePatient(identity, { personnummer: personnummerOf(index + 9) });
  const [guardian, other] = [await makePatient(identity), await makePatient(identity)];
  await onRecord(child);
  const set = async (person: Person) => {
    const url = `/api/admin/patients/${guidOf(child)}/guardians`;
    const payload = { guardian_patient_guid: guidOf(person) };
    const headers = await identity.asAdmin();
    const made = await app.inject({ method: 'POST', url, headers, payload });
    assert.equal(made.statusCode, 201, made.body);
    return { url: `${url}/${made.json().proxy_guid}`, headers };
  };
  await set(guardian);
  assert.equal((await readAsProxy(guardian, child)).reason, 'is_guardian');
  const ended = await set(other);
  assert.equal((await app.inject({ method: 'DELETE', ...ended })).statusCode, 200);
  assert.equal((await readAsProxy(other, child)).reason, 'guardian_ended');
  clock.advance(10 * DAY_MS);
  for (const person of [guardian, other])
    Object.assign(person, { headers: await identity.signIn(person.email, person.password) });
  assert.equal((await readAsProxy(guardian, child)).reason, 'guardian_over');
});

test('protected identity: the proxy sees what the patient sees, and who may not see the patient learns nothing', async () => {
  const [hidden, friend] = [await makePatient(identity), await makePatient(identity)];
  await onRecord(hidden, [PROTECTION]);
  [patient, proxy] = [hidden, friend];
  await nameProxy();
  const caller = { kind: 'user', guid: proxy.answer.user_guid };
  const question = { caller, resource_type: 'Patient', id: guidOf(patient) };
  const asked = await engine.call('admin', 'POST', '/access-checks', question);
  assert.equal(asked.status, 404, 'an administrator whom the label does not name');
  administrator = await makeAdmin(nurse.organisationGuid);
  assert.equal((await readAsProxy(proxy, patient)).reason, 'is_proxy');
});

test('a proxy who is blocked has no rights at all', async () => {
  const url = `/api/admin/users/${proxy.answer.user_guid}/block`;
  assert.equal((await app.inject({ method: 'POST', url, headers: await identity.asAdmin() })).statusCode, 200);
  const acts = await check(proxy, patient);
  assert.ok(acts.every(({ rules }) => rules.at(-1)?.reason === 'credentials_missing'));
});

test('the relations are for dispatch and the engine, and their absence is no answer', async () => {
  const url = `/api/auth/users/${proxy.answer.user_guid}/proxies`;
  for (const headers of [await identity.asAdmin(), patient.headers])
    assert.equal((await app.inject({ url, headers })).statusCode, 403);
  const known = await makePatient(identity);
  await onRecord(known);
  const caller = { kind: 'user', guid: proxy.answer.user_guid };
  const question = { caller, resource_type: 'Patient', id: guidOf(known) };
  line.isCut = true;
  const { status } = await engine.call('admin', 'POST', '/access-checks', question);
  line.isCut = false;
  assert.equal(status, 503);
});
