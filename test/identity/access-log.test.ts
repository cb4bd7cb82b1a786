// The access log of a patient (decision L4, docs/adr/0075): every read and change of all the person's records, refused
// ones too. They are in words, with names as they were, for the person and for privacy officers.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { servicePrincipal } from '#lib/auth/service-credentials.ts';
import { createAccessLogBackfill } from '#services/engine/access-log/backfill.ts';
import { startEngineWithIdentity } from '../support/engine/engine-with-identity.ts';
import { eventually } from '../support/http.ts';
import { makeTestLogger } from '../support/http-app.ts';
import {
  makeOrganisation,
  makePatient,
  makeProfessional,
  nextEmail,
  nextPersonnummer,
  PASSWORD,
} from '../support/identity/identity-people.ts';

const site = await startEngineWithIdentity({ after }, { callers: { identityService: servicePrincipal('identity') } });
const { identity, engine, clock, follow, reporter } = site;
const { app } = identity;

type Headers = Record<string, string>;
interface Row {
  readonly event_guid: string;
  readonly at: string;
  readonly who: { readonly name: string | null; readonly role: string; readonly unit: string | null };
  readonly action: string;
  readonly what: string;
  readonly why: string | null;
  readonly outcome: string;
}

const tokenOf = ({ authorization }: Headers) => String(authorization).slice(7);
const admin = await identity.asAdmin();
const nurse = await makeProfessional(identity, ['planning', 'analysis']);
const stranger = await makeProfessional(identity, ['planning', 'analysis']);
const officer = await makeProfessional(identity);
const change = async (userGuid: string, payload: object) => {
  const answer = await app.inject({ method: 'PATCH', url: `/api/admin/users/${userGuid}`, headers: admin, payload });
  assert.equal(answer.statusCode, 200, answer.body);
  await follow();
};
await change(nurse.userGuid, { first_name: 'Åsa', last_name: '=Öberg' });
await change(officer.userGuid, { is_privacy_officer: true });

const personnummer = nextPersonnummer();
const patient = { email: nextEmail(), guid: '', token: '' };
let record = '';

const write = async (path: string, resource: object, token: string) => {
  const answer = await engine.call(token, 'POST', path, resource);
  assert.ok(answer.status < 300, answer.text);
  return String(answer.body.id);
};

/** Brings identity's events to the engine, as its shipper does. */
async function ship(): Promise<void> {
  const { rows } = await identity.database.query<{ resource: string }>(
    `SELECT resource FROM audit_event WHERE resource LIKE '%"patient":%'`,
  );
  const events = rows.map(({ resource }) => JSON.parse(resource));
  if (events.length === 0) return;
  assert.equal((await engine.call('identityService', 'POST', '/audit-events', { events })).status, 204);
}

/** Follows all pages until everything that was done has arrived. */
async function log(token: string, query = ''): Promise<Row[]> {
  const answer = await engine.call(token, 'GET', `/access-log?per_page=200&lang=en${query}`);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers['cache-control'], 'private, no-store');
  return answer.body.data;
}
const arrived = (what: string, check: (rows: Row[]) => boolean, token = patient.token, query = '') =>
  eventually(what, async () => {
    engine.engine.wake();
    const rows = await log(token, query);
    return check(rows) ? rows : undefined;
  });
const unitOf = async (guid: string) => {
  const answer = await app.inject({ url: '/api/public/organisations' });
  return answer.json().find((each: { organisation_guid: string }) => each.organisation_guid === guid).name;
};

before(async () => {
  await engine.engine.start();
  reporter.start();
  record = await write(
    '/Patient',
    {
      resourceType: 'Patient',
      name: [{ family: 'Lind' }],
      identifier: [{ system: 'http://electronichealth.se/identifier/personnummer', value: personnummer }],
    },
    tokenOf(nurse.headers),
  );
  const body = { email: patient.email, password: PASSWORD, personnummer };
  const payload = { ...body, organisation_guid: await makeOrganisation(identity) };
  const answer = await app.inject({ method: 'POST', url: '/api/patient/register', payload });
  patient.guid = answer.json().patient_guid;
  patient.token = tokenOf(await identity.signIn(patient.email, PASSWORD));
  await eventually('the record was linked', async () => {
    reporter.wake();
    await follow();
    return (await engine.call(patient.token, 'GET', `/Patient/${record}`)).status === 200 ? true : undefined;
  });
});

