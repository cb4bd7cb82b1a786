// One response lists the errors of the schema together with those that a schema cannot find (decision G2: one message
// for each error).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';

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
    [
      "'codes' must NOT have fewer than 1 items",
      "'valid_to' is before 'valid_from'",
      `'provider_guid': there is no provider ${UNKNOWN}`,
    ],
  ],
  [
    'PUT',
    `/contracts/${UNKNOWN}`,
    { provider_guid: UNKNOWN, codes: [], valid_from: '2026-05-01', valid_to: 'then' },
    [
      "'codes' must NOT have fewer than 1 items",
      '\'valid_to\' must match format "date"',
      `'provider_guid': there is no provider ${UNKNOWN}`,
    ],
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
  [
    'POST',
    '/api-keys',
    { provider_guid: UNKNOWN, expires_at: '2001-01-01T00:00:00Z' },
    ["'name' is required", "'expires_at' must be in the future", `'provider_guid': there is no provider ${UNKNOWN}`],
  ],
  ...['/concepts', `/concepts/${UNKNOWN}`].map(
    (path): Case => [
      path === '/concepts' ? 'POST' : 'PUT',
      path,
      { canonical_lib: UNKNOWN, response_type: 'none', values: [{ code: 'a', display: 'A' }, { code: 'a' }, 5] },
      [
        "'concept_name' is required",
        `'response_type' must be a lower-case UUID`,
        "'values[1].display' is required",
        "'values[2]' must be object",
        "'values[1].code': the value 'a' is given twice",
        `'canonical_lib': there is no canonical lib ${UNKNOWN}`,
      ],
    ],
  ),
  ...['/goals', `/goals/${UNKNOWN}`].map(
    (path): Case => [
      path === '/goals' ? 'POST' : 'PUT',
      path,
      { concept: UNKNOWN, target: { low: 2, high: 1, unit: UNKNOWN }, activities: [UNKNOWN, 5] },
      [
        "'name' is required",
        "'activities[1]' must be string",
        "'target.low': it is above high",
        `'concept': there is no concept ${UNKNOWN}`,
        `'target.unit': there is no unit ${UNKNOWN}`,
        `'activities[0]': there is no activity ${UNKNOWN}`,
      ],
    ],
  ),
  [
    'POST',
    '/goals',
    { name: 'g', concept: 5, target: [] },
    ["'concept' must be string", "'target' must be object,null"],
  ],
  ...['/activities', `/activities/${UNKNOWN}`].map(
    (path): Case => [
      path === '/activities' ? 'POST' : 'PUT',
      path,
      { name: 5, concept: UNKNOWN },
      ["'name' must be string", `'concept': there is no concept ${UNKNOWN}`],
    ],
  ),
  ...[`/activities/${UNKNOWN}/transactions`, `/transactions/${UNKNOWN}`].map(
    (path): Case => [
      path.startsWith('/activities') ? 'POST' : 'PUT',
      path,
      { concept: UNKNOWN, unit: UNKNOWN, timing: { period: 'long', durationMax: 2, when: ['LUNCH', 5, ''] } },
      [
        "'name' is required",
        "'timing.period' must be number",
        "'timing.when[1]' must be string",
        '\'timing.when[2]\' must match pattern "^[A-Za-z.]+$"',
        "'timing': a period needs a periodUnit",
        "'timing': durationMax needs a duration",
        "'timing': 'LUNCH' is no event of FHIR's event-timing",
        `'concept': there is no concept ${UNKNOWN}`,
        `'unit': there is no unit ${UNKNOWN}`,
      ],
    ],
  ),
  [
    'POST',
    '/plan-definitions',
    { title: 5, activities: [UNKNOWN], goals: [UNKNOWN, 'x'] },
    [
      "'title' must be string",
      "'goals[1]' must be a lower-case UUID",
      `'activities[0]': there is no activity ${UNKNOWN}`,
      `'goals[0]': there is no goal ${UNKNOWN}`,
    ],
  ],
];

for (const [method, path, body, messages] of CASES) {
  test(`${method} ${path} names every error of ${JSON.stringify(body)}`, async () => {
    const answer = await call('admin', method, path, body);
    assert.deepEqual([answer.status, answer.body.error], [400, 'validation_error'], answer.text);
    assert.deepEqual(answer.body.messages.toSorted(), [...messages].sort());
    // The same is not shown to those who may not ask.
    assert.equal((await call('patient', method, path, body)).status, 403);
    assert.equal((await call(undefined, method, path, body)).status, 401);
  });
}

test('for an unknown server only the issues of the schema are returned', async () => {
  const answer = await call('admin', 'PUT', '/servers/nowhere', server);
  assert.deepEqual(answer.body.messages, ["'timeout_ms' must be >= 100"]);
});

test('a key that is there may be given an end that has passed', async () => {
  const { body } = await call('admin', 'POST', '/api-keys', { name: 'Key', scopes: ['system/Patient.rs'] });
  const change = { name: 'Key', scopes: ['system/Patient.rs'], expires_at: new Date(clock.time - 1).toISOString() };
  const ended = await call('admin', 'PUT', `/api-keys/${body.key_guid}`, change);
  assert.deepEqual([ended.status, ended.body.status], [200, 'expired'], ended.text);
});

test('PUT /users/{id} names every error, and those of providers to administrators alone', async () => {
  const body = { email: 'a', role: 'reader', status: 'active', provider_guid: UNKNOWN };
  const admin = await call('admin', 'PUT', `/users/${UNKNOWN}`, body);
  const own = ['\'email\' must match format "email"', "'name' is required"];
  const sense = [
    "'provider_guid' belongs to the role provider alone",
    `'provider_guid': there is no provider ${UNKNOWN}`,
  ];
  assert.deepEqual(admin.body.messages.toSorted(), [...own, ...sense].sort(), admin.text);
  const unknownRole = await call('admin', 'PUT', `/users/${UNKNOWN}`, { ...body, role: 'boss' });
  assert.match(unknownRole.body.messages.join(), /'role' must be one of/);
  assert.doesNotMatch(unknownRole.body.messages.join(), /belongs to/);
  const reader = await call('reader', 'PUT', `/users/${UNKNOWN}`, body);
  assert.doesNotMatch(reader.text, /there is no provider/);
});

test('a unit of a transaction that is not a quantity is reported together with the issues of the schema', async () => {
  const made = async (path: string, body: object) => {
    const answer = await call('admin', 'POST', path, body);
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  const { canonical_lib_guid: lib } = await made('/canonical-libs', { name: 'l', url: 'urn:l' });
  const { concept_guid: concept } = await made('/concepts', { canonical_lib: lib, concept_name: 'c' });
  const { unit_guid: unit } = await made('/units', { name: 'kilogram', ucum_code: 'kg' });
  const body = { concept, unit, timing: {} };
  const answer = await call('admin', 'POST', `/activities/${UNKNOWN}/transactions`, body);
  assert.deepEqual(answer.body.messages, [
    "'name' is required",
    "'timing': a timing says at least something",
    "'unit': only a Quantity has a unit, and there is no response type",
  ]);
});
