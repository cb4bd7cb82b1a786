// The page of access requests: the same effect as POST /api/public/access-request.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { BROWSER, errorsOf, postForm } from '#test/support/dispatch/form.ts';
import { startIdentity } from '#test/support/identity/identity.ts';
import { accessRequestBody, PASSWORD } from '#test/support/identity/identity-people.ts';

const identity = await startIdentity({ after });
const { app, database } = identity;

async function form(changes: Record<string, string | string[]> = {}) {
  const { requested_phases: _phases, ...body } = await accessRequestBody(identity);
  return { lang: 'en', ...body, password_again: PASSWORD, requested_phases: ['planning', 'followup'], ...changes };
}

test('a form asks for access with the phases that were ticked', async () => {
  const sent = await form();
  const answer = await postForm(app, '/access-request', sent);
  assert.equal(answer.statusCode, 303);
  assert.equal(answer.headers.location, '/access-request/done?lang=en');
  const { rows } = await database.query<Record<string, unknown>>(
    'SELECT requested_phases, status, organisation_guid, chosen_leader_guid FROM access_request WHERE email = $1',
    [String(sent.email)],
  );
  assert.deepEqual(rows, [
    {
      requested_phases: ['planning', 'followup'],
      status: 'pending',
      organisation_guid: sent.organisation_guid,
      chosen_leader_guid: sent.chosen_leader_guid,
    },
  ]);
});

test('one phase, none, and a repeated one are accepted', async () => {
  for (const phases of ['analysis', [], ['analysis', 'analysis']]) {
    assert.equal((await postForm(app, '/access-request', await form({ requested_phases: phases }))).statusCode, 303);
  }
});

test('every error is reported at once, and the choices are kept', async () => {
  const bad = { first_name: ' ', email: 'x', professional_role: 'king', password: 'short', password_again: 'other' };
  const answer = await postForm(
    app,
    '/access-request',
    await form({ ...bad, requested_phases: ['planning', 'sleep'] }),
  );
  assert.equal(answer.statusCode, 400);
  const fields = ['first_name', 'email', 'professional_role', 'requested_phases', 'password', 'password_again'];
  assert.deepEqual(Object.keys(errorsOf(answer.body)), fields);
  assert.match(answer.body, /value="planning" checked/);
  assert.doesNotMatch(answer.body, /value="analysis" checked/);
  const again = await postForm(app, '/access-request', await form({ password: 'short' }));
  assert.match(again.body, /value="nurse" checked/);
  assert.match(again.body, /id="first_name"[^>]* value="Anna"/);
});

test('an address with an open request is reported at its field', async () => {
  const sent = await form();
  await postForm(app, '/access-request', sent);
  const again = await postForm(app, '/access-request', sent);
  assert.deepEqual([again.statusCode, Object.keys(errorsOf(again.body))], [409, ['email']]);
});

test('a leader is found by a part of the name; an unknown leader leads back to that choice', async () => {
  const { organisation_guid: organisation } = await form();
  const page = (query: Record<string, string>) =>
    app.inject({
      url: `/access-request?${new URLSearchParams({ lang: 'en', organisation_guid: String(organisation), ...query })}`,
      headers: BROWSER,
    });
  assert.match((await page({ search: 'em admin' })).body, /chosen_leader_guid=[0-9a-f-]{36}">System Administrator/);
  assert.doesNotMatch((await page({ search: 'nobody' })).body, /System Administrator/);
  const gone = await page({ chosen_leader_guid: '00000000-0000-7000-8000-00000000dead' });
  assert.deepEqual([gone.statusCode, /Who leads your work/.test(gone.body)], [404, true]);
});
