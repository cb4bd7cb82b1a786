// External servers that misbehave (decision E11). Each kind of failure has its own error, takes no longer than the
// time-out, and does not affect other requests.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';
import { answerFhir, startMisbehavingServer } from '#test/support/fhir/misbehaving-server.ts';

/** Where the name leads: to what is open at first, and inside later. */
const rebind = { address: '127.0.0.1' };
const { call, clock } = await startTestEngine(
  { after },
  {
    serverAccess: {
      allowPrivate: ['127.0.0.1'],
      servers: [],
      resolve: async () => [{ address: rebind.address, family: 4 }],
    },
  },
);
const server = await startMisbehavingServer({ after });
const PATIENT = { resourceType: 'Patient', id: '1' };

let made = 0;
/** A server of its own for each case: what one learns of it is not held against the next. */
async function register(changes: object = {}): Promise<string> {
  made += 1;
  const name = `wayward-${made}`;
  const answer = await call('admin', 'POST', '/servers', { name, url: server.url, timeout_ms: 5000, ...changes });
  assert.equal(answer.status, 201, answer.text);
  return name;
}

const html = (response: ServerResponse, status = 200) =>
  response.writeHead(status, { 'content-type': 'text/html' }).end('<p>Patient 1</p>');

type Answering = (response: ServerResponse) => void;
const CASES: readonly [what: string, reason: string, answer: Answering, changes?: object][] = [
  ['is silent', 'timeout', () => undefined, { timeout_ms: 300 }],
  [
    'is half open: it begins an answer and goes no further',
    'timeout',
    (response) => response.writeHead(200, { 'content-type': 'application/fhir+json' }).write('{"resourceType":'),
    { timeout_ms: 300 },
  ],
  ['breaks off before the answer', 'connection_lost', (response) => response.socket?.destroy()],
  [
    'breaks off in the middle of the answer',
    'connection_lost',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/fhir+json', 'content-length': 1000 });
      response.write('{"resourceType":', () => response.socket?.destroy());
    },
  ],
  ['answers a web page', 'not_fhir', (response) => html(response)],
  ['answers 500 and a web page', 'failed', (response) => html(response, 500)],
  [
    'redirects to a private address',
    'redirect',
    (response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
  ],
  [
    'redirects to itself',
    'redirect',
    (response) => response.writeHead(307, { location: `${server.url}/Patient/1` }).end(),
  ],
  [
    'answers more than is read',
    'too_large',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/fhir+json' });
      const chunk = Buffer.alloc(1024 * 1024, 32);
      const pour = () => {
        while (!response.destroyed && response.write(chunk));
        response.once('drain', pour);
      };
      pour();
    },
  ],
  ['answers no JSON', 'not_fhir', (response) => answerFhir(response, '{"resourceType":"Patient"')],
  [
    'answers bytes that are no UTF-8',
    'not_fhir',
    (response) => answerFhir(response, Buffer.from([0x7b, 0xff]).toString('latin1')),
  ],
  ['answers JSON that is no resource', 'not_fhir', (response) => answerFhir(response, [PATIENT])],
  [
    'answers a resource with a doubled member',
    'not_fhir',
    (response) => answerFhir(response, '{"resourceType":"Patient","id":"1","id":"1"}'),
  ],
  ['answers another type', 'not_fhir', (response) => answerFhir(response, { resourceType: 'Person', id: '1' })],
  ['answers another id', 'not_fhir', (response) => answerFhir(response, { ...PATIENT, id: '2' })],
  [
    'answers compressed although it was asked not to',
    'not_fhir',
    (response) =>
      response.writeHead(200, { 'content-type': 'application/fhir+json', 'content-encoding': 'gzip' }).end('x'),
  ],
  ['answers nothing', 'not_fhir', (response) => response.writeHead(204).end()],
];

const QUESTIONS = [
  ['expand?url=urn:v', 'ValueSet'],
  ['lookup?system=urn:s&code=a', 'Parameters'],
  ['validate-code?url=urn:v&code=a', 'Parameters'],
] as const;

for (const [what, reason, answer, changes] of CASES) {
  test(`a server that ${what} is 502 upstream_error: ${reason}`, async () => {
    const name = await register(changes);
    server.behave((_asked, response) => void answer(response));
    const read = await call('admin', 'GET', `/servers/${name}/Patient/1`);
    assert.deepEqual(
      [read.status, read.body.error, read.body.upstream.reason],
      [502, 'upstream_error', reason],
      read.text,
    );
    assert.ok(!read.text.includes('10.0.0.1') && !read.text.includes('<p>'), 'nothing of the answer is repeated');
    server.behave((_asked, response) => answerFhir(response, PATIENT));
    assert.equal((await call('admin', 'GET', `/servers/${name}/Patient/1`)).status, 200, 'the next call is served');
  });

  test(`a terminology service that ${what} is 502 upstream_error: ${reason}`, async () => {
    const name = await register({ ...changes, kind: 'terminology' });
    for (const [question, answers] of QUESTIONS) {
      server.behave((_asked, response) => void answer(response));
      const asked = await call('planner', 'GET', `/terminology/${name}/${question}`);
      assert.deepEqual(
        [asked.status, asked.body.error, asked.body.upstream.reason],
        [502, 'upstream_error', reason],
        asked.text,
      );
      assert.ok(!asked.text.includes('10.0.0.1') && !asked.text.includes('<p>'), 'nothing of the answer is repeated');
      server.behave((_asked, response) => answerFhir(response, { resourceType: answers }));
      const next = await call('planner', 'GET', `/terminology/${name}/${question}`);
      assert.deepEqual([next.status, next.body.resourceType], [200, answers], 'the next call is served');
    }
  });
}

