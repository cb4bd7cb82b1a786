// Providers, contracts and matching, black-box (contract: engine, "Providers and provider tasks"; decisions D4, E9).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ORGANISATION, OTHER_ORGANISATION, startTestEngine } from '#test/support/engine/engine.ts';
import { makePrincipal } from '#test/support/http-app.ts';

const { call } = await startTestEngine({ after });
const UNKNOWN = '01900000-0000-7000-8000-00000000ffff';
const weight = { system: 'https://example.org/codes', code: 'weight' };
const breath = { system: 'https://example.org/codes', code: 'breath' };

async function makeProvider(changes: object = {}): Promise<string> {
  const answer = await call('admin', 'POST', '/providers', { name: 'Hemvården', region: 'Skåne', ...changes });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.provider_guid;
}

async function makeContract(changes: object): Promise<string> {
  const body = { codes: [weight], valid_from: '2026-01-01', valid_to: '2026-12-31', ...changes };
  const answer = await call('admin', 'POST', '/contracts', body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.contract_guid;
}

async function match(changes: object = {}): Promise<string[]> {
  const answer = await call('service', 'POST', '/contracts/match', { codes: [weight], date: '2026-06-01', ...changes });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.contracts.map((contract: { contract_guid: string }) => contract.contract_guid);
}

test('providers: create, read, replace, list with filters', async () => {
  const guid = await makeProvider({ name: 'Alfa', organisation_guid: ORGANISATION, region: 'Halland' });
  const read = await call('idle', 'GET', `/providers/${guid}`);
  const { created_at, updated_at, ...fields } = read.body;
  assert.deepEqual([created_at, updated_at], ['2026-03-02T08:00:00.000Z', '2026-03-02T08:00:00.000Z']);
  assert.deepEqual(fields, {
    provider_guid: guid,
    name: 'Alfa',
    organisation_guid: ORGANISATION,
    region: 'Halland',
    status: 'active',
    version: 1,
  });
  assert.equal((await call('idle', 'GET', '/providers?region=Halland&status=active&search=alf')).body.total, 1);
  const put = await call('admin', 'PUT', `/providers/${guid}`, { name: 'Beta', region: 'Halland', status: 'inactive' });
  assert.deepEqual([put.body.name, put.body.status, put.body.organisation_guid], ['Beta', 'inactive', null]);
  assert.equal((await call('idle', 'GET', '/providers?status=active&region=Halland')).body.total, 0);
});

test('patients find active providers by words of name and region, and see what is public of them', async () => {
  const region = 'Ödegård';
  const [home, clinic, closed] = [
    await makeProvider({ name: 'Hemsjukvården Åsa', organisation_guid: ORGANISATION, region }),
    await makeProvider({ name: 'Kliniken 100 %', region }),
    await makeProvider({ name: 'Åsas stängda', region, status: 'inactive' }),
  ];
  const find = async (query: string) => {
    const { status, text, body } = await call('patient', 'GET', `/provider-directory?${query}`);
    assert.equal(status, 200, text);
    return body;
  };
  const found = { provider_guid: home, name: 'Hemsjukvården Åsa', region, organisation_guid: ORGANISATION };
  const search = (text: string) => `search=${encodeURIComponent(text)}`;
  assert.deepEqual(await find(search('ÅSA hems ödeg')), { data: [found], page: 1, per_page: 20, total: 1 });
  const guidsOf = async (query: string) =>
    (await find(query)).data.map(({ provider_guid: guid }: { provider_guid: string }) => guid);
  assert.deepEqual(await guidsOf(search(region)), [home, clinic], 'by name; not what is inactive');
  assert.deepEqual(await guidsOf(`${search(region)}&per_page=1&page=2`), [clinic]);
  assert.deepEqual(await guidsOf(search('%')), [clinic]);
  assert.deepEqual(await guidsOf(search('Åsa Halland')), [], 'each word is to be found');
  assert.equal((await find(search(' '))).total, (await find('')).total);
  assert.deepEqual(
    await guidsOf(`provider_guid=${closed}&provider_guid=${UNKNOWN}&provider_guid=x`),
    [closed],
    'decided about before',
  );
  assert.deepEqual(await guidsOf(`provider_guid=${home}`), [home]);
  const tooMany = Array.from({ length: 101 }, () => `provider_guid=${home}`).join('&');
  for (const query of ['search=', 'search=%00', 'status=inactive', 'per_page=201', tooMany])
    assert.equal((await call('patient', 'GET', `/provider-directory?${query}`)).status, 400, query);
});

test('a patient searches the directory 300 times a minute, whatever others do', async () => {
  const { call } = await startTestEngine(
    { after },
    { callers: { other: makePrincipal(['patient'], { id: UNKNOWN }) } },
  );
  const ask = async (as: string) => (await call(as, 'GET', '/provider-directory?search=x')).status;
  const statuses = await Promise.all(Array.from({ length: 301 }, () => ask('patient')));
  assert.equal(statuses.filter((status) => status === 429).length, 1);
  assert.equal(await ask('other'), 200);
});

test('contracts: create, read, replace, list, delete', async () => {
  const provider = await makeProvider({ name: 'Gamma' });
  const guid = await makeContract({ provider_guid: provider, codes: [weight, breath], valid_to: null });
  const read = await call('idle', 'GET', `/contracts/${guid}`);
  assert.deepEqual(
    [read.body.provider_name, read.body.codes, read.body.valid_from, read.body.valid_to, read.body.region],
    ['Gamma', [weight, breath], '2026-01-01', null, null],
  );
  const body = { provider_guid: provider, codes: [breath], valid_from: '2026-02-01', valid_to: '2026-03-01' };
  const put = await call('admin', 'PUT', `/contracts/${guid}`, body);
  assert.deepEqual([put.status, put.body.codes, put.body.valid_to], [200, [breath], '2026-03-01']);
  assert.equal((await call('idle', 'GET', `/contracts?provider_guid=${provider}&status=active`)).body.total, 1);
  assert.equal((await call('admin', 'DELETE', `/contracts/${guid}`)).status, 204);
  for (const method of ['GET', 'DELETE'] as const) {
    assert.equal((await call('admin', method, `/contracts/${guid}`)).status, 404);
  }
});

test('errors of providers and contracts', async () => {
  const provider = await makeProvider();
  assert.deepEqual((await call('admin', 'POST', '/providers', {})).body.messages, [
    "'name' is required",
    "'region' is required",
  ]);
  assert.equal((await call('admin', 'PUT', `/providers/${UNKNOWN}`, { name: 'X', region: 'Y' })).status, 404);
  assert.equal((await call('idle', 'GET', '/providers/x')).status, 404);
  const send = async (changes: object) => {
    const body = { provider_guid: provider, codes: [weight], valid_from: '2026-01-01', ...changes };
    const answer = await call('admin', 'POST', '/contracts', body);
    assert.equal(answer.status, 400, answer.text);
    return answer.body.messages.join();
  };
  assert.match(await send({ provider_guid: UNKNOWN }), /'provider_guid': there is no provider/);
  assert.match(await send({ valid_to: '2025-12-31' }), /'valid_to' is before 'valid_from'/);
  assert.match(await send({ valid_from: '2026-02-30' }), /'valid_from' must match format "date"/);
  assert.match(await send({ codes: [] }), /'codes'/);
  assert.match(await send({ codes: [{ system: 'a|b', code: 'c' }] }), /'codes\[0\].system'/);
  assert.equal((await call('service', 'POST', '/contracts/match', { codes: [weight] })).status, 400);
});

test('matching: every code, the day, the status of contract and provider', async () => {
  const provider = await makeProvider({ name: 'Delta', organisation_guid: OTHER_ORGANISATION });
  const both = await makeContract({ provider_guid: provider, codes: [weight, breath] });
  const open = await makeContract({ provider_guid: provider, valid_to: null });
  const future = await makeContract({ provider_guid: provider, valid_from: '2027-01-01', valid_to: null });
  await makeContract({ provider_guid: provider, status: 'inactive' });
  await makeContract({ provider_guid: await makeProvider({ status: 'inactive' }) });
  assert.deepEqual(await match(), [both, open]);
  assert.deepEqual(await match({ codes: [breath, weight] }), [both]);
  assert.deepEqual(await match({ codes: [{ ...weight, system: 'https://other.org' }] }), []);
  assert.deepEqual(await match({ date: '2026-01-01' }), [both, open]);
  assert.deepEqual(await match({ date: '2026-12-31' }), [both, open]);
  assert.deepEqual(await match({ date: '2025-12-31' }), []);
  assert.deepEqual(await match({ date: '2027-01-01' }), [open, future]);
  const { body } = await call('service', 'POST', '/contracts/match', { codes: [breath], date: '2026-06-01' });
  assert.deepEqual(body.contracts, [
    {
      contract_guid: both,
      provider_guid: provider,
      provider_name: 'Delta',
      organisation_guid: OTHER_ORGANISATION,
      region: 'Skåne',
      valid_to: '2026-12-31',
    },
  ]);
  for (const guid of [both, open, future]) await call('admin', 'DELETE', `/contracts/${guid}`);
});

test('matching: limits to an organisation and a region', async () => {
  const provider = await makeProvider({ name: 'Epsilon' });
  const anyone = await makeContract({ provider_guid: provider });
  const ours = await makeContract({ provider_guid: provider, organisation_guid: ORGANISATION });
  const here = await makeContract({ provider_guid: provider, region: 'Skåne' });
  assert.deepEqual(await match(), [anyone, ours, here]);
  assert.deepEqual(await match({ organisation_guid: ORGANISATION, region: 'Skåne' }), [anyone, ours, here]);
  assert.deepEqual(await match({ organisation_guid: OTHER_ORGANISATION }), [anyone, here]);
  assert.deepEqual(await match({ region: 'Halland' }), [anyone, ours]);
});

test('who may do what with providers and contracts', async () => {
  const reads = ['/providers', '/providers/x', '/contracts', '/contracts/x'];
  for (const path of reads) {
    assert.equal((await call(undefined, 'GET', path)).status, 401, path);
    assert.equal((await call('patient', 'GET', path)).status, 403, path);
    assert.ok([200, 404].includes((await call('idle', 'GET', path)).status), path);
  }
  assert.equal((await call('patient', 'POST', '/contracts/match', {})).status, 403);
  for (const caller of ['planner', 'idle', 'patient', 'service']) {
    for (const path of ['/providers', '/contracts']) assert.equal((await call(caller, 'POST', path, {})).status, 403);
    for (const path of ['/providers/x', '/contracts/x'])
      assert.equal((await call(caller, 'PUT', path, {})).status, 403);
    assert.equal((await call(caller, 'DELETE', '/contracts/x')).status, 403);
  }
});
