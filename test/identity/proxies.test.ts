// Proxies and guardians (decision L5, docs/adr/0074): what they see and do at the engine for whom, until when, and what
// an attacker gets.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { entriesOfAccess } from '#fhir/rest/interactions/access-records.ts';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { createAccessUnpacker } from '#lib/audit/access-unpacker.ts';
import { DAY_MS } from '#lib/clock.ts';
import { startEngineWithIdentity } from '../support/engine/engine-with-identity.ts';
import { eventually, promptly } from '../support/http.ts';
import { makeTestLogger } from '../support/http-app.ts';
import { SERVICE } from '../support/identity/identity.ts';
import {
  makeOrganisation,
  makePatient,
  makeProfessional,
  nextPersonnummer,
  PASSWORD,
  personnummerOf,
} from '../support/identity/identity-people.ts';
import { atOnce } from '../support/system/at-once.ts';

const DISPATCH = { clientId: 'dispatch', clientSecret: 'a-third-secret-of-some-length' } as const;
const { identity, engine, follow, clock } = await startEngineWithIdentity({ after }, {}, [SERVICE, DISPATCH]);
const { app } = identity;
const unpacker = createAccessUnpacker({
  database: engine.database,
  service: 'engine',
  entriesOf: entriesOfAccess(loadSearchParameters()),
  log: makeTestLogger(),
});
const organisation_guid = await makeOrganisation(identity);
/** The index of a number of somebody who becomes thirteen in about a month. */
const CHILD = Math.floor((clock.now() - (13 * 365.25 - 35) * DAY_MS - Date.UTC(1960, 0, 1)) / DAY_MS) * 1000;

/** The start of the day in Sweden on which the person with the number becomes thirteen. */
function thirteenth(personnummer: string): number {
  const [year, month, day] = [personnummer.slice(0, 4), personnummer.slice(4, 6), personnummer.slice(6, 8)].map(Number);
  const birthday = new Date(Date.UTC((year ?? 0) + 13, (month ?? 1) - 1, day)).toISOString().slice(0, 10);
  return Temporal.PlainDate.from(birthday).toZonedDateTime('Europe/Stockholm').epochMilliseconds;
}
const OWN = '/api/patient/proxies';

interface Person {
  readonly email: string;
  readonly personnummer: string;
  readonly guid: string;
  authorization: string;
}

async function register(personnummer = nextPersonnummer()): Promise<Person> {
  const { email, answer, headers } = await makePatient(identity, { personnummer, organisation_guid });
  return { email, personnummer, guid: answer.patient_guid, authorization: headers.authorization };
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
async function ask(
  person: { authorization: string },
  method: Method,
  url: string,
  payload?: object,
  more: object = {},
) {
  const headers = { authorization: person.authorization, ...more };
  const answer = await app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: answer.body === '' ? {} : answer.json(),
    text: answer.body,
  };
}

const inDays = (days: number) => new Date(clock.now() + days * DAY_MS).toISOString().slice(0, 10);
const invite = (from: Person, payload: object) =>
  ask(from, 'POST', OWN, { may: 'read', until: inDays(30), ...payload });

async function proxyOf(from: Person, to: Person, may = 'read', until = inDays(30)): Promise<string> {
  const invited = await invite(from, { email: to.email, may, until });
  assert.equal(invited.status, 201, invited.text);
  const accepted = await ask(to, 'POST', `${OWN}/${invited.body.proxy_guid}/accept`);
  assert.deepEqual([accepted.status, accepted.body.status], [200, 'active'], accepted.text);
  await follow();
  return invited.body.proxy_guid;
}

async function atEngine(person: Person, method: Method, path: string, body?: object, patient?: string) {
  const answer = await engine.app.inject({
    method,
    url: `/api/v1${path}`,
    headers: { authorization: person.authorization, ...(patient === undefined ? {} : { 'kedja-patient': patient }) },
    ...(body === undefined ? {} : { payload: body }),
  });
  return { status: answer.statusCode, text: answer.payload, body: answer.payload === '' ? {} : answer.json() };
}

