// The feed of whose records are one person's (docs/adr/0073): each change in commit order, for a follower that was away
// long.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { asDispatch, BOTH_SERVICES, startIdentity } from '#test/support/identity/identity.ts';
import { makeOrganisation, nextEmail, nextPersonnummer, PASSWORD } from '#test/support/identity/identity-people.ts';

const identity = await startIdentity({ after }, { serviceClients: BOTH_SERVICES });
const { app, database } = identity;
const organisation_guid = await makeOrganisation(identity);
let changes = 0;

interface Feed {
  readonly patients: readonly { readonly patient_guid: string; readonly records: readonly string[] }[];
  readonly sequence: number;
  readonly has_more: boolean;
}

async function feedAfter(sequence: number): Promise<Feed> {
  const answer = await app.inject({ url: `/api/auth/patient-links?after=${sequence}`, headers: asDispatch });
  assert.equal(answer.statusCode, 200, answer.body);
  assert.equal(answer.headers['cache-control'], 'private, no-store');
  return answer.json();
}

async function report(record_id: string, ...numbers: string[]): Promise<void> {
  changes += 1;
  const payload = { records: [{ record_id, organisation_guid, change: changes, numbers }] };
  const answer = await app.inject({ method: 'POST', url: '/api/auth/patient-records', headers: asDispatch, payload });
  assert.equal(answer.statusCode, 204, answer.body);
}

async function register(personnummer: string): Promise<string> {
  const payload = { email: nextEmail(), password: PASSWORD, personnummer, organisation_guid };
  const answer = await app.inject({ method: 'POST', url: '/api/patient/register', payload });
  assert.equal(answer.statusCode, 201, answer.body);
  return answer.json().patient_guid;
}

test('links that are made, ended and undone are each followed from where the reader was', async () => {
  const number = nextPersonnummer();
  const start = (await feedAfter(0)).sequence;
  await report('feed-1', number);
  const patient = await register(number);
  const made = await feedAfter(start);
  assert.deepEqual(made.patients, [{ patient_guid: patient, records: ['feed-1'] }]);
  assert.deepEqual([(await feedAfter(made.sequence)).patients, made.has_more], [[], false]);
  await report('feed-2', number);
  const second = await feedAfter(made.sequence);
  assert.deepEqual(second.patients, [{ patient_guid: patient, records: ['feed-1', 'feed-2'] }]);
  await report('feed-1');
  const ended = await feedAfter(second.sequence);
  assert.deepEqual(ended.patients, [{ patient_guid: patient, records: ['feed-2'] }]);
  const headers = await identity.asAdmin();
  const link = `/api/admin/patients/${patient}/records/dispatch/feed-2`;
  assert.equal((await app.inject({ method: 'DELETE', url: link, headers })).statusCode, 200);
  assert.deepEqual((await feedAfter(ended.sequence)).patients, [{ patient_guid: patient, records: [] }]);
  const whole = (await feedAfter(0)).patients.filter(({ patient_guid: guid }) => guid === patient);
  assert.deepEqual(whole, [{ patient_guid: patient, records: [] }], 'one entry however often it changed');
});

test('a reader who is ahead of a restored database begins again; many patients come in pages without gaps', async () => {
  const ahead = await feedAfter(9_000_000);
  assert.deepEqual(ahead, await feedAfter(0));
  const { sequence } = ahead;
  const people: string[] = [];
  for (let index = 0; index < 3; index += 1) {
    const number = nextPersonnummer();
    await report(`page-${index}`, number);
    people.push(await register(number));
  }
  // As many changes as make two pages, each of one of them.
  await database.query(
    `WITH counter AS (UPDATE revocation_counter SET last = last + 1 RETURNING last)
     INSERT INTO user_change (sequence, user_guid, changed_at) SELECT last, user_guid, now() FROM counter, patient
     WHERE patient_guid = $1`,
    [people[0]],
  );
  const found = (await feedAfter(sequence)).patients.map(({ patient_guid: guid }) => guid);
  assert.deepEqual(found, [people[1], people[2], people[0]], 'the latest change decides the order');
});

test('the records of an account that was merged are those of the one that remains, in whatever order they change', async () => {
  const [number, other] = [nextPersonnummer(), nextPersonnummer()];
  const [merged, kept] = [await register(number), await register(other)];
  await report('feed-merged', number);
  const headers = await identity.asAdmin();
  const userOf = async (patient: string) => {
    const { rows } = await database.query<{ user_guid: string }>(
      'SELECT user_guid FROM patient WHERE patient_guid = $1',
      [patient],
    );
    return rows[0]?.user_guid ?? '';
  };
  const url = `/api/admin/users/${await userOf(merged)}/merge`;
  const payload = { into_user_guid: await userOf(kept) };
  assert.equal((await app.inject({ method: 'POST', url, headers, payload })).statusCode, 200);
  await report('feed-merged', number, number);
  const of = async (patient: string) =>
    (await feedAfter(0)).patients.find(({ patient_guid: guid }) => guid === patient)?.records ?? [];
  assert.deepEqual([await of(kept), await of(merged)], [[merged, 'feed-merged'], []]);
  assert.equal((await app.inject({ method: 'DELETE', url, headers })).statusCode, 200);
  assert.deepEqual([await of(kept), await of(merged)], [[], ['feed-merged']]);
});
