// The rows of the export and import of users (contract: identity, Admin; decision I13).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { HOUR_MS } from '#lib/clock.ts';
import { Secret } from '#lib/config/secret.ts';
import { handClock } from '#test/support/identity/identity.ts';
import { startContract } from '#test/support/identity/identity-contract.ts';
import { makePatient, makeProfessional, nextEmail, nextPersonnummer } from '#test/support/identity/identity-people.ts';
import { formOf, HEADER, importRows } from '#test/support/identity/user-csv.ts';
import { assertShape } from '#test/support/shape.ts';

const TEMPORARY = 'a temporary phrase';
const clock = handClock();
const config = { importPassword: new Secret(TEMPORARY), tokenTtlSeconds: 86_400 };
const { identity, su, ask, refuse } = await startContract({ after }, { clock, config });
const login = (email: string, password = TEMPORARY) => ask('POST /api/auth/login', { body: { email, password } });
const nurse = (email: string) => `${email},professional,Anna,Berg,nurse,,,planning,false`;

test('export-users: 200 text/csv, all users under the columns of the header', async () => {
  const [professional, patient] = [await makeProfessional(identity), await makePatient(identity)];
  const answer = await ask('GET /api/admin/export-users', { as: su });
  assert.equal(answer.status, 200);
  assert.match(String(answer.headers['content-type']), /^text\/csv/);
  const [header, ...rows] = answer.text.trim().split('\r\n');
  assert.equal(header, HEADER);
  for (const { email } of [professional, patient]) {
    assert.equal(rows.filter((row) => row.startsWith(`${email},`)).length, 1);
  }
});

test('import-users: 200 {created, skipped, errors}; who exists is skipped, every error is named by its line', async () => {
  const { email } = await makeProfessional(identity);
  const made = nextEmail();
  const rows = [nurse(made), nurse(email), `${nextEmail()},king,A,B,nurse,,,,false`];
  const { status, body } = await importRows(identity, rows);
  assert.equal(status, 200);
  assertShape(body, { created: 1, skipped: 1, errors: [{ line: 4, email: /@/, message: /user_type/ }] });
});

test('import-users: what is imported may sign in, must change the password first, and is then as any other', async () => {
  const email = nextEmail();
  await importRows(identity, [nurse(email)]);
  const { status, body } = await login(email);
  assert.deepEqual([status, body.must_change_password], [200, true]);
  const as = { headers: { authorization: `Bearer ${body.token}` } };
  await refuse('GET /api/groups', { as }, 403, 'password_change_required');
  assert.equal((await ask('GET /api/auth/me', { as })).status, 200);
  const change = { current_password: TEMPORARY, new_password: 'one that nobody knows' };
  assert.equal((await ask('POST /api/auth/change-password', { as, body: change })).status, 200);
  assert.deepEqual((await ask('GET /api/auth/me', { as })).body.effective_phases, ['planning']);
  assert.deepEqual(Object.keys((await login(email, change.new_password)).body).sort(), ['token', 'user_guid']);
});

test('import-users: the temporary password works for 72 hours', async () => {
  const email = nextEmail();
  await importRows(identity, [nurse(email)]);
  clock.advance(72 * HOUR_MS - 60_000);
  assert.equal((await login(email)).status, 200);
  clock.advance(60_000);
  assert.equal((await login(email)).status, 401);
  clock.advance(-72 * HOUR_MS);
});

test('import-users: ?dry_run=true says what would happen, and nothing does', async () => {
  const email = nextEmail();
  const { body } = await importRows(identity, [nurse(email)], '?dry_run=true');
  assert.deepEqual(body, { created: 1, skipped: 0, errors: [] });
  assert.equal((await login(email)).status, 401);
});

test('import-users: what export-users writes is read again', async () => {
  const number = nextPersonnummer();
  const patient = await makePatient(identity);
  const exported = (await ask('GET /api/admin/export-users', { as: su })).text;
  const row = exported.split('\r\n').find((line) => line.startsWith(`${patient.email},`)) ?? '';
  assert.match(row, new RegExp(patient.personnummer));
  const moved = row.replace(patient.email, nextEmail()).replace(patient.personnummer, number);
  assert.deepEqual((await importRows(identity, [moved])).body, { created: 1, skipped: 0, errors: [] });
});

test('import-users: 400 validation_error without the field file, 415 for what is no form', async () => {
  const form = new FormData();
  form.append('other', new Blob(['x']), 'x.csv');
  const { payload, headers } = await formOf(form);
  await refuse('POST /api/admin/import-users', { as: su, headers, body: payload }, 400, 'validation_error');
  await refuse('POST /api/admin/import-users', { as: su, body: {} }, 415, 'unsupported_media_type');
});