test('a patient reads who has read and changed all their records, in words', async () => {
  clock.advance(1000);
  const carePlan = {
    resourceType: 'CarePlan',
    status: 'active',
    intent: 'plan',
    subject: { reference: `Patient/${record}` },
  };
  const plan = await write('/CarePlan', carePlan, tokenOf(nurse.headers));
  clock.advance(1000);
  assert.equal((await engine.call(tokenOf(nurse.headers), 'GET', `/CarePlan/${plan}`)).status, 200);
  clock.advance(1000);
  assert.equal((await engine.call(tokenOf(stranger.headers), 'GET', `/CarePlan/${plan}`)).status, 404);
  clock.advance(1000);
  await ship();
  // Two services record, each by itself: the rows arrive in any order.
  const rows = await arrived(
    'three rows about the plan, and those of the registration and the record',
    (all) =>
      all.filter(({ why }) => why === 'plan').length >= 3 &&
      ['Registered an account', 'Created 1 patient record'].every((each) => all.some(({ what }) => what === each)),
  );
  const registration = rows.find(({ what }) => what === 'Registered an account');
  assert.equal(registration?.who.role, 'somebody who was not signed in', 'and nobody unknown');
  const unit = await unitOf(nurse.organisationGuid);
  const ofPlan = rows.filter(({ why }) => why === 'plan');
  assert.deepEqual(
    ofPlan.map(({ event_guid: _, at: __, ...row }) => row),
    [
      {
        who: { name: 'Anna Berg', role: 'nurse', unit: await unitOf(stranger.organisationGuid) },
        action: 'read',
        what: 'Read 1 care plan – refused',
        why: 'plan',
        outcome: 'refused',
      },
      {
        who: { name: 'Åsa =Öberg', role: 'nurse', unit },
        action: 'read',
        what: 'Read 1 care plan',
        why: 'plan',
        outcome: 'success',
      },
      {
        who: { name: 'Åsa =Öberg', role: 'nurse', unit },
        action: 'create',
        what: 'Created 1 care plan',
        why: 'plan',
        outcome: 'success',
      },
    ],
  );
  const times = rows.map(({ at }) => at);
  assert.deepEqual(times, [...times].sort().reverse(), 'newest first');
  assert.ok(
    rows.some(({ what }) => what === 'Registered an account'),
    'what identity recorded',
  );
  assert.ok(
    rows.some(({ what, who }) => what === 'Created 1 patient record' && who.unit === unit),
    'before the link',
  );
  const swedish = await engine.app.inject({
    url: '/api/v1/access-log?per_page=200',
    headers: { authorization: `Bearer ${patient.token}`, 'accept-language': 'sv' },
  });
  assert.equal(swedish.headers['content-language'], 'sv');
  assert.ok(swedish.json().data.some(({ what }: Row) => what === 'Läste 1 vårdplan – nekades'));
});

test('names are those of the time of the access, and stay when a user is gone', async () => {
  const leaving = await makeProfessional(identity, ['planning']);
  await change(leaving.userGuid, {
    organisation_guids: [nurse.organisationGuid],
    first_name: 'Before',
    last_name: 'Marriage',
  });
  const token = tokenOf(await identity.signIn(leaving.email, PASSWORD));
  assert.equal((await engine.call(token, 'GET', `/Patient/${record}`)).status, 200);
  await change(leaving.userGuid, { last_name: 'Marries' });
  // The clock of the services is ahead of that of the database, which says since when a name counts.
  await identity.database.query(
    `UPDATE known_name SET valid_from = $1 WHERE (guid, valid_from) IN (SELECT guid, max(valid_from) FROM known_name WHERE guid = $2 GROUP BY guid)`,
    [new Date(clock.now() + 1000), leaving.userGuid],
  );
  await app.inject({ method: 'DELETE', url: `/api/admin/users/${leaving.userGuid}`, headers: admin });
  const rows = await arrived('the read', (all) => all.some(({ who }) => who.name?.startsWith('Before') === true));
  assert.deepEqual(
    rows.filter(({ who }) => who.name?.startsWith('Before')).map(({ who }) => who.name),
    ['Before Marriage'],
  );
});

