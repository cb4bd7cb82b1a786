// The list of external servers (contract: engine, "External server integration"; decision E11): permissions, invalid
// input, sealed secrets, and permitted addresses.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';
import { answerFhir, startMisbehavingServer } from '#test/support/fhir/misbehaving-server.ts';
import { makePrincipal } from '#test/support/http-app.ts';

const outside = async () => [{ address: '93.184.216.34', family: 4 }];
const fileServer = {
  name: 'configured',
  url: 'http://127.0.0.9:9/fhir',
  kind: 'fhir',
  auth: { type: 'bearer', secret: 'file-token' },
  timeoutMs: 1000,
  revision: 'file',
} as const;
const { call, database } = await startTestEngine(
  { after },
  {
    serverAccess: { allowPrivate: ['127.0.0.1'], servers: [fileServer], resolve: outside },
    callers: {
      reader: makePrincipal(['reader'], { kind: 'engine_user' }),
      provider: makePrincipal(['provider'], { kind: 'engine_user' }),
      key: makePrincipal(['api_key'], { kind: 'api_key', scopes: ['system/*.cruds'] }),
    },
  },
);

const URL_OUTSIDE = 'https://fhir.example.org/r5';
let names = 0;
const newName = () => {
  names += 1;
  return `server-${names}`;
};

async function register(changes: object = {}): Promise<string> {
  const name = newName();
  const made = await call('admin', 'POST', '/servers', { name, url: URL_OUTSIDE, ...changes });
  assert.equal(made.status, 201, made.text);
  return name;
}

/** The status of each caller: admin, planner, reader, service, provider, patient, key, nobody. */
const CALLERS = ['admin', 'planner', 'reader', 'service', 'provider', 'patient', 'key', undefined] as const;
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
const MATRIX: readonly [method: Method, path: string, body: object | undefined, statuses: string][] = [
  ['GET', '/servers', undefined, '200 403 403 403 403 403 403 401'],
  ['POST', '/servers', {}, '400 403 403 403 403 403 403 401'],
  ['GET', '/servers/nowhere', undefined, '404 403 403 403 403 403 403 401'],
  ['PUT', '/servers/nowhere', { url: URL_OUTSIDE }, '404 403 403 403 403 403 403 401'],
  ['DELETE', '/servers/nowhere', undefined, '404 403 403 403 403 403 403 401'],
  ['GET', '/servers/status', undefined, '200 200 200 403 403 403 403 401'],
  ['GET', '/servers/test-all', undefined, '200 403 403 403 403 403 403 401'],
  ['POST', '/servers/test', {}, '400 403 403 403 403 403 403 401'],
  ['GET', '/servers/nowhere/search/Patient', undefined, '404 403 403 403 403 403 403 401'],
  ['GET', '/servers/nowhere/Patient/1', undefined, '404 403 403 403 403 403 403 401'],
  ['POST', '/servers/nowhere/validate', { resourceType: 'Patient' }, '404 403 403 403 403 403 403 401'],
  ['POST', '/servers/nowhere/Patient', { resourceType: 'Patient' }, '404 403 403 403 403 403 403 401'],
  ['PUT', '/servers/nowhere/Patient/1', { resourceType: 'Patient', id: '1' }, '404 403 403 403 403 403 403 401'],
  ['GET', '/terminology/nowhere/expand?url=urn:x', undefined, '404 404 404 403 403 403 403 401'],
  ['GET', '/terminology/nowhere/lookup?system=urn:x&code=a', undefined, '404 404 404 403 403 403 403 401'],
  ['GET', '/terminology/nowhere/validate-code?url=urn:x&code=a', undefined, '404 404 404 403 403 403 403 401'],
  [
    'POST',
    '/batch',
    { server: 'nowhere', bundle: { resourceType: 'Bundle', type: 'batch' } },
    '404 403 403 403 403 403 403 401',
  ],
];