test('nothing that listens is 502 connection_refused, and a name that comes to lead inside is refused at the call', async (t) => {
  const gone = await startMisbehavingServer(t);
  const name = await register({ url: gone.url });
  await gone.close();
  assert.equal((await call('admin', 'GET', `/servers/${name}/Patient/1`)).body.upstream.reason, 'connection_refused');
  const rebound = await register({ url: server.url.replace('127.0.0.1', 'rebind.example.org') });
  rebind.address = '10.0.0.1';
  const asked = server.asked.length;
  const answer = await call('admin', 'GET', `/servers/${rebound}/Patient/1`);
  assert.deepEqual([answer.status, answer.body.upstream.reason], [502, 'address_refused']);
  assert.equal(server.asked.length, asked);
});

test('an OperationOutcome of failure is passed on, also of a 500', async () => {
  const name = await register();
  const outcome = {
    resourceType: 'OperationOutcome',
    issue: [{ severity: 'error', code: 'exception', diagnostics: 'Ö' }],
  };
  for (const status of [400, 401, 409, 500, 503]) {
    server.behave((_asked, response) => answerFhir(response, outcome, status));
    const answer = await call('admin', 'GET', `/servers/${name}/Patient/1`);
    assert.deepEqual(
      [answer.status, answer.body.upstream.status, answer.body.upstream.outcome],
      [502, status, outcome],
    );
  }
});

test('after five failures in a row a server is left alone, and used again when one call succeeds', async () => {
  const name = await register();
  server.behave((_asked, response) => void html(response, 503));
  for (let n = 0; n < 5; n += 1) await call('admin', 'GET', `/servers/${name}/Patient/1`);
  server.behave((_asked, response) => answerFhir(response, PATIENT));
  const asked = server.asked.length;
  const left = await call('admin', 'GET', `/servers/${name}/Patient/1`);
  assert.deepEqual([left.status, left.body.upstream.reason, left.headers['retry-after']], [502, 'circuit_open', '10']);
  assert.equal(server.asked.length, asked);
  const statusOf = async () =>
    (await call('admin', 'GET', '/servers/status')).body.servers.find((each: { name: string }) => each.name === name);
  assert.deepEqual([(await statusOf()).status, (await statusOf()).circuit], ['down', 'open']);
  clock.time += 10_000;
  assert.equal((await call('admin', 'GET', `/servers/${name}/Patient/1`)).status, 200);
  assert.deepEqual([(await statusOf()).status, (await statusOf()).circuit], ['up', 'closed']);
});

test('a changed server is checked again', async () => {
  const name = await register();
  server.behave((_asked, response) => void html(response, 503));
  for (let n = 0; n < 6; n += 1) await call('admin', 'GET', `/servers/${name}/Patient/1`);
  server.behave((_asked, response) => answerFhir(response, PATIENT));
  await call('admin', 'PUT', `/servers/${name}`, { url: server.url });
  assert.equal((await call('admin', 'GET', `/servers/${name}/Patient/1`)).status, 200);
});

test('connections are kept and used again, and a read over one that the server let go of is made again', async () => {
  const name = await register();
  server.behave((_asked, response) => answerFhir(response, PATIENT));
  await call('admin', 'GET', `/servers/${name}/Patient/1`);
  const before = server.connections();
  for (let n = 0; n < 10; n += 1) await call('admin', 'GET', `/servers/${name}/Patient/1`);
  assert.equal(server.connections(), before);
  let times = 0;
  server.behave((_asked, response) => {
    times += 1;
    if (times === 1) response.socket?.destroy();
    else answerFhir(response, PATIENT);
  });
  assert.equal((await call('admin', 'GET', `/servers/${name}/Patient/1`)).status, 200);
  times = 0;
  const write = await call('admin', 'PUT', `/servers/${name}/Patient/1`, PATIENT);
  assert.deepEqual([write.status, times], [502, 1], 'a write is never made twice');
});

