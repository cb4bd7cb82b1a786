// Idempotency-Key on identity's endpoints (decision G10): which accept it, and its effect on real registrations and
// invites.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { creatingAddresses } from '#test/support/idempotency.ts';
import { identityDatabase, startIdentity } from '#test/support/identity/identity.ts';
import { accessRequestBody, makeOrganisation, PASSWORD, registration } from '#test/support/identity/identity-people.ts';
import { fifty } from '#test/support/system/at-once.ts';

const on = await identityDatabase({ after });
const nodes = [await startIdentity({ after }, { on }), await startIdentity({ after }, { on })] as const;
const [identity] = nodes;

function post(
  node: 0 | 1,
  url: string,
  { payload, headers = {} }: { payload: object; headers?: Record<string, string> },
) {
  return nodes[node].app.inject({ method: 'POST', url, headers, payload });
}

test('every endpoint that creates something accepts the header, and documents it', async () => {
  const { shown, missing } = await creatingAddresses(identity.app);
  // A one-time code is shown once, and a second call replaces it: its response is not stored (ADR 0067).
  assert.deepEqual(missing, ['/api/admin/users/{user_guid}/password-reset']);
  assert.ok(shown.includes('/api/patient/register') && shown.includes('/fhir/Organization'));
});

test('a registration that is sent again gets its answer, and another one with the same key 422', async () => {
  const payload = registration(await makeOrganisation(identity));
  const headers = { 'idempotency-key': 'registration-1' };
  const first = await post(0, '/api/patient/register', { payload, headers });
  const again = await post(1, '/api/patient/register', { payload, headers });
  assert.deepEqual([again.statusCode, again.json()], [201, first.json()]);
  assert.equal((await post(1, '/api/patient/register', { payload })).statusCode, 409);
  const other = await post(0, '/api/patient/register', { payload: { ...payload, password: `${PASSWORD}!` }, headers });
  assert.equal(other.statusCode, 422);
  assert.ok(!other.body.includes(payload.personnummer));
});

test('an access request 50-fold on two nodes: one request, and no response says that the address is taken', async () => {
  const payload = await accessRequestBody(identity);
  const headers = { 'idempotency-key': 'access-1' };
  const answers = await fifty((index) =>
    post(index % 2 === 0 ? 0 : 1, '/api/public/access-request', { payload, headers }),
  );
  const made = answers.filter(({ statusCode }) => statusCode === 201);
  assert.ok(made.length > 0);
  assert.equal(new Set(made.map(({ body }) => body)).size, 1);
  for (const { statusCode, body } of answers)
    assert.ok(statusCode === 201 || body.includes('is being worked on'), body);
  const last = await post(1, '/api/public/access-request', { payload, headers });
  assert.equal(last.body, made[0]?.body);
});

test('a repeated request returns the same invite, only to the same caller, and its token is stored encrypted', async () => {
  const [group] = (await identity.app.inject('/api/public/groups')).json();
  const payload = { group_guid: group.group_guid };
  const headers = { ...(await identity.asAdmin()), 'idempotency-key': 'invite-1' };
  const first = await post(0, '/api/groups/admin/invite', { payload, headers });
  assert.equal((await post(1, '/api/groups/admin/invite', { payload, headers })).body, first.body);
  const { rows } = await identity.database.query<{ invites: number }>('SELECT count(*) AS invites FROM group_invite');
  assert.equal(rows[0]?.invites, 1);
  const kept = await identity.database.query<{ answer: Buffer }>('SELECT answer FROM idempotency_key');
  assert.ok(kept.rows.every(({ answer }) => !answer.toString('latin1').includes(first.json().token)));
  assert.equal(
    (await post(1, '/api/groups/admin/invite', { payload, headers: { 'idempotency-key': 'invite-1' } })).statusCode,
    401,
  );
});
