import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startIdentity } from '#test/support/identity/identity.ts';
import {
  auditedEvents,
  makeOrganisation,
  makePatient,
  makeProfessional,
} from '#test/support/identity/identity-people.ts';
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

const PROVIDER = '019a0000-0000-7000-8000-0000000000d1';
const setProvider = (guid: string, body: object, headers: Record<string, string> = admin) =>
  app.inject({ method: 'PUT', url: `/api/admin/organisations/${guid}/provider`, payload: body, headers });
const removeProvider = (guid: string) =>
  app.inject({ method: 'DELETE', url: `/api/admin/organisations/${guid}/provider`, headers: admin });
const blobOf = async (headers: Record<string, string>) => (await app.inject({ url: '/api/auth/me', headers })).json();

test('an organisation becomes a provider’s, and its professionals in the phase execution the provider’s staff', async () => {
  const nurse = await makeProfessional(identity, ['execution', 'planning']);
  assert.ok(!('provider_staff' in (await blobOf(nurse.headers))), 'of no provider');
  const changed = await setProvider(nurse.organisationGuid, { provider_guid: PROVIDER });
  assert.deepEqual([changed.statusCode, changed.json().provider_guid], [200, PROVIDER]);
  const { name, provider_staff, organization_ids } = await blobOf(nurse.headers);
  assert.equal(name, 'Anna Berg');
  assert.deepEqual(provider_staff, [{ organisation_guid: organization_ids[0], provider_guid: PROVIDER }]);
  const listed = (await app.inject({ url: '/api/admin/organisations', headers: admin })).json();
  const row = listed.find((each: { organisation_guid: string }) => each.organisation_guid === nurse.organisationGuid);
  assert.equal(row.provider_guid, PROVIDER);
  const published = (await app.inject('/api/public/organisations')).body;
  assert.ok(!published.includes(PROVIDER), 'the public catalogue says nothing of it');
  const removed = await removeProvider(nurse.organisationGuid);
  assert.deepEqual([removed.statusCode, 'provider_guid' in removed.json()], [200, false]);
  assert.ok(!('provider_staff' in (await blobOf(nurse.headers))), 'no longer');
  const { rows } = await identity.database.query<{ resource: string }>(
    `SELECT resource FROM audit_event WHERE resource LIKE '%organisation.set-provider%'`,
  );
  assert.equal(rows.filter(({ resource }) => resource.includes(nurse.organisationGuid)).length, 2);
});

test('a professional without the phase, or of another organisation, is no staff; an SU admin who works there is', async () => {
  const planner = await makeProfessional(identity, ['planning']);
  const elsewhere = await makeProfessional(identity, ['execution']);
  await setProvider(planner.organisationGuid, { provider_guid: PROVIDER });
  for (const { headers } of [planner, elsewhere])
    assert.deepEqual(
      Object.keys(await blobOf(headers)).filter((key) => ['name', 'provider_staff'].includes(key)),
      [],
    );
  const me = (await blobOf(admin)).user_guid;
  const url = `/api/admin/users/${me}`;
  const payload = { organisation_guids: [planner.organisationGuid] };
  await app.inject({ method: 'PATCH', url, payload, headers: admin });
  assert.equal((await blobOf(admin)).provider_staff[0].provider_guid, PROVIDER);
});

test('a provider’s guid is checked, and the organisation must exist', async () => {
  const guid = await makeOrganisation(identity);
  for (const body of [{}, { provider_guid: 'x' }, { provider_guid: null }, { provider_guid: PROVIDER.toUpperCase() }]) {
    const answer = await setProvider(guid, body);
    assert.deepEqual([answer.statusCode, answer.json().error], [400, 'validation_error'], JSON.stringify(body));
  }
  for (const unknown of ['nonsense', PROVIDER])
    assert.equal((await setProvider(unknown, { provider_guid: PROVIDER })).statusCode, 404);
  assert.equal((await removeProvider(PROVIDER)).statusCode, 404);
  const professional = await makeProfessional(identity, ['execution']);
  assert.equal((await setProvider(guid, { provider_guid: PROVIDER }, professional.headers)).statusCode, 403);
});

test('organisations are found by a part of the name, with how many professionals work there', async () => {
  await create({ name: 'Ängens vårdcentral' });
  const { organisationGuid } = await makeProfessional(identity);
  const find = async (query: string) =>
    (await app.inject({ url: `/api/admin/organisation-search${query}`, headers: admin })).json();
  const [found] = (await find('?search=ÄNGENS')).data;
  assert.deepEqual([found.name, found.provider_guid, found.professionals], ['Ängens vårdcentral', null, 0]);
  const all = await find('?per_page=200');
  const theirs = all.data.find((each: { organisation_guid: string }) => each.organisation_guid === organisationGuid);
  assert.deepEqual([theirs.professionals, all.total], [1, all.data.length]);
  assert.equal((await find('?search=%25')).total, 0);
  const provider = '019a0000-0000-7000-8000-0000000000d7';
  assert.equal((await find(`?provider_guid=${provider}`)).total, 0);
  assert.equal((await setProvider(organisationGuid, { provider_guid: provider })).statusCode, 200);
  const ofProvider = await find(`?provider_guid=${provider}`);
  assert.deepEqual([ofProvider.total, ofProvider.data[0].organisation_guid], [1, organisationGuid]);
  assert.equal((await find('?provider_guid=none')).error, 'validation_error');
});
