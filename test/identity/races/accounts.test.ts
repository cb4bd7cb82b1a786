// Races for an account, an address, a personnummer and a session: of fifty at once one gets it (decisions I1, I3, I6
// and I11).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { promptly } from '#test/support/http.ts';
import { ADMIN, REDIRECT } from '#test/support/identity/identity.ts';
import {
  accessRequestBody,
  makeOrganisation,
  makeProfessional,
  nextEmail,
  nextPersonnummer,
  PASSWORD,
  registration,
} from '#test/support/identity/identity-people.ts';
import { ask, onlyOne, onlyThese, startRaces, statuses } from '#test/support/identity/identity-races.ts';

const races = await startRaces({ after });
const { first, second, rowsOf, race, audited, makeAccessRequest, decideAccess, accountOf } = races;

const newRegistration = async () => registration(await makeOrganisation(first));

test('one access request is approved once, and makes one account', async () => {
  const request = await makeAccessRequest(['planning', 'analysis']);
  const answers = await race((_, node) => decideAccess(node, request.guid, 'approved'));
  onlyOne(answers, 200, [409]);
  assert.deepEqual(await accountOf(request.email), [
    { users: 1, professionals: 1, patients: 0, links: 1, memberships: 2 },
  ]);
  assert.equal(await audited('access-request.approved', request.guid), 1);
});

test('one access request is approved or rejected, not both', async () => {
  const request = await makeAccessRequest(['planning']);
  const decisions = ['approved', 'rejected', 'endorsed'] as const;
  const answers = await race((index, node) => decideAccess(node, request.guid, decisions[index % 3] ?? 'rejected'));
  onlyThese(answers, [200, 409]);
  const taken = answers.filter((answer) => answer.statusCode === 200).map((answer) => answer.json().status);
  const final = taken.filter((status) => status !== 'endorsed');
  assert.equal(final.length, 1);
  assert.ok(taken.length <= 2);
  const rows = await rowsOf('SELECT status, password_hash FROM access_request WHERE access_request_guid = $1', [
    request.guid,
  ]);
  assert.deepEqual(rows, [{ status: final[0], password_hash: null }]);
  const [account] = await accountOf(request.email);
  assert.equal(account?.['users'], final[0] === 'approved' ? 1 : 0);
});

test('one address asks for access once', async () => {
  const body = await accessRequestBody(first);
  const answers = await race((_, node) => ask(node, 'POST /api/public/access-request', { payload: body }));
  onlyOne(answers, 201, [409, 503]);
  assert.equal((await rowsOf('SELECT FROM access_request WHERE email_key = $1', [body.email])).length, 1);
});

test('one address is registered once', async () => {
  const body = await newRegistration();
  const answers = await race((_, node) =>
    ask(node, 'POST /api/patient/register', { payload: { ...body, personnummer: nextPersonnummer() } }),
  );
  onlyOne(answers, 201, [409, 503]);
  assert.deepEqual(await accountOf(body.email), [
    { users: 1, professionals: 0, patients: 1, links: 0, memberships: 0 },
  ]);
});

test('one personnummer is registered once, and leaves no user behind', async () => {
  const body = await newRegistration();
  const answers = await race((_, node) =>
    ask(node, 'POST /api/patient/register', { payload: { ...body, email: nextEmail() } }),
  );
  onlyOne(answers, 201, [409, 503]);
  const orphans = await rowsOf(
    `SELECT FROM app_user u WHERE user_type = 'patient' AND NOT EXISTS (SELECT FROM patient p WHERE p.user_guid = u.user_guid)`,
  );
  assert.equal(orphans.length, 0);
});

test('a patient registers with the address of an access request that is approved meanwhile: one account', async () => {
  const request = await makeAccessRequest(['planning']);
  const body = await newRegistration();
  const answers = await race((index, node) =>
    index % 10 === 0
      ? decideAccess(node, request.guid, 'approved')
      : ask(node, 'POST /api/patient/register', {
          payload: { ...body, email: request.email, personnummer: nextPersonnummer() },
        }),
  );
  const made = answers.filter((answer) => answer.statusCode === 201 || answer.statusCode === 200);
  assert.equal(made.length, 1, statuses(answers));
  onlyThese(answers, [200, 201, 409, 503]);
  const [account] = await accountOf(request.email);
  const isApproved = made[0]?.statusCode === 200;
  assert.deepEqual(
    account,
    isApproved
      ? { users: 1, professionals: 1, patients: 0, links: 1, memberships: 1 }
      : { users: 1, professionals: 0, patients: 1, links: 0, memberships: 0 },
  );
});

test('one one-time code is exchanged once', async () => {
  const next = `${REDIRECT}callback`;
  const payload = { ...ADMIN, next, response_mode: 'code' };
  const { headers } = await ask(first, 'POST /api/auth/login', { payload });
  const code = new URL(String(headers.location)).searchParams.get('code');
  onlyOne(await race((_, node) => ask(node, 'POST /api/auth/token', { payload: { code, next } })), 200, [401]);
});

test('one password is changed once, and the one that answered 200 is the password', async () => {
  const { headers, email } = await makeProfessional(first);
  const nextOf = (index: number) => `a phrase that is new ${index}`;
  const answers = await race((index, node) =>
    ask(node, 'POST /api/auth/change-password', {
      headers,
      payload: { current_password: PASSWORD, new_password: nextOf(index) },
    }),
  );
  const winner = onlyOne(answers, 200, [401, 429, 503]);
  await first.database.query('DELETE FROM login_failure');
  assert.equal((await first.signIn(email, nextOf(answers.indexOf(winner)))).authorization.slice(0, 7), 'Bearer ');
});

test('a token is used while it is signed out: 200 or 401, and 401 on both nodes afterwards', async () => {
  const { headers } = await makeProfessional(first);
  const answers = await race((index, node) =>
    index % 5 === 4 ? ask(node, 'POST /api/auth/logout', { headers }) : ask(node, 'GET /api/auth/me', { headers }),
  );
  onlyThese(answers, [200, 401]);
  assert.ok(answers.some((answer, index) => index % 5 === 4 && answer.statusCode === 200));
  assert.equal((await ask(first, 'GET /api/auth/me', { headers })).statusCode, 401);
  const isRefused = async () =>
    (await ask(second, 'GET /api/auth/me', { headers })).statusCode === 401 ? true : undefined;
  await promptly('the other node refused it', isRefused, 2_000);
});

test('no node has answered what nobody foresaw', races.requireNoInternalErrors);