test('Basic and Bearer are sent as given', async () => {
  server.behave((_asked, response) => answerFhir(response, PATIENT));
  const basic = await register({ auth: { type: 'basic', username: 'jag', password: 'hemligt:Å' } });
  await call('admin', 'GET', `/servers/${basic}/Patient/1`);
  const expected = `Basic ${Buffer.from('jag:hemligt:Å').toString('base64')}`;
  assert.equal(server.asked.at(-1)?.headers.authorization, expected);
  const bearer = await register({ auth: { type: 'bearer', token: 'abc.def' } });
  await call('admin', 'GET', `/servers/${bearer}/Patient/1`);
  assert.equal(server.asked.at(-1)?.headers.authorization, 'Bearer abc.def');
});

test('client credentials fetch a token once, use it until it ends, and fetch another when it is refused', async () => {
  let tokens = 0;
  let accepted = 'token-1';
  server.behave(({ url, headers }, response) => {
    if (url === '/fhir/token') {
      tokens += 1;
      answerFhir(response, { access_token: `token-${tokens}`, token_type: 'Bearer', expires_in: 300 });
    } else if (headers.authorization === `Bearer ${accepted}`) answerFhir(response, PATIENT);
    else response.writeHead(401).end();
  });
  const name = await register({
    auth: {
      type: 'client_credentials',
      token_url: `${server.url}/token`,
      client_id: 'i d',
      client_secret: 's&',
      scope: 'system/*.rs',
    },
  });
  const read = () => call('admin', 'GET', `/servers/${name}/Patient/1`);
  const together = await Promise.all([read(), read(), read()]);
  assert.deepEqual([together.map(({ status }) => status), tokens], [[200, 200, 200], 1]);
  const asked = server.asked.find(({ url }) => url === '/fhir/token');
  assert.equal(asked?.body, 'grant_type=client_credentials&scope=system%2F*.rs');
  assert.equal(asked?.headers.authorization, `Basic ${Buffer.from('i+d:s%26').toString('base64')}`);
  accepted = 'token-2';
  assert.deepEqual([(await read()).status, tokens], [200, 2], 'refused');
  clock.time += 300_000;
  accepted = 'token-3';
  assert.deepEqual([(await read()).status, tokens], [200, 3], 'ended');
  accepted = 'none';
  const refused = await read();
  assert.deepEqual([refused.status, refused.body.upstream.status], [502, 401]);
});

test('a token endpoint that gives no token is 502 sign_in_failed', async () => {
  const auth = { type: 'client_credentials', token_url: `${server.url}/token`, client_id: 'a', client_secret: 'b' };
  for (const [body, status] of [
    [{ error: 'invalid_client' }, 401],
    [{ access_token: 'a b', token_type: 'Bearer' }, 200],
    [{ access_token: 'ab', token_type: 'mac' }, 200],
    ['<p>', 200],
  ] as const) {
    const name = await register({ auth });
    server.behave((_asked, response) => answerFhir(response, body, status));
    const answer = await call('admin', 'GET', `/servers/${name}/Patient/1`);
    assert.deepEqual([answer.status, answer.body.upstream.reason], [502, 'sign_in_failed'], answer.text);
    assert.ok(!answer.text.includes('<p>'));
  }
});

test('long answers pass byte for byte, also behind a byte order mark; those that are no FHIR are distinguished', async () => {
  const name = await register();
  const filler = '\u00e5\u{1f600}'.repeat(60_000);
  const patient = `{"id" : "1","resourceType":"Patient","name":[{"text":"${filler}"}],"multipleBirthInteger":1.0}`;
  const page = (link: string) =>
    `{"resourceType":"Bundle","type":"searchset","id":"${filler}"${link},"entry":[{"resource":${patient}}]}`;
  const answers = async (body: string, path: string) => {
    server.behave((_asked, response) => answerFhir(response, body));
    return call('admin', 'GET', `/servers/${name}/${path}`);
  };
  for (const mark of ['', '\ufeff']) {
    const read = await answers(mark + patient, 'Patient/1');
    assert.deepEqual([read.status, read.text === patient], [200, true]);
    const next = `${server.url}/Patient?page=2`;
    const links = `,"link":[{"relation":"next","url":"${next}"}, {"relation":"self","url":"http://else.example/Other"}]`;
    const found = await answers(mark + page(links), 'search/Patient');
    const [link, ...others] = JSON.parse(found.text).link;
    assert.deepEqual([others, new URL(link.url).searchParams.get('_page')], [[], next]);
    assert.equal(found.text, page(`,"link":${JSON.stringify([link])}`));
    const lost = await answers(
      mark + page(',"link":[{"relation":"self","url":"http://else.example/Other"}]'),
      'search/Patient',
    );
    assert.equal(lost.text, page(''));
  }
  for (const wrong of [patient.slice(0, -1), patient.replace('"1"', '"2"'), `[${patient}]`]) {
    const { status, body } = await answers(wrong, 'Patient/1');
    assert.deepEqual([status, body.upstream?.reason], [502, 'not_fhir']);
  }
});
