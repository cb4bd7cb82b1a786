// What no schema can tell is told in one answer with what it tells (decision G2: one message for each fault).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestEngine } from '#test/support/engine.ts';

const inside = async () => [{ address: '10.0.0.1', family: 4 }];
const { call, clock } = await startTestEngine(
  { after },
  { serverAccess: { allowPrivate: [], servers: [], resolve: inside } },
);
const UNKNOWN = '01900000-0000-7000-8000-00000000ffff';
const REFUSED = "'url' is refused: The host leads to an address that is not open to calls from here";
const server = { url: 'https://fhir.example.org?q', auth: { type: 'basic', token: 'x' }, timeout_ms: 1 };
const ofServer = [
  "'timeout_ms' must be >= 100",
  "'url' must hold no query and no fragment",
  "'auth.username' is required with 'basic'",
  "'auth.password' is required with 'basic'",
  "'auth.token' does not belong to 'basic'",
];

type Case = readonly [method: 'POST' | 'PUT', path: string, body: object, messages: readonly string[]];
const CASES: readonly Case[] = [
  [
    'POST',
    '/servers',
    { ...server, name: 'status' },
    [ofServer[0] ?? '', "'name' must not be 'status'", ...ofServer.slice(1)],
  ],
  [
    'POST',
    '/servers',
    { name: 1, url: 'https://fhir.example.org', auth: 5 },
    ["'name' must be string", "'auth' must be object", REFUSED],
  ],
  ['POST', '/servers/test', server, ofServer],
  ['POST', '/servers/test', { name: 'status', url: 5 }, ["'url' must be string"]],
  [
    'POST',
    '/contracts',
    { provider_guid: UNKNOWN, codes: [], valid_from: '2026-05-01', valid_to: '2026-01-01' },
    ["'codes' must NOT have fewer than 1 items", "'valid_to' is before 'valid_from'"],
  ],
  [
    'PUT',
    `/contracts/${UNKNOWN}`,
    { provider_guid: UNKNOWN, codes: [], valid_from: '2026-05-01', valid_to: 'then' },
    ["'codes' must NOT have fewer than 1 items", '\'valid_to\' must match format "date"'],
  ],
  [
    'POST',
    '/synchronize',
    { server: 'nowhere', resource_types: ['Patient', 'Bogus', 5], direction: 'sideways' },
    [
      "'direction' must be one of 'pull', 'push', 'both'",
      "'resource_types[2]' must be string",
      "'resource_types[1]' must be a resource type that clients may write: Bogus is not",
    ],
  ],
  ['POST', '/units', { name: 5, ucum_code: 'bogus' }, ["'name' must be string", "'bogus' is not a UCUM code"]],
  ['PUT', `/units/${UNKNOWN}`, { ucum_code: 'bogus' }, ["'name' is required", "'bogus' is not a UCUM code"]],
  ['POST', '/units', { name: 'x', ucum_code: '' }, ["'ucum_code' must NOT have fewer than 1 characters"]],
  [
    'POST',
    '/api-keys',
    { scopes: ['system/Bogus.rs', 'nonsense'], expires_at: new Date(clock.time).toISOString() },
    [
      "'name' is required",
      "'scopes[1]' must be a SMART v2 scope such as system/Patient.rs",
      "'scopes[0]': 'Bogus' is no FHIR R5 resource type",
      "'expires_at' must be in the future",
    ],
  ],
  ['POST', '/api-keys', {}, ["'name' is required", "'scopes': a key that acts for no provider needs at least one"]],
  [
    'PUT',
    `/api-keys/${UNKNOWN}`,
    { scopes: ['system/Bogus.rs'] },
    ["'name' is required", "'scopes[0]': 'Bogus' is no FHIR R5 resource type"],
  ],
];

for (const [method, path, body, messages] of CASES) {
  test(`${method} ${path} names every fault of ${JSON.stringify(body)}`, async () => {
    const answer = await call('admin', method, path, body);
    assert.deepEqual([answer.status, answer.body.error], [400, 'validation_error'], answer.text);
    assert.deepEqual(answer.body.messages.toSorted(), [...messages].sort());
    // The same is not told to those who may not ask.
    assert.equal((await call('patient', method, path, body)).status, 403);
    assert.equal((await call(undefined, method, path, body)).status, 401);
  });
}

test('of a server that is not there, no more than the schema tells is told', async () => {
  const answer = await call('admin', 'PUT', '/servers/nowhere', server);
  assert.deepEqual(answer.body.messages, ["'timeout_ms' must be >= 100"]);
});

test('a key that is there may be given an end that has passed', async () => {
  const { body } = await call('admin', 'POST', '/api-keys', { name: 'Key', scopes: ['system/Patient.rs'] });
  const change = { name: 'Key', scopes: ['system/Patient.rs'], expires_at: new Date(clock.time - 1).toISOString() };
  const ended = await call('admin', 'PUT', `/api-keys/${body.key_guid}`, change);
  assert.deepEqual([ended.status, ended.body.status], [200, 'expired'], ended.text);
});