test('a unit and a person are found by name or guid, a period by its limits', async () => {
  const unit = await unitOf(stranger.organisationGuid);
  const ofUnit = await log(patient.token, `&unit=${encodeURIComponent(unit.toUpperCase())}`);
  assert.ok(ofUnit.length > 0 && ofUnit.every(({ who }) => who.unit === unit));
  const byGuid = await log(patient.token, `&unit=${stranger.organisationGuid}`);
  assert.deepEqual(byGuid, ofUnit);
  const ofPerson = await log(patient.token, `&person=${encodeURIComponent('öberg')}`);
  assert.ok(ofPerson.length > 2 && ofPerson.every(({ who }) => who.name === 'Åsa =Öberg'));
  assert.deepEqual(
    await log(patient.token, `&person=${encodeURIComponent('öberg')}&unit=${stranger.organisationGuid}`),
    [],
  );
  const both = await log(patient.token, `&person=${nurse.userGuid}&unit=${nurse.organisationGuid}`);
  assert.deepEqual(both, ofPerson);
  assert.deepEqual(await log(patient.token, '&unit=no%20such%20unit'), []);
  const [newest, oldest] = [ofPerson[0]!, ofPerson.at(-1)!];
  const within = await log(patient.token, `&since=${oldest.at}&until=${newest.at}&person=${nurse.userGuid}`);
  assert.deepEqual(
    within,
    ofPerson.filter(({ at }) => at < newest.at),
  );
});

test('pages follow each other while rows are added', async () => {
  const all = await log(patient.token);
  const seen: string[] = [];
  let url: string | undefined = '/access-log?per_page=3&lang=en';
  while (url !== undefined) {
    const answer = await engine.call(patient.token, 'GET', url);
    assert.equal(answer.status, 200, answer.text);
    seen.push(...answer.body.data.map((row: Row) => row.event_guid));
    url = /<\/api\/v1([^>]*)>; rel="next"/.exec(String(answer.headers['link'] ?? ''))?.[1];
    assert.equal(url === undefined, answer.body.next_cursor === null);
    clock.advance(10);
    engine.engine.wake();
  }
  assert.equal(new Set(seen).size, seen.length);
  assert.deepEqual(
    all.map(({ event_guid: guid }) => guid).filter((guid) => !seen.includes(guid)),
    [],
  );
});

test('each access is in the log, also that of a privacy officer, who reads by any id of the person', async () => {
  const token = tokenOf(officer.headers);
  const byRecord = await log(token, `&patient=${record}`);
  assert.ok(byRecord.some(({ what }) => what === 'Created 1 care plan'));
  assert.deepEqual((await log(token, `&patient=${patient.guid}`)).length >= byRecord.length, true);
  const rows = await arrived('the accesses', (all) => all.some(({ who }) => who.role === 'privacy officer'));
  assert.ok(rows.some(({ what, who }) => what === 'Read the access log' && who.role === 'privacy officer'));
  assert.ok(rows.some(({ what, who }) => what === 'Read the access log' && who.role === 'patient'));
  const missing = await engine.call(token, 'GET', '/access-log');
  assert.deepEqual(
    [missing.status, missing.body.messages],
    [400, ["'patient' is required: whose log do you want to read?"]],
  );
});

