// An SU admin merges two accounts of one person (docs/adr/0076). The test covers preview, merge, the end of the merged
// account's token, the records under both guids, and the undoing. A merge happens once, however many ask.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startEngineWithIdentity } from '../support/engine/engine-with-identity.ts';
import { makePatient, makeProfessional, PASSWORD } from '../support/identity/identity-people.ts';

const { identity, engine, follow } = await startEngineWithIdentity({ after });
const { app, database } = identity;
const admin = await identity.asAdmin();

type Headers = Record<string, string>;
const tokenOf = ({ authorization }: Headers) => String(authorization).slice(7);
const guidOf = async (headers: Headers): Promise<string> =>
  (await app.inject({ url: '/api/auth/me', headers })).json().user_guid;
const blobOf = async (headers: Headers) => (await app.inject({ url: '/api/auth/me', headers })).json();
const preview = (from: string, into: string) =>
  app.inject({ url: `/api/admin/users/${from}/merge?into_user_guid=${into}`, headers: admin });
const merge = (from: string, into: string) =>
  app.inject({
    method: 'POST',
    url: `/api/admin/users/${from}/merge`,
    headers: admin,
    payload: { into_user_guid: into },
  });
const undo = (from: string) => app.inject({ method: 'DELETE', url: `/api/admin/users/${from}/merge`, headers: admin });
const patchUser = async (guid: string, payload: object) => {
  const answer = await app.inject({ method: 'PATCH', url: `/api/admin/users/${guid}`, headers: admin, payload });
  assert.equal(answer.statusCode, 200, answer.body);
};
const atEngine = async (headers: Headers, path: string) => {
  await follow();
  return (await engine.call(tokenOf(headers), 'GET', path)).status;
};

test('two accounts of a professional: preview, merge, and what is left of the first', async () => {
  const [old, kept] = [await makeProfessional(identity, ['planning', 'analysis']), await makeProfessional(identity)];
  await patchUser(old.userGuid, { is_privacy_officer: true });
  const shown = await preview(old.userGuid, kept.userGuid);
  assert.equal(shown.statusCode, 200, shown.body);
  const effects = shown.json();
  assert.deepEqual(
    [effects.email, effects.is_merged, effects.rights_left, effects.patient_guid],
    [kept.email, false, ['privacy_officer'], null],
  );
  assert.deepEqual(
    effects.organisations.map(({ organisation_guid: guid }: { organisation_guid: string }) => guid),
    [old.organisationGuid],
  );
  assert.deepEqual(effects.groups.map(({ name }: { name: string }) => name).toSorted(), ['analysis', 'planning']);
  assert.deepEqual((await blobOf(kept.headers)).effective_phases, [], 'a preview changes nothing');
  assert.equal(await atEngine(old.headers, '/Patient'), 200);
  const merged = await merge(old.userGuid, kept.userGuid);
  assert.deepEqual([merged.statusCode, merged.json()], [200, effects]);
  const blob = await blobOf(kept.headers);
  assert.deepEqual(
    [blob.effective_phases.toSorted(), blob.organization_ids.toSorted(), blob.is_privacy_officer],
    [['analysis', 'planning'], [kept.organisationGuid, old.organisationGuid].toSorted(), undefined],
  );
  assert.equal(await atEngine(old.headers, '/Patient'), 401);
  assert.equal((await app.inject({ url: '/api/auth/me', headers: old.headers })).statusCode, 401);
  const login = { email: old.email, password: PASSWORD };
  const signIn = async (payload: object) => {
    const answer = await app.inject({ method: 'POST', url: '/api/auth/login', payload });
    assert.equal(answer.statusCode, 401);
    return answer.json().message as string;
  };
  assert.match(await signIn(login), /was merged into another one of yours/, 'to who knows the password');
  const unknown = { email: 'nobody@example.org', password: PASSWORD };
  assert.equal(
    await signIn({ ...login, password: `not ${PASSWORD}` }),
    await signIn(unknown),
    'others learn nothing of it',
  );
  const shownWith = (await app.inject({ url: `/api/admin/users/${kept.userGuid}`, headers: admin })).json();
  assert.deepEqual(shownWith.merged_accounts, [{ user_guid: old.userGuid, email: old.email }]);
  const unblock = await app.inject({ method: 'POST', url: `/api/admin/users/${old.userGuid}/unblock`, headers: admin });
  assert.equal(unblock.statusCode, 409);
  const users = (await app.inject({ url: '/api/admin/users', headers: admin })).json();
  const row = users.find(({ user_guid: guid }: { user_guid: string }) => guid === old.userGuid);
  assert.equal(row.merged_into, kept.userGuid);
  const again = await merge(old.userGuid, kept.userGuid);
  assert.deepEqual([again.statusCode, again.json().is_merged], [200, true]);
});

