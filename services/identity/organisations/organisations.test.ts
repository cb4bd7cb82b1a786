import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startIdentity } from '#test/support/identity/identity.ts';
import { auditedEvents, makePatient, makeProfessional } from '#test/support/identity/identity-people.ts';
import { fifty } from '#test/support/system/at-once.ts';

const identity = await startIdentity({ after });
const { app } = identity;
const admin = await identity.asAdmin();

function create(payload: object, headers: Record<string, string> = admin) {
  return app.inject({ method: 'POST', url: '/api/admin/organisations', payload, headers });
}

test('an SU admin adds an organisation, and it is in both lists', async () => {
  const answer = await create({ name: '  Vårdcentralen Ån  ' });
  assert.equal(answer.statusCode, 201);
  const { organisation_guid, ...rest } = answer.json();
  assert.deepEqual(rest, { resourceType: 'Organization', name: 'Vårdcentralen Ån' });
  const listed = (await app.inject({ url: '/api/admin/organisations', headers: admin })).json();
  assert.deepEqual(listed, [answer.json()]);
  const published = await app.inject('/api/public/organisations');
  assert.deepEqual(published.json(), [{ organisation_guid, name: 'Vårdcentralen Ån' }]);
  assert.ok((await auditedEvents(identity)).includes('organisation.create'));
});

test('names without a visible character, with control characters or unknown fields are refused', async () => {
  for (const body of [
    {},
    { name: '' },
    { name: '  ' },
    { name: 'a\u0000b' },
    { name: 'half a pair \ud800' },
    { name: '\u200b' },
    { name: 'x'.repeat(201) },
    { name: 1 },
    { name: 'A', x: 1 },
  ]) {
    const answer = await create(body);
    assert.deepEqual([answer.statusCode, answer.json().error], [400, 'validation_error'], JSON.stringify(body));
    assert.equal(answer.json().messages.length, 1);
  }
});

test('the same name 50 times at once makes one organisation', async () => {
  const answers = await fifty(() => create({ name: 'Hjärtmottagningen' }));
  assert.equal(answers.filter((answer) => answer.statusCode === 201).length, 1);
  assert.ok(answers.every((answer) => answer.statusCode === 201 || answer.json().error === 'conflict'));
  assert.equal((await create({ name: 'hjärtmottagningen' })).statusCode, 409);
});

test('only SU admins administer organisations', async () => {
  const professional = (await makeProfessional(identity)).headers;
  const patient = (await makePatient(identity)).headers;
  for (const [headers, status, error] of [
    [{}, 401, 'unauthorized'],
    [professional, 403, 'forbidden'],
    [patient, 403, 'forbidden'],
  ] as const) {
    for (const method of ['GET', 'POST'] as const) {
      const answer = await app.inject({ method, url: '/api/admin/organisations', headers, payload: { name: 'Sly' } });
      assert.deepEqual([answer.statusCode, answer.json().error], [status, error]);
    }
  }
});

test('a page of the list comes with Link and X-Total-Count', async () => {
  for (const name of ['A one', 'A two', 'A three']) await create({ name });
  const whole = (await app.inject('/api/public/organisations')).json();
  const page = await app.inject('/api/public/organisations?page=2&per_page=2');
  assert.deepEqual(page.json(), whole.slice(2, 4));
  assert.equal(page.headers['x-total-count'], String(whole.length));
  assert.match(String(page.headers.link), /<\/api\/public\/organisations\?page=1&per_page=2>; rel="first"/);
  for (const beyond of ['per_page=201', 'page=0', 'page=99999999999999999999']) {
    assert.equal((await app.inject(`/api/public/organisations?${beyond}`)).statusCode, 400, beyond);
  }
});