for (const [method, path, body, statuses] of MATRIX) {
  test(`who may ${method} ${path}`, async () => {
    const answers = await Promise.all(CALLERS.map((caller) => call(caller, method, path, body)));
    assert.equal(answers.map(({ status }) => status).join(' '), statuses);
    for (const { status, body: answered } of answers) {
      if (status === 404) assert.equal(answered.error, 'not_found');
    }
  });
}

test('POST /servers registers, GET /servers lists, GET /servers/{name} reads', async () => {
  const name = await register({ kind: 'terminology', timeout_ms: 2000 });
  const read = await call('admin', 'GET', `/servers/${name}`);
  assert.deepEqual(read.body, {
    name,
    url: URL_OUTSIDE,
    kind: 'terminology',
    auth: { type: 'none' },
    timeout_ms: 2000,
    source: 'api',
    created_at: '2026-03-02T08:00:00.000Z',
    updated_at: '2026-03-02T08:00:00.000Z',
  });
  const list = await call('admin', 'GET', '/servers?kind=terminology');
  assert.deepEqual(list.body, { data: [read.body], page: 1, per_page: 20, total: 1 });
  assert.equal((await call('admin', 'GET', '/servers?per_page=201')).status, 400);
  assert.equal((await call('admin', 'POST', '/servers', { name, url: URL_OUTSIDE })).body.error, 'conflict');
});

test('what is wrong with a server is named, all of it', async () => {
  const cases: [input: object, fields: string[]][] = [
    [{}, ['name', 'url']],
    [{ name: 'no name', url: URL_OUTSIDE, timeout_ms: 1, kind: 'other' }, ['name', 'timeout_ms', 'kind']],
    [{ name: 'status', url: 'ftp://a.example.org' }, ['name', 'url']],
    [{ name: 'a', url: `${URL_OUTSIDE}?a=b` }, ['url']],
    [{ name: 'a', url: 'https://user:pw@fhir.example.org' }, ['url']],
    [{ name: 'a', url: URL_OUTSIDE, auth: { type: 'basic' } }, ['auth.username', 'auth.password']],
    [{ name: 'a', url: URL_OUTSIDE, auth: { type: 'bearer', token: 'a b' } }, ['auth.token']],
    [{ name: 'a', url: URL_OUTSIDE, auth: { type: 'none', token: 'ab' } }, ['auth.token']],
    [
      { name: 'a', url: URL_OUTSIDE, auth: { type: 'client_credentials', client_id: 'me' } },
      ['auth.token_url', 'auth.client_secret'],
    ],
    [{ name: 'a', url: URL_OUTSIDE, extra: 1 }, ['extra']],
  ];
  for (const [input, fields] of cases) {
    const answer = await call('admin', 'POST', '/servers', input);
    assert.deepEqual([answer.status, answer.body.error], [400, 'validation_error'], answer.text);
    for (const field of fields) assert.ok(answer.body.message.includes(`'${field}'`), `${field}: ${answer.text}`);
    assert.equal(answer.body.messages.length, fields.length, answer.text);
  }
});

test('addresses that are not open are refused, at registration and at a test', async () => {
  for (const url of ['http://10.0.0.1/fhir', 'http://[::1]/fhir', 'http://169.254.169.254/', 'http://127.0.0.2/']) {
    for (const path of ['/servers', '/servers/test']) {
      const answer = await call('admin', 'POST', path, { name: 'inside', url });
      assert.deepEqual([answer.status, answer.body.error], [400, 'validation_error'], `${path} ${url}`);
      assert.match(answer.body.message, /'url' is refused: .*not open/);
    }
  }
  const auth = { type: 'client_credentials', token_url: 'http://10.0.0.1/t', client_id: 'a', client_secret: 'b' };
  const token = await call('admin', 'POST', '/servers', { name: 'inside', url: URL_OUTSIDE, auth });
  assert.match(token.body.message, /'auth.token_url' is refused/);
  const plain = await call('admin', 'POST', '/servers', { name: 'plain', url: 'http://fhir.example.org' });
  assert.match(plain.body.message, /must be https/);
});

