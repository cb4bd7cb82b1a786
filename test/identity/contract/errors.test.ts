// The rows of the table of errors and what holds for all of them (contract: identity, Errors; decisions G1, G2 and G4).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { lastFirst } from '#test/support/hooks.ts';
import { ADMIN } from '#test/support/identity/identity.ts';
import { startContract } from '#test/support/identity/identity-contract.ts';
import { makePatient, makeProfessional, PASSWORD } from '#test/support/identity/identity-people.ts';

const hooks = lastFirst({ after });
const { identity, su, ask, refuse } = await startContract(hooks);
const professional = await makeProfessional(identity);
const patient = await makePatient(identity);
const JSON_TYPE = { 'content-type': 'application/json' };

/** Every address of the contract that takes a body, and who may send it. */
const TAKE_BODIES = [
  ['POST /api/auth/login', undefined, 'invalid_request'],
  ['POST /api/auth/token', undefined, 'invalid_request'],
  ['POST /api/auth/change-password', professional, 'invalid_request'],
  ['POST /api/patient/register', undefined, 'validation_error'],
  ['POST /api/public/access-request', undefined, 'validation_error'],
  ['POST /api/groups/request-membership', professional, 'validation_error'],
  ['POST /api/groups/request-admin', professional, 'validation_error'],
  ['POST /api/groups/join-by-invite', professional, 'validation_error'],
  ['POST /api/groups/proposals', professional, 'validation_error'],
  ['POST /api/groups/admin/decide', professional, 'validation_error'],
  ['POST /api/groups/admin/invite', professional, 'validation_error'],
  ['POST /api/admin/promote-su', su, 'validation_error'],
  ['POST /api/admin/assign-group-admin', su, 'validation_error'],
  ['POST /api/admin/group-proposals', su, 'validation_error'],
  ['POST /api/admin/leader-requests', su, 'validation_error'],
  ['POST /api/admin/access-requests', su, 'validation_error'],
  ['POST /api/admin/organisations', su, 'validation_error'],
  ['PUT /api/admin/oath-overview', su, 'validation_error'],
] as const;

for (const [address, as, whenMissing] of TAKE_BODIES) {
  test(`${address}: 400 invalid_request for unreadable JSON`, async () => {
    for (const raw of ['{', '{"a":1,}', 'nothing', '{"__proto__":{"x":1}}']) {
      await refuse(address, { as, raw, headers: JSON_TYPE }, 400, 'invalid_request');
    }
  });

  test(`${address}: 400 ${whenMissing} for no body and for another kind of value`, async () => {
    await refuse(address, { as }, 400, whenMissing);
    for (const raw of ['', 'null', '"text"', '7', 'true']) {
      await refuse(address, { as, raw, headers: JSON_TYPE }, 400, whenMissing);
    }
  });

  test(`${address}: 415 unsupported_media_type for what is no JSON`, async () => {
    for (const type of ['text/plain', 'application/xml', 'multipart/form-data; boundary=x']) {
      await refuse(address, { as, raw: 'x', headers: { 'content-type': type } }, 415, 'unsupported_media_type');
    }
  });

  test(`${address}: 413 payload_too_large beyond 1 MiB`, async () => {
    const raw = JSON.stringify({ text: 'x'.repeat(1024 * 1024) });
    await refuse(address, { as, raw, headers: JSON_TYPE }, 413, 'payload_too_large');
  });
}

test('unknown fields are validation_error with a message for each, where the contract’s own code is another, too', async () => {
  for (const [address, as, known] of [
    ['POST /api/auth/login', undefined, ADMIN],
    ['POST /api/auth/change-password', professional, { current_password: PASSWORD, new_password: 'long enough' }],
    ['POST /api/admin/organisations', su, { name: 'Care' }],
  ] as const) {
    const { body } = await refuse(address, { as, body: { ...known, one: 1, two: 2 } }, 400, 'validation_error');
    assert.deepEqual(body.messages, ["'one' is not a known field", "'two' is not a known field"]);
  }
});

test('a missing or short field at change-password is invalid_request, also beside an unknown one', async () => {
  const body = { new_password: 'short', other: 1 };
  await refuse('POST /api/auth/change-password', { as: professional, body }, 400, 'invalid_request');
});

for (const address of [
  'DELETE /api/admin/users/{guid}',
  'DELETE /api/admin/groups/{guid}',
  'PUT /api/admin/patients/{guid}/registries',
]) {
  test(`${address}: 404 not_found for a path guid that is none`, async () => {
    const body = address.startsWith('PUT') ? { body: { registries: [] } } : {};
    for (const guid of [
      'x',
      '0',
      'null',
      "'",
      '%00',
      '%20',
      '..%2f',
      'a'.repeat(300),
      '01900000-0000-7000-8000-00000000000Z',
    ]) {
      await refuse(address.replace('{guid}', guid), { as: su, ...body }, 404, 'not_found');
    }
  });
}