const nurse = await makeProfessional(identity, ['planning', 'analysis']);
const nurseToken = nurse.headers.authorization.slice(7);
const LOINC = { coding: [{ system: 'http://loinc.org', code: '29463-7' }] };
async function recordOf({ guid }: Person): Promise<string> {
  const patient = await engine.call(nurseToken, 'PUT', `/Patient/${guid}`, { resourceType: 'Patient', id: guid });
  assert.ok(patient.status < 300, patient.text);
  const subject = { reference: `Patient/${guid}` };
  const observation = { resourceType: 'Observation', status: 'final', code: LOINC, subject };
  const made = await engine.call(nurseToken, 'POST', '/Observation', observation);
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

type Entry = readonly [method: string, url: string, resource?: object];
const report = { resourceType: 'Observation', status: 'final', code: LOINC, valueString: '80 kg' };

test('a proxy sees what the patient sees, by the header alone: read, search, chains, includes, history, $everything', async () => {
  const [astrid, bertil] = [await register(), await register()];
  const observation = await recordOf(astrid);
  await proxyOf(astrid, bertil);
  const idsOf = (answer: { body: { entry?: { resource: { id: string } }[] } }) =>
    (answer.body.entry ?? []).map(({ resource }) => resource.id).toSorted();
  const see = (path: string) => atEngine(bertil, 'GET', path, undefined, astrid.guid);
  assert.deepEqual(idsOf(await see('/Observation')), [observation]);
  assert.deepEqual(idsOf(await see(`/Observation?subject:Patient._id=${astrid.guid}`)), [observation]);
  assert.deepEqual(
    idsOf(await see('/Observation?_include=Observation:subject')),
    [observation, astrid.guid].toSorted(),
  );
  assert.deepEqual(idsOf(await see(`/Patient/${astrid.guid}/$everything`)), [observation, astrid.guid].toSorted());
  assert.equal((await see(`/Observation/${observation}/_history/1`)).status, 200);
  assert.deepEqual(idsOf(await atEngine(bertil, 'GET', '/Observation')), [], 'without the header their own');
  assert.equal((await atEngine(bertil, 'GET', `/Observation/${observation}`)).status, 404);
  const { received } = (await ask(bertil, 'GET', OWN)).body;
  const { given } = (await ask(astrid, 'GET', OWN)).body;
  assert.deepEqual(
    [received[0].patient_guid, given[0].delegate_guid],
    [astrid.guid, bertil.guid],
    'shown on both sides',
  );
});

test('a proxy who may read does not report; one who may act reports as themself for the patient, and never consents', async () => {
  const [astrid, bertil, cecilia] = [await register(), await register(), await register()];
  await recordOf(astrid);
  await proxyOf(astrid, bertil);
  await proxyOf(astrid, cecilia, 'act');
  assert.equal((await atEngine(bertil, 'POST', '/Observation', report, astrid.guid)).status, 403);
  const made = await atEngine(cecilia, 'POST', '/Observation', report, astrid.guid);
  assert.equal(made.status, 201, made.text);
  const seen = await atEngine(astrid, 'GET', `/Observation/${made.body.id}`);
  assert.equal(seen.status, 200, 'the patient sees what was reported for them');
  const user = (await ask(cecilia, 'GET', '/api/auth/me')).body.user_guid;
  assert.deepEqual(
    [seen.body.subject.reference, seen.body.performer[0].type, seen.body.performer[0].identifier.value],
    [`Patient/${astrid.guid}`, 'RelatedPerson', user],
  );
  assert.equal(
    (await atEngine(cecilia, 'POST', '/Consent', { resourceType: 'Consent', status: 'active' }, astrid.guid)).status,
    403,
  );
  const events = await eventually('the report was recorded', async () => {
    await unpacker.unpackAll();
    const { rows } = await engine.database.query<{ resource: string }>(
      `SELECT resource FROM audit_event WHERE resource LIKE $1 AND resource LIKE '%observation.create%'`,
      [`%${made.body.id}%`],
    );
    return rows.length === 0 ? undefined : rows.map(({ resource }) => JSON.parse(resource));
  });
  const [{ agent, patient }] = events;
  assert.equal(patient.reference, `Patient/${astrid.guid}`);
  assert.deepEqual([agent[0].who.reference, agent[0].who.identifier.value], [undefined, user]);
  assert.deepEqual(
    agent.slice(1).map(({ who }: { who: object }) => who),
    [{ reference: `Patient/${astrid.guid}` }],
  );
});

test('batch and transaction as a proxy: each entry as by itself, nothing of the proxy’s own, and no bulk export', async () => {
  const [astrid, bertil, cecilia] = [await register(), await register(), await register()];
  const [observation, own] = [await recordOf(astrid), await recordOf(bertil)];
  await proxyOf(astrid, bertil);
  await proxyOf(astrid, cecilia, 'act');
  const consent = { resourceType: 'Consent', status: 'active', decision: 'permit' };
  const bundleOf = (type: string, ...entry: readonly Entry[]) => ({
    resourceType: 'Bundle',
    type,
    entry: entry.map(([method, url, resource]) => ({ request: { method, url }, ...(resource && { resource }) })),
  });
  const statusesOf = ({ body }: { body: { entry?: { response: { status: string } }[] } }) =>
    body.entry?.map(({ response }) => response.status.slice(0, 3));
  const reads = [
    ['GET', `Observation/${observation}`],
    ['GET', `Observation/${own}`],
    ['GET', `Patient/${bertil.guid}`],
    ['GET', 'Observation?_summary=count'],
    ['POST', 'Observation', report],
    ['POST', 'Consent', consent],
    ['DELETE', `Observation/${observation}`],
    ['PUT', `Patient/${astrid.guid}`, { resourceType: 'Patient', id: astrid.guid }],
  ] as const;
  const asked = (person: Person) => atEngine(person, 'POST', '/', bundleOf('batch', ...reads), astrid.guid);
  assert.deepEqual(statusesOf(await asked(bertil)), ['200', '404', '404', '200', '403', '403', '403', '403']);
  assert.deepEqual(statusesOf(await asked(cecilia)), ['200', '404', '404', '200', '201', '403', '403', '403']);
  const transaction = (person: Person, ...entry: readonly Entry[]) =>
    atEngine(person, 'POST', '/', bundleOf('transaction', ...entry), astrid.guid);
  assert.equal((await transaction(bertil, ['POST', 'Observation', report])).status, 403);
  assert.equal((await transaction(cecilia, ['POST', 'Observation', report], ['POST', 'Consent', consent])).status, 403);
  const made = await transaction(cecilia, ['POST', 'Observation', report], ['POST', 'Observation', report]);
  assert.deepEqual(statusesOf(made), ['201', '201'], made.text);
  const { total } = (await atEngine(astrid, 'GET', '/Observation?_summary=count')).body;
  assert.equal(total, 4, 'of the refused transactions nothing was stored');
  const stolen = { ...report, subject: { reference: `Patient/${cecilia.guid}` } };
  assert.equal((await transaction(cecilia, ['POST', 'Observation', stolen])).status, 403, 'for the patient alone');
  for (const path of ['/$export', '/Patient/$export', `/Group/${astrid.guid}/$export`]) {
    const headers = {
      authorization: cecilia.authorization,
      'kedja-patient': astrid.guid,
      prefer: 'respond-async',
    };
    const answer = await engine.app.inject({ url: `/api/v1${path}`, headers });
    assert.ok([403, 404].includes(answer.statusCode), `${path}: ${answer.statusCode}`);
  }
});

test('the log of the patient names the proxy and for whom, in words, HTML and CSV, in both languages', async () => {
  const [astrid, bertil, cecilia] = [await register(), await register(), await register()];
  const rename = ({ authorization }: Person, first_name: string, last_name: string) => {
    const payload = { first_name, last_name };
    return app.inject({ method: 'PATCH', url: '/api/auth/account', headers: { authorization }, payload });
  };
  await rename(bertil, 'Bertil', 'Ek');
  const observation = await recordOf(astrid);
  await proxyOf(astrid, cecilia);
  await atEngine(cecilia, 'GET', `/Observation/${observation}`, undefined, astrid.guid);
  await proxyOf(astrid, bertil);
  const read = () => atEngine(bertil, 'GET', `/Observation/${observation}`, undefined, astrid.guid);
  assert.equal((await read()).status, 200);
  await rename(astrid, '=Astrid', '<Lind>');
  clock.advance(1000);
  assert.equal((await read()).status, 200);
  await engine.engine.start();
  const rows = await eventually('both reads are in the log', async () => {
    engine.engine.wake();
    const { body } = await atEngine(astrid, 'GET', '/access-log?lang=en&person=bertil');
    return body.data?.length === 2 ? body.data : undefined;
  });
  assert.deepEqual(
    rows.map(({ who, what }: { who: object; what: string }) => ({ ...who, what })),
    [
      { name: 'Bertil Ek', role: 'proxy', unit: null, for: '=Astrid <Lind>', what: 'Read 1 observation' },
      { name: 'Bertil Ek', role: 'proxy', unit: null, for: 'the patient', what: 'Read 1 observation' },
    ],
  );
  await eventually('who has no name is called by the e-mail address', async () => {
    const { body } = await atEngine(astrid, 'GET', `/access-log?person=${encodeURIComponent(cecilia.email)}`);
    return body.data?.[0]?.who.name === cecilia.email || undefined;
  });
  const exported = async (query: string) => {
    const headers = { authorization: astrid.authorization };
    return (await engine.app.inject({ url: `/api/v1/access-log/export?person=bertil&${query}`, headers })).body;
  };
  assert.match(await exported('format=csv&lang=sv'), /,Bertil Ek för =Astrid <Lind>,ombud,/);
  assert.match(await exported('format=csv&lang=en'), /,Bertil Ek for the patient,proxy,/);
  assert.match(await exported('format=html&lang=sv'), /<td>Bertil Ek för =Astrid &lt;Lind&gt;<\/td><td>ombud<\/td>/);
  assert.match(await exported('format=html&lang=en'), /<td>Bertil Ek for the patient<\/td><td>proxy<\/td>/);
});

test('ended by either side, past its end, blocked or deleted: it is over at the next answer', async () => {
  const astrid = await register();
  await recordOf(astrid);
  const see = async (person: Person) => (await atEngine(person, 'GET', '/Observation', undefined, astrid.guid)).status;
  for (const ends of ['patient', 'delegate'] as const) {
    const bertil = await register();
    const proxy = await proxyOf(astrid, bertil);
    assert.equal(await see(bertil), 200);
    const ended = await ask(ends === 'patient' ? astrid : bertil, 'DELETE', `${OWN}/${proxy}`);
    assert.deepEqual([ended.status, ended.body.ended_by], [200, ends]);
    await follow();
    assert.equal(await see(bertil), 403, `ended by the ${ends}`);
    assert.equal((await ask(bertil, 'POST', `${OWN}/${proxy}/accept`)).status, 409);
  }
  const [cecilia, david] = [await register(), await register()];
  await proxyOf(astrid, cecilia);
  await proxyOf(astrid, david);
  const { authorization } = await identity.asAdmin();
  const userOf = async (person: Person) => (await ask(person, 'GET', '/api/auth/me')).body.user_guid;
  const [blocked, deleted] = [await userOf(cecilia), await userOf(david)];
  assert.equal((await ask({ authorization }, 'POST', `/api/admin/users/${blocked}/block`)).status, 200);
  assert.equal((await ask({ authorization }, 'DELETE', `/api/admin/users/${deleted}`)).status, 200);
  await follow();
  assert.deepEqual([await see(cecilia), await see(david)], [401, 401]);
});

test('the attacker: a proxy of a proxy, oneself, a child, an end that is past or too far, who exists, another’s invitation', async () => {
  const [astrid, bertil, cecilia] = [await register(), await register(), await register()];
  const child = await register(personnummerOf(CHILD + 1));
  await proxyOf(astrid, bertil, 'act');
  await proxyOf(bertil, cecilia, 'act');
  assert.equal(
    (await atEngine(cecilia, 'GET', '/Observation', undefined, astrid.guid)).status,
    403,
    'no proxy of a proxy',
  );
  assert.equal((await atEngine(cecilia, 'GET', '/Observation', undefined, 'nobody')).status, 403);
  const stolen = await ask(
    bertil,
    'POST',
    OWN,
    { email: cecilia.email, may: 'read', until: inDays(3) },
    { 'kedja-patient': astrid.guid },
  );
  assert.equal(stolen.status, 403, 'a proxy names no proxies in the patient’s name');
  assert.equal(
    (await ask(bertil, 'GET', '/api/patient/registry-status', undefined, { 'kedja-patient': astrid.guid })).status,
    403,
  );
  for (const wrong of [
    { email: astrid.email },
    { personnummer: astrid.personnummer },
    { personnummer: '19121212-1213' },
    { email: bertil.email, until: inDays(-1) },
    { email: bertil.email, until: inDays(800) },
    { email: bertil.email, personnummer: bertil.personnummer },
    {},
  ]) {
    const refused = await invite(astrid, wrong);
    assert.deepEqual([refused.status, refused.body.error], [400, 'validation_error'], JSON.stringify(wrong));
  }
  const shapes = [];
  for (const whom of [{ email: cecilia.email }, { email: 'nobody@example.org' }, { email: child.email }]) {
    const { status, body } = await invite(astrid, whom);
    const { proxy_guid: _guid, created_at: _at, named: _named, ...shape } = body;
    shapes.push([status, shape]);
  }
  assert.deepEqual(shapes[1], shapes[0], 'nobody');
  assert.deepEqual(shapes[2], shapes[0], 'a child');
  assert.deepEqual((await ask(child, 'GET', OWN)).body.received, []);
  const [invited] = (await ask(cecilia, 'GET', OWN)).body.received;
  assert.equal((await ask(bertil, 'POST', `${OWN}/${invited.proxy_guid}/accept`)).status, 404);
  assert.equal((await ask(bertil, 'DELETE', `${OWN}/${invited.proxy_guid}`)).status, 404);
  await ask(cecilia, 'DELETE', `${OWN}/${invited.proxy_guid}`);
  const given = (await ask(astrid, 'GET', OWN)).body.given.find(
    (each: { proxy_guid: string }) => each.proxy_guid === invited.proxy_guid,
  );
  assert.deepEqual(
    [given.status, given.delegate_guid, given.ended_by],
    ['invited', null, null],
    'a refusal is not disclosed',
  );
  assert.equal((await invite(child, { email: bertil.email })).status, 403);
});

test('an end that races with an acceptance leaves one state; at most twenty are open', async () => {
  const [astrid, bertil] = [await register(), await register()];
  const { body } = await invite(astrid, { email: bertil.email });
  const path = `${OWN}/${body.proxy_guid}`;
  await atOnce([() => ask(bertil, 'POST', `${path}/accept`), () => ask(astrid, 'DELETE', path)]);
  assert.equal((await ask(astrid, 'GET', OWN)).body.given[0].status, 'ended');
  await follow();
  assert.equal((await atEngine(bertil, 'GET', '/Observation', undefined, astrid.guid)).status, 403);
  const raced = await atOnce(Array.from({ length: 23 }, () => () => invite(astrid, { email: bertil.email })));
  assert.deepEqual(
    [201, 409].map((status) => raced.filter((answer) => answer.status === status).length),
    [20, 3],
  );
});

test('an administrator sets and ends guardians of a child; the right ends by itself on the thirteenth birthday', async () => {
  const [child, guardian, other] = [await register(personnummerOf(CHILD + 2)), await register(), await register()];
  await recordOf(child);
  const birthday = thirteenth(child.personnummer);
  const { authorization } = await identity.asAdmin();
  const path = `/api/admin/patients/${child.guid}/guardians`;
  const set = (guid: string, of = path) => ask({ authorization }, 'POST', of, { guardian_patient_guid: guid });
  const made = await set(guardian.guid);
  assert.deepEqual([made.status, made.body.ends_at], [201, new Date(birthday).toISOString()], made.text);
  const second = (await set(other.guid)).body;
  assert.equal((await set(child.guid)).status, 422, 'a child is no guardian');
  assert.equal((await set(guardian.guid, `/api/admin/patients/${other.guid}/guardians`)).status, 422, 'of an adult');
  assert.equal((await ask(guardian, 'POST', path, { guardian_patient_guid: other.guid })).status, 403);
  await follow();
  const see = async (person: Person) => (await atEngine(person, 'GET', '/Observation', undefined, child.guid)).status;
  assert.deepEqual([await see(guardian), await see(other)], [200, 200]);
  assert.equal((await ask(child, 'DELETE', `${OWN}/${made.body.proxy_guid}`)).status, 404, 'a child ends no guardian');
  const ended = await ask({ authorization }, 'DELETE', `${path}/${second.proxy_guid}`);
  assert.deepEqual([ended.status, ended.body.ended_by], [200, 'administrator']);
  await follow();
  assert.deepEqual([await see(guardian), await see(other)], [200, 403]);
  for (const [moment, status] of [
    [birthday - 60_000, 200],
    [birthday + 1000, 403],
  ] as const) {
    clock.advance(moment - clock.now());
    guardian.authorization = (await identity.signIn(guardian.email, PASSWORD)).authorization;
    await follow();
    // What was accessed before the jump of the clock has waited for months, until it is an audit event.
    const seen = async () => [await see(guardian)].find((found) => found !== 503);
    assert.equal(await promptly('the audit record is up to date', seen, 60_000), status);
  }
  const fresh = await identity.asAdmin();
  const [, listed] = (await ask(fresh, 'GET', path)).body;
  assert.equal(listed.status, 'ended');
});