test('secrets are answered to nobody, and are sealed in the database', async () => {
  const secrets = ['pass-w0rd-visible', 'token-visible', 'client-s3cret-visible'];
  const auths = [
    { type: 'basic', username: 'me', password: secrets[0] },
    { type: 'bearer', token: secrets[1] },
    { type: 'client_credentials', token_url: `${URL_OUTSIDE}/token`, client_id: 'me', client_secret: secrets[2] },
  ];
  for (const auth of auths) {
    const name = await register({ auth });
    const read = await call('admin', 'GET', `/servers/${name}`);
    assert.equal(read.body.auth.type, auth.type);
    assert.ok(!secrets.some((secret) => read.text.includes(secret ?? '')), read.text);
  }
  const { rows } = await database.query<{ row: string }>('SELECT row_to_json(s)::text AS row FROM external_server s');
  for (const { row } of rows) {
    for (const secret of secrets) {
      assert.ok(!row.includes(secret) && !row.includes(Buffer.from(secret).toString('hex')), row);
    }
  }
});

test('a secret may be left out of a PUT that sends it to the same place, and of no other', async () => {
  const auth = { type: 'basic', username: 'me', password: 'pw' };
  const name = await register({ auth });
  const open = { type: 'basic', username: 'me' };
  const same = await call('admin', 'PUT', `/servers/${name}`, {
    url: `${URL_OUTSIDE}/moved`,
    auth: open,
    timeout_ms: 500,
  });
  assert.deepEqual([same.status, same.body.url, same.body.timeout_ms], [200, `${URL_OUTSIDE}/moved`, 500], same.text);
  const { rows } = await database.query('SELECT secret FROM external_server WHERE name = $1', [name]);
  assert.ok(rows[0]?.['secret'] !== null);
  const elsewhere: object[] = [
    { url: 'https://elsewhere.example.org', auth: open },
    { url: URL_OUTSIDE, auth: { ...open, username: 'other' } },
    { url: URL_OUTSIDE, auth: { type: 'bearer' } },
  ];
  for (const change of elsewhere) {
    const answer = await call('admin', 'PUT', `/servers/${name}`, change);
    assert.match(answer.body.message, /'auth.(password|token)' is required/, answer.text);
  }
  assert.equal((await call('admin', 'PUT', `/servers/${name}`, { name: 'other', url: URL_OUTSIDE })).status, 400);
  const none = await call('admin', 'PUT', `/servers/${name}`, { url: URL_OUTSIDE });
  assert.deepEqual([none.status, none.body.auth], [200, { type: 'none' }]);
});

test('DELETE removes a server, and every change of the list is in the audit record', async () => {
  const name = await register();
  assert.equal((await call('admin', 'PUT', `/servers/${name}`, { url: URL_OUTSIDE })).status, 200);
  assert.equal((await call('admin', 'DELETE', `/servers/${name}`)).status, 204);
  assert.equal((await call('admin', 'GET', `/servers/${name}`)).status, 404);
  const { rows } = await database.query<{ event: string }>(
    'SELECT event FROM audit_event WHERE resource::text LIKE $1 ORDER BY event_guid',
    [`%"${name}"%`],
  );
  assert.deepEqual(rows.map(({ event }) => event).toSorted(), ['server.create', 'server.delete', 'server.update']);
});

test('a server of the file is listed without its secret, and is changed in the file alone', async () => {
  const read = await call('admin', 'GET', '/servers/configured');
  assert.deepEqual([read.body.source, read.body.auth], ['file', { type: 'bearer' }]);
  const answers = [
    await call('admin', 'POST', '/servers', { name: 'configured', url: URL_OUTSIDE }),
    await call('admin', 'PUT', '/servers/configured', { url: URL_OUTSIDE }),
    await call('admin', 'DELETE', '/servers/configured'),
  ];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [409, 409, 409],
  );
});

test('of registrations of the same name at the same time one is made', async () => {
  const name = newName();
  const input = { name, url: URL_OUTSIDE };
  const answers = await Promise.all(Array.from({ length: 20 }, () => call('admin', 'POST', '/servers', input)));
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  assert.equal(answers.filter(({ status }) => status === 409).length, 19);
});

