// Matching over HTTP: the query to the contract service, the created matches, errors, and races (decision D4).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { fifty } from '#test/support/system/at-once.ts';
import { LIBRARY, makeActive, makeDraft, PLAN } from '../testing/samples.ts';
import { makeSite, ORGANISATION } from '../testing/site.ts';

const site = await makeSite({ after });
const { call, world } = site;
const contract = (number: number) => ({
  contract_guid: `contract-${number}`,
  provider_guid: `provider-${number}`,
  provider_name: `Hemvården ${number}`,
});
world.contracts = [contract(1), contract(2)];

type Wire = Record<string, unknown>;

test('each contract becomes a pending match; matching again adds only new ones', async () => {
  const id = await makeActive(site);
  const first = await call('POST', `ServiceRequest/${id}/match`);
  assert.equal(first.status, 200, first.text);
  const matches = first.body['matches'] as Wire[];
  assert.deepEqual(
    matches.map(({ match_guid: guid, ...rest }) => [typeof guid, rest]),
    [1, 2].map((number) => [
      'string',
      { ...contract(number), status: 'pending', delivery: null, updated_at: '2026-03-01T08:00:00.000Z' },
    ]),
  );
  assert.deepEqual(world.matched.at(-1), {
    codes: [{ system: LIBRARY, code: 'weighing' }],
    organisation_guid: ORGANISATION,
    date: '2026-03-01',
  });
  world.contracts = [contract(1), contract(2), contract(3)];
  const again = await call('POST', `ServiceRequest/${id}/match`, { body: { region: 'SE-AC', date: '2026-05-01' } });
  assert.equal((again.body['matches'] as Wire[]).length, 3);
  assert.deepEqual((again.body['matches'] as Wire[]).slice(0, 2), matches);
  assert.deepEqual(
    [(world.matched.at(-1) as Wire)['region'], (world.matched.at(-1) as Wire)['date']],
    ['SE-AC', '2026-05-01'],
  );
  const listed = await call('GET', `ServiceRequest/${id}/matches?per_page=2&page=2`);
  assert.deepEqual([listed.body['data'], listed.body['total']], [(again.body['matches'] as Wire[]).slice(2), 3]);
  world.contracts = [contract(1), contract(2)];
});

test('today is the day in the deployment’s time zone', async () => {
  const id = await makeActive(site);
  const till = Date.parse('2026-03-01T23:30:00Z') - site.clock.now();
  site.clock.move(till);
  assert.equal((await call('POST', `ServiceRequest/${id}/match`)).status, 200);
  site.clock.move(-till);
  assert.equal((world.matched.at(-1) as Wire)['date'], '2026-03-02');
});

test('no contract: no match', async () => {
  world.contracts = [];
  const id = await makeActive(site);
  assert.deepEqual((await call('POST', `ServiceRequest/${id}/match`)).body, { matches: [] });
  world.contracts = [contract(1), contract(2)];
});

test('fifty concurrent matchings return the same two matches', async () => {
  const id = await makeActive(site);
  const answers = await fifty(() => call('POST', `ServiceRequest/${id}/match`));
  const seen = new Set(
    answers.map(({ body }) => JSON.stringify((body['matches'] as Wire[]).map((match) => match['match_guid']))),
  );
  assert.deepEqual([answers.every(({ status }) => status === 200), seen.size], [true, 1]);
});

test('contract service down: 503 and nothing changed; an invalid response: 502', async () => {
  const id = await makeActive(site);
  world.isContractDown = true;
  const down = await call('POST', `ServiceRequest/${id}/match`);
  world.isContractDown = false;
  assert.equal(down.status, 503);
  assert.match(down.text, /upstream_unavailable/);
  const strange = [
    { contract_guid: 1 },
    { ...contract(1), provider_guid: 'a,b|c' },
    { ...contract(1), provider_name: 'a\u0000b' },
    { ...contract(1), provider_name: 'x'.repeat(501) },
    { ...contract(1), organisation_guid: '' },
  ];
  for (const answer of strange) {
    world.contracts = [answer];
    assert.equal((await call('POST', `ServiceRequest/${id}/match`)).status, 502, JSON.stringify(answer).slice(0, 200));
  }
  world.contracts = [contract(1), contract(2)];
  assert.deepEqual((await call('GET', `ServiceRequest/${id}/matches`)).body['data'], []);
});

test('a plan without codes cannot be matched: 422', async () => {
  const id = await makeDraft(site);
  const { contained: _contained, goal: _goal, ...plan } = PLAN;
  const bare = { ...plan, action: [{ title: 'Talk' }] };
  const put = await call('PUT', `ServiceRequest/${id}/snapshot`, { body: { plan_definition: bare } });
  assert.equal(put.status, 200, put.text);
  assert.equal((await call('POST', `ServiceRequest/${id}/finalize`)).status, 200);
  assert.equal((await call('POST', `ServiceRequest/${id}/match`)).status, 422);
});

test('an invalid body is 400; other callers may not match', async () => {
  const id = await makeActive(site);
  const post = (as: string, body?: unknown) =>
    call('POST', `ServiceRequest/${id}/match`, { as, ...(body === undefined ? {} : { body }) });
  assert.equal((await post('anna', { date: 'soon' })).status, 400);
  assert.equal((await post('anna', { more: 1 })).status, 400);
  const statuses = await Promise.all(['nobody', 'reader', 'bo', 'patient', 'provider'].map((as) => post(as)));
  assert.deepEqual(
    statuses.map(({ status }) => status),
    [401, 403, 404, 403, 403],
  );
  assert.equal((await call('GET', `ServiceRequest/${id}/matches`, { as: 'patient' })).status, 200);
  assert.equal((await call('GET', `ServiceRequest/${id}/matches`, { as: 'bo' })).status, 404);
});
