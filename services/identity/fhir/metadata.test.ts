import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { BASE_URL, startIdentity } from '#test/support/identity/identity.ts';
import { fhirOf, refusalOf } from '#test/support/identity/identity-fhir.ts';
import { makeProfessional } from '#test/support/identity/identity-people.ts';

const identity = await startIdentity({ after });
const ask = fhirOf(identity);
const admin = await identity.asAdmin();

test('GET /fhir/metadata: the CapabilityStatement of the contract, to anybody', async () => {
  const { status, headers, body } = await ask('/metadata');
  assert.equal(status, 200);
  assert.match(String(headers['content-type']), /^application\/fhir\+json/);
  const { resourceType, fhirVersion, kind, rest } = body;
  assert.deepEqual(
    [resourceType, fhirVersion, body.status, kind],
    ['CapabilityStatement', '5.0.0', 'active', 'instance'],
  );
  assert.equal(rest[0].mode, 'server');
  assert.equal(body.implementation.url, `${BASE_URL}/fhir`);
  const interactions = Object.fromEntries(
    rest[0].resource.map((served: { type: string; interaction: { code: string }[] }) => [
      served.type,
      served.interaction.map(({ code }) => code),
    ]),
  );
  assert.deepEqual(interactions, {
    Group: ['read', 'create', 'search-type'],
    Organization: ['read', 'create', 'search-type'],
    Patient: ['read', 'create'],
    Practitioner: ['read', 'create'],
  });
});

test('the statement is true: what it declares is there, what it does not is 405 or unknown', async () => {
  const { body } = await ask('/metadata');
  const fromElsewhere = await ask('/metadata', { headers: { origin: 'https://app.example.org' } });
  const isShared = fromElsewhere.headers['access-control-allow-origin'] !== undefined;
  assert.equal(body.rest[0].security.cors, isShared, 'CORS');
  for (const { type, interaction, searchParam = [] } of body.rest[0].resource) {
    const codes = interaction.map(({ code }: { code: string }) => code);
    const created = await ask(`/${type}`, { method: 'POST', headers: admin, body: { resourceType: type } });
    assert.equal(created.status, 422, type);
    const id = '019a0000-0000-7000-8000-000000000000';
    assert.deepEqual(refusalOf(await ask(`/${type}/${id}`, { headers: admin })), [404, 'not_found', 'not-found']);
    const found = await ask(`/${type}`, { headers: admin });
    assert.equal(found.status, codes.includes('search-type') ? 200 : 405, type);
    for (const { name } of searchParam) {
      const strict = { ...admin, prefer: 'handling=strict' };
      assert.equal((await ask(`/${type}?${name}:missing=false`, { headers: strict })).status, 200, `${type} ${name}`);
    }
  }
});

test('other formats, pretty printing and HEAD', async () => {
  assert.equal((await ask('/metadata', { headers: { accept: 'application/json' } })).status, 200);
  assert.match((await ask('/metadata?_pretty=true')).text, /^\{\n {2}"resourceType"/);
  const refused = [406, 'not_acceptable', 'not-supported'];
  assert.deepEqual(refusalOf(await ask('/metadata?_format=xml')), refused);
  assert.deepEqual(refusalOf(await ask('/Group', { headers: { ...admin, accept: 'application/fhir+xml' } })), refused);
  const head = await ask('/metadata', { method: 'HEAD' });
  assert.deepEqual([head.status, head.text], [200, '']);
});

test('every refusal under /fhir is an OperationOutcome', async () => {
  const professional = (await makeProfessional(identity)).headers;
  const json = { 'content-type': 'application/fhir+json' };
  assert.deepEqual(refusalOf(await ask('/Group')), [401, 'unauthorized', 'login']);
  assert.deepEqual(refusalOf(await ask('/nothing', { headers: admin })), [404, 'not_found', 'not-found']);
  assert.deepEqual(refusalOf(await ask('', { headers: admin })), [404, 'not_found', 'not-found']);
  assert.deepEqual(refusalOf(await ask('/Patient', { method: 'POST', headers: professional, body: {} })), [
    403,
    'forbidden',
    'forbidden',
  ]);
  const wrongMethod = await ask('/Organization/1', { method: 'PUT', headers: admin, body: {} });
  assert.deepEqual(refusalOf(wrongMethod), [405, 'method_not_allowed', 'not-supported']);
  assert.equal(wrongMethod.headers['allow'], 'GET, HEAD');
  const send = (body: string, headers: Record<string, string>) =>
    ask('/Organization', { method: 'POST', headers: { ...admin, ...headers }, body });
  assert.deepEqual(refusalOf(await send('{"resourceType":', json)), [400, 'invalid_request', 'structure']);
  assert.deepEqual(refusalOf(await send('', json)), [400, 'invalid_request', 'required']);
  assert.deepEqual(refusalOf(await send('{"resourceType":"Group"}', json)), [400, 'invalid_request', 'value']);
  assert.deepEqual(refusalOf(await send('<Organization/>', { 'content-type': 'application/fhir+xml' })), [
    415,
    'unsupported_media_type',
    'not-supported',
  ]);
  const large = JSON.stringify({ resourceType: 'Organization', name: 'x'.repeat(10 * 1024 * 1024) });
  assert.deepEqual(refusalOf(await send(large, json)), [413, 'payload_too_large', 'too-long']);
  const conditional = await send('{"resourceType":"Organization"}', { ...json, 'if-none-exist': 'name=x' });
  assert.deepEqual(refusalOf(conditional), [412, 'precondition_failed', 'conflict']);
});

test('ids that are no guid are not found', async () => {
  for (const id of ['1', '_search', 'a'.repeat(200), '%00', '..%2f']) {
    assert.deepEqual(refusalOf(await ask(`/Organization/${id}`, { headers: admin })), [404, 'not_found', 'not-found']);
  }
});