test('POST /servers/test asks a server that is not registered, and says what is wrong with it', async (t) => {
  const server = await startMisbehavingServer(t);
  server.behave((_asked, response) =>
    answerFhir(response, {
      resourceType: 'CapabilityStatement',
      fhirVersion: '5.0.0',
      software: { name: 'Wayward' },
      rest: [{ mode: 'server', resource: [{ type: 'Patient' }, { type: 'Observation' }] }],
    }),
  );
  const good = await call('admin', 'POST', '/servers/test', {
    url: server.url,
    auth: { type: 'bearer', token: 'abc' },
  });
  const { latency_ms: latency, ...rest } = good.body;
  assert.ok(Number.isInteger(latency));
  assert.deepEqual(rest, {
    name: null,
    url: server.url,
    kind: 'fhir',
    reachable: true,
    fhir_version: '5.0.0',
    software: 'Wayward',
    resource_types: 2,
    error: null,
  });
  assert.deepEqual([server.asked[0]?.url, server.asked[0]?.headers.authorization], ['/fhir/metadata', 'Bearer abc']);
  server.behave((_asked, response) => answerFhir(response, { resourceType: 'Patient' }));
  const odd = await call('admin', 'POST', '/servers/test', { url: server.url });
  assert.deepEqual([odd.status, odd.body.reachable, odd.body.error.reason], [200, false, 'not_fhir']);
  await server.close();
  const gone = await call('admin', 'POST', '/servers/test', { url: server.url });
  assert.deepEqual([gone.status, gone.body.reachable, gone.body.error.reason], [200, false, 'connection_refused']);
});

test('GET /servers/test-all and /servers/status list every server, the unreachable ones too', async (t) => {
  const other = await startTestEngine(t, { serverAccess: { allowPrivate: ['127.0.0.1'], servers: [fileServer] } });
  const server = await startMisbehavingServer(t);
  server.behave((_asked, response) => answerFhir(response, { resourceType: 'CapabilityStatement' }));
  assert.equal((await other.call('admin', 'POST', '/servers', { name: 'well', url: server.url })).status, 201);
  const tests = (await other.call('admin', 'GET', '/servers/test-all')).body.servers;
  assert.deepEqual(
    tests.map((each: { name: string; reachable: boolean; error: { reason: string } | null }) => [
      each.name,
      each.reachable,
      each.error?.reason,
    ]),
    [
      ['configured', false, 'connection_refused'],
      ['well', true, undefined],
    ],
  );
  const asked = server.asked.length;
  const { servers } = (await other.call('planner', 'GET', '/servers/status')).body;
  assert.equal(server.asked.length, asked, 'what was asked a moment ago is not asked again');
  assert.deepEqual(
    servers.map((each: Record<string, unknown>) => [
      each['name'],
      each['status'],
      each['circuit'],
      each['last_failure'],
    ]),
    [
      ['configured', 'down', 'closed', 'connection_refused'],
      ['well', 'up', 'closed', null],
    ],
  );
  other.clock.time += 31_000;
  await other.call('planner', 'GET', '/servers/status');
  assert.equal(server.asked.length, asked + 1, 'what is old is asked again');
});

test('all errors of a PUT are reported at once, and a secret that is kept is not asked for', async () => {
  const name = await register({ auth: { type: 'bearer', token: 'kept' } });
  const issuesOf = async (change: object) =>
    (await call('admin', 'PUT', `/servers/${name}`, { auth: { type: 'bearer' }, timeout_ms: 1, ...change })).body
      .messages;
  assert.deepEqual(await issuesOf({ url: URL_OUTSIDE }), ["'timeout_ms' must be >= 100"]);
  assert.deepEqual(await issuesOf({ name: 'another', url: 'https://elsewhere.example.org' }), [
    "'timeout_ms' must be >= 100",
    "'name' must be that of the address: a server keeps its name",
    "'auth.token' is required with 'bearer'",
  ]);
});