test('404 not_found for an address that there is not', async () => {
  for (const address of [
    'GET /api',
    'GET /api/nothing',
    'POST /api/auth/logout/',
    'GET /API/health',
    'GET /api/groups/',
  ]) {
    await refuse(address, { as: su }, 404, 'not_found');
  }
});

for (const [path, allow, method = 'PATCH'] of [
  ['/api/auth/login', 'POST'],
  ['/api/auth/me', 'GET, HEAD'],
  ['/api/groups', 'GET, HEAD'],
  ['/api/groups/admin/decide', 'POST'],
  ['/api/admin/organisations', 'GET, HEAD, POST'],
  ['/api/admin/oath-overview', 'GET, HEAD, PUT'],
  ['/api/admin/users/01900000-0000-7000-8000-000000000000', 'DELETE, GET, HEAD, PATCH', 'POST'],
  ['/api/public/groups', 'GET, HEAD'],
] as const) {
  test(`${method} ${path}: 405 method_not_allowed with Allow: ${allow}`, async () => {
    const answer = await refuse(`${method} ${path}`, {}, 405, 'method_not_allowed');
    assert.equal(answer.headers['allow'], allow);
  });
}

test('every 401 carries WWW-Authenticate: Bearer', async () => {
  for (const [address, code, call] of [
    ['GET /api/auth/me', 'unauthorized', {}],
    ['GET /api/auth/me/service', 'unauthorized', {}],
    ['POST /api/groups/admin/decide', 'unauthorized', { body: {} }],
    ['POST /api/auth/login', 'authentication_failed', { body: { email: 'x@example.org', password: 'x' } }],
    ['POST /api/auth/token', 'authentication_failed', { body: { code: 'x', next: 'x' } }],
  ] as const) {
    assert.equal((await refuse(address, call, 401, code)).headers['www-authenticate'], 'Bearer');
  }
});

test('the caller is checked before the request: 401 and 403 come before 400, 404, 413 and 415', async () => {
  for (const call of [
    {},
    { body: {} },
    { raw: '{', headers: JSON_TYPE },
    { raw: 'x', headers: { 'content-type': 'x/y' } },
  ]) {
    await refuse('POST /api/admin/organisations', call, 401, 'unauthorized');
    for (const as of [professional, patient])
      await refuse('POST /api/admin/organisations', { ...call, as }, 403, 'forbidden');
  }
  await refuse('DELETE /api/admin/users/none', { as: professional }, 403, 'forbidden');
});

test('every answer carries the request id, one’s own when it has the form of one', async () => {
  const own = await ask('GET /api/health', { headers: { 'x-request-id': 'mine-1.2:3' } });
  assert.equal(own.headers['x-request-id'], 'mine-1.2:3');
  for (const given of ['with space', 'x'.repeat(129), '<script>']) {
    const made = await ask('GET /api/nothing', { headers: { 'x-request-id': given } });
    assert.match(String(made.headers['x-request-id']), /^[0-9a-f-]{36}$/);
  }
});

test('500 internal_error shows only the request id, by which the log has the details', async () => {
  const { database, lines } = identity;
  await database.query('ALTER TABLE organisation RENAME TO organisation_elsewhere');
  try {
    const answer = await refuse('GET /api/public/organisations', {}, 500, 'internal_error');
    assert.ok(!/relation|organisation|select|at .*\.ts/i.test(answer.body.message), answer.text);
    const id = String(answer.headers['x-request-id']);
    const line = lines.find((entry) => entry.includes('request.failed') && entry.includes(id));
    assert.match(String(line), /organisation/);
  } finally {
    await database.query('ALTER TABLE organisation_elsewhere RENAME TO organisation');
  }
  assert.equal((await ask('GET /api/public/organisations')).status, 200);
});

test('texts that no database holds are refused, not answered 500', async () => {
  const bad = 'a\u0000b';
  for (const [address, as, body] of [
    ['POST /api/auth/login', undefined, { email: bad, password: bad }],
    ['POST /api/auth/token', undefined, { code: bad, next: bad }],
    ['POST /api/patient/register', undefined, { email: bad, password: bad, personnummer: bad, organisation_guid: bad }],
    ['POST /api/groups/join-by-invite', professional, { token: bad }],
    ['POST /api/groups/proposals', professional, { name: bad, group_type: 'team' }],
    ['POST /api/groups/request-membership', professional, { group_guid: bad }],
    ['POST /api/admin/organisations', su, { name: bad }],
  ] as const) {
    const { status, text } = await ask(address, { as, body });
    assert.ok([400, 401, 404].includes(status), `${address}: ${status} ${text}`);
  }
});