test('a patient reads the records under both guids, and an undoing separates them again', async () => {
  const nurse = await makeProfessional(identity, ['planning', 'analysis']);
  const [old, kept] = [await makePatient(identity), await makePatient(identity)];
  const [from, into] = [await guidOf(old.headers), await guidOf(kept.headers)];
  const { patient_guid: oldPatient } = old.answer;
  const registries = `/api/admin/patients/${oldPatient}/registries`;
  await app.inject({ method: 'PUT', url: registries, headers: admin, payload: { registries: ['Swedeheart'] } });
  const observation = {
    resourceType: 'Observation',
    status: 'final',
    code: { text: 'x' },
    subject: { reference: `Patient/${oldPatient}` },
  };
  const written = await engine.call(tokenOf(nurse.headers), 'POST', '/Observation', observation);
  assert.equal(written.status, 201, written.text);
  const path = `/Observation/${written.body.id}`;
  assert.equal(await atEngine(kept.headers, path), 404);
  assert.equal((await merge(from, into)).statusCode, 200);
  assert.equal(await atEngine(kept.headers, path), 200);
  const blob = await blobOf(kept.headers);
  assert.deepEqual([blob.linked_records.engine, blob.linked_records.dispatch], [[oldPatient], [oldPatient]]);
  assert.deepEqual(blob.registries, ['Swedeheart']);
  const lookUp = (personnummer: string) =>
    app.inject({ method: 'POST', url: '/api/patients/lookup', headers: admin, payload: { personnummer } });
  for (const personnummer of [old.personnummer, kept.personnummer])
    assert.equal((await lookUp(personnummer)).json().patient_guid, kept.answer.patient_guid);
  const events = await database.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM audit_event WHERE event = 'user.merge' AND subject_guid = ANY($1::uuid[])`,
    [[from, into]],
  );
  assert.equal(events.rows[0]?.n, 2);
  assert.equal((await undo(from)).statusCode, 200);
  assert.equal(await atEngine(kept.headers, path), 404);
  const after = await blobOf(kept.headers);
  assert.deepEqual([after.linked_records, after.registries], [undefined, []]);
  const login = { email: old.email, password: PASSWORD };
  const signedIn = await app.inject({ method: 'POST', url: '/api/auth/login', payload: login });
  assert.equal(signedIn.statusCode, 200);
  assert.equal((await lookUp(old.personnummer)).json().patient_guid, oldPatient);
  assert.equal((await undo(from)).statusCode, 409);
});

test('whom the merged account has named as a proxy is seen and ended by the account that remains', async () => {
  const [old, kept, proxy] = [await makePatient(identity), await makePatient(identity), await makePatient(identity)];
  const [from, into] = [await guidOf(old.headers), await guidOf(kept.headers)];
  const until = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
  const url = '/api/patient/proxies';
  const payload = { email: proxy.email, may: 'act', until };
  const { proxy_guid } = (await app.inject({ method: 'POST', url, headers: old.headers, payload })).json();
  await app.inject({ method: 'POST', url: `${url}/${proxy_guid}/accept`, headers: proxy.headers });
  const listed = async () => (await app.inject({ url, headers: kept.headers })).json().given;
  const end = (headers: Record<string, string>) =>
    app.inject({ method: 'DELETE', url: `${url}/${proxy_guid}`, headers });
  assert.deepEqual([await listed(), (await end(kept.headers)).statusCode], [[], 404]);
  assert.equal((await merge(from, into)).statusCode, 200);
  assert.deepEqual(
    (await listed()).map((each: { proxy_guid: string; status: string }) => [each.proxy_guid, each.status]),
    [[proxy_guid, 'active']],
  );
  const ended = await end(kept.headers);
  assert.deepEqual([ended.statusCode, ended.json().ended_by], [200, 'patient']);
  assert.equal((await blobOf(proxy.headers)).proxy_for, undefined, 'the right has ended');
});

test('what cannot be merged is refused with the reason', async () => {
  const [one, two, three] = [
    await makeProfessional(identity),
    await makeProfessional(identity),
    await makeProfessional(identity),
  ];
  const patient = await guidOf((await makePatient(identity)).headers);
  const me = await guidOf(admin);
  const absent = '01900000-0000-7000-8000-00000000ffff';
  for (const [from, into, status] of [
    [one.userGuid, patient, 409],
    [patient, one.userGuid, 409],
    [me, one.userGuid, 409],
    [one.userGuid, one.userGuid, 400],
    [one.userGuid, absent, 404],
    [absent, one.userGuid, 404],
  ] as const) {
    const answer = await merge(from, into);
    assert.equal(answer.statusCode, status, answer.body);
  }
  assert.equal((await merge(one.userGuid, two.userGuid)).statusCode, 200);
  for (const [from, into] of [
    [one.userGuid, three.userGuid],
    [two.userGuid, three.userGuid],
    [three.userGuid, one.userGuid],
  ] as const)
    assert.equal((await merge(from, into)).statusCode, 409);
});

test('of many who merge at once, in both directions, one merge is made', async () => {
  const [one, two] = [await makeProfessional(identity, ['planning']), await makeProfessional(identity, ['analysis'])];
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      index % 2 === 0 ? merge(one.userGuid, two.userGuid) : merge(two.userGuid, one.userGuid),
    ),
  );
  assert.ok(answers.every(({ statusCode }) => statusCode === 200 || statusCode === 409 || statusCode === 503));
  const { rows } = await database.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM app_user WHERE merged_into = ANY($1::uuid[])',
    [[one.userGuid, two.userGuid]],
  );
  assert.equal(rows[0]?.n, 1);
});