test('others are refused: staff by the right, another patient by the record, which shows it', async () => {
  for (const [token, status] of [
    [tokenOf(nurse.headers), 403],
    [undefined, 401],
  ] as const)
    assert.equal((await engine.call(token, 'GET', `/access-log?patient=${patient.guid}`)).status, status);
  const other = tokenOf((await makePatient(identity)).headers);
  for (const id of [patient.guid, record, 'nobody'])
    assert.equal((await engine.call(other, 'GET', `/access-log?patient=${id}`)).status, 403);
  await arrived('the attempt', (all) => all.some(({ what }) => what === 'Read the access log – refused'));
  assert.ok((await log(other)).every(({ what }) => !what.includes('care plan')));
  await change(officer.userGuid, { is_privacy_officer: false });
  assert.equal((await engine.call(tokenOf(officer.headers), 'GET', `/access-log?patient=${patient.guid}`)).status, 403);
  await change(officer.userGuid, { is_privacy_officer: true });
});

test('the export is CSV that begins no formula, and a page without scripts', async () => {
  const csv = await engine.call(patient.token, 'GET', '/access-log/export?format=csv&lang=en');
  assert.match(String(csv.headers['content-type']), /^text\/csv/);
  assert.match(csv.text, /^Time,Who,Role,Unit,What,Why,Outcome\r\n/);
  assert.match(csv.text, /,Åsa =Öberg,nurse,/);
  const page = await engine.call(patient.token, 'GET', '/access-log/export?format=html&lang=sv');
  assert.match(String(page.headers['content-type']), /^text\/html/);
  assert.match(String(page.headers['content-security-policy']), /default-src 'none'/);
  assert.doesNotMatch(page.text, /<script/);
  assert.match(page.text, /Läste 1 vårdplan/);
  assert.match(page.text, /minst fem år/);
  await change(nurse.userGuid, { first_name: '=cmd()', last_name: '<b>x' });
  const rows = await engine.call(patient.token, 'GET', '/access-log/export?format=csv&lang=en&person=cmd');
  assert.equal(rows.status, 200);
  for (const line of rows.text.split('\r\n').slice(1)) assert.doesNotMatch(line, /(?:^|,)"?=/);
});

test('invalid parameters are named', async () => {
  for (const [query, field] of [
    ['cursor=abc', 'cursor'],
    ['since=yesterday', 'since'],
    ['since=1800-01-01T00:00:00Z', 'since'],
    ['per_page=201', 'per_page'],
    ['lang=fi', 'lang'],
    ['patient=a/b', 'patient'],
  ] as const) {
    const answer = await engine.call(patient.token, 'GET', `/access-log?${query}`);
    assert.equal(answer.status, 400, query);
    assert.match(answer.body.messages.join(), new RegExp(`'${field}'`));
  }
  assert.equal((await engine.call(patient.token, 'GET', '/access-log/export')).status, 400);
});

test('what was recorded before the log existed is entered by the background job', async () => {
  const before = await log(patient.token);
  await engine.database.query('DELETE FROM access_log_entry');
  await engine.database.query('DELETE FROM access_log_party');
  const start = '00000000-0000-0000-0000-000000000000';
  const backfill = createAccessLogBackfill({ database: engine.database, clock, log: makeTestLogger() });
  await engine.database.query(
    'UPDATE access_log_backfill SET after = $1, run = 1, starts_at = $2, finished_at = NULL',
    [start, new Date(clock.now())],
  );
  // The engine's own job may be at it.
  const guids = await eventually('all were entered', async () => {
    while (await backfill.step());
    const entered = (await log(patient.token)).map(({ event_guid: guid }) => guid);
    return before.every(({ event_guid: guid }) => entered.includes(guid)) ? entered : undefined;
  });
  assert.deepEqual(
    before.filter(({ event_guid: guid }) => !guids.includes(guid)),
    [],
  );
  clock.advance(3_600_000);
  await eventually('after the second run it was done', async () => {
    while (await backfill.step());
    const { rows } = await engine.database.query('SELECT FROM access_log_backfill WHERE finished_at IS NULL');
    return rows.length === 0 || undefined;
  });
});
