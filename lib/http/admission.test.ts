// What is checked of a request before its body is parsed (docs/adr/0040), and how much of its errors is
// found.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import Type from 'typebox';
import { makePrincipal, makeTestApp } from '#test/support/http-app.ts';
import type { HttpApp } from './http-app.ts';

const KIBIBYTE = 1024;
const CALLERS = {
  reader: makePrincipal(['reader'], { kind: 'engine_user' }),
  patient: makePrincipal(['patient'], { patientGuid: 'p1' }),
  planner: makePrincipal(['professional', 'clinician'], { phases: new Set(['planning']) }),
  readKey: makePrincipal(['api_key'], { kind: 'api_key', scopes: ['system/*.rs'] }),
  writeKey: makePrincipal(['api_key'], { kind: 'api_key', scopes: ['system/Patient.cru'] }),
};

const body = Type.Object(
  {
    name: Type.Optional(Type.String()),
    phases: Type.Optional(Type.Array(Type.Object({ n: Type.Integer() }), { maxItems: 500, uniqueItems: true })),
    more: Type.Optional(Type.Object({})),
  },
  { additionalProperties: false },
);

async function makeApp(): Promise<HttpApp> {
  const app = await makeTestApp(CALLERS);
  const respond = async () => ({ ok: true });
  app.post('/open', { config: { permission: 'public' }, schema: { body } }, respond);
  app.post('/wide', { config: { permission: 'public', openBodyLimit: 64 * KIBIBYTE }, schema: { body } }, respond);
  const options = { config: { permission: 'fhir:operate' }, bodyLimit: 4096 * KIBIBYTE } as const;
  app.post('/known', { ...options, schema: { body } }, respond);
  app.post('/held', {
    config: { permission: 'receipt:hold' },
    bodyLimit: 4096 * KIBIBYTE,
    onRequest: async (request) => {
      request.hasCapability = request.headers['x-token'] === 'held';
    },
    schema: { body },
    handler: respond,
  });
  app.get('/list', { config: { permission: 'public' }, schema: { querystring: Type.Object({}) } }, respond);
  return app;
}

async function post(app: HttpApp, url: string, payload: string, headers: Record<string, string> = {}) {
  const answer = await app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', ...headers },
    payload,
  });
  return { status: answer.statusCode, body: answer.json() as { message: string; messages?: string[] } };
}

const nameOf = (length: number) => JSON.stringify({ name: 'x'.repeat(length) });
const as = (caller: keyof typeof CALLERS) => ({ authorization: `Bearer ${caller}` });

test('a body may be as large as its sender may write, and a refusal names the limit', async () => {
  const app = await makeApp();
  const large = nameOf(20 * KIBIBYTE);
  const huge = nameOf(1100 * KIBIBYTE);
  const refused = await post(app, '/open', large);
  assert.deepEqual([refused.status, refused.body.message.includes('16 KiB')], [413, true]);
  // Of a length that is taken, and therefore read: the text itself is too long.
  assert.equal((await post(app, '/wide', large)).status, 400);
  assert.equal((await post(app, '/wide', nameOf(70 * KIBIBYTE))).status, 413);
  for (const caller of ['reader', 'patient', 'readKey'] as const) {
    assert.equal((await post(app, '/known', large, as(caller))).status, 400, caller);
    const { status, body: answered } = await post(app, '/known', huge, as(caller));
    assert.deepEqual([status, answered.message.includes('1 MiB')], [413, true], caller);
  }
  for (const caller of ['planner', 'writeKey'] as const)
    assert.equal((await post(app, '/known', huge, as(caller))).status, 400, caller);
  assert.equal((await post(app, '/held', huge)).status, 413);
  assert.equal((await post(app, '/held', huge, { 'x-token': 'held' })).status, 400);
  const over = await post(app, '/known', nameOf(5000 * KIBIBYTE), as('planner'));
  assert.deepEqual([over.status, over.body.message.includes('4 MiB')], [413, true]);
});

test('a body without Content-Length is counted as it arrives', async (t) => {
  const app = await makeApp();
  t.after(() => app.close());
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const send = async (length: number) => {
    const pieces = new ReadableStream({
      start(controller) {
        const bytes = new TextEncoder().encode(nameOf(length));
        for (let at = 0; at < bytes.length; at += 4096) controller.enqueue(bytes.slice(at, at + 4096));
        controller.close();
      },
    });
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: pieces, duplex: 'half' as const };
    return (await fetch(`${origin}/open`, init)).status;
  };
  assert.deepEqual([await send(1000), await send(20 * KIBIBYTE)], [200, 413]);
});

test('depth and number of values are checked before a body is parsed, with limits by caller', async () => {
  const app = await makeApp();
  const list = (count: number) => `{"phases":[${Array(count).fill('1').join(',')}]}`;
  const depth = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const messageOf = async (url: string, text: string, headers = {}) =>
    (await post(app, url, text, headers)).body.message;
  assert.match(await messageOf('/open', list(1001)), /more than 1000 members and elements/);
  assert.match(await messageOf('/open', depth(17)), /deeper than 16 levels/);
  assert.match(await messageOf('/known', list(60_000), as('planner')), /more than 50000 members/);
  assert.match(await messageOf('/known', depth(65), as('planner')), /deeper than 64 levels/);
  assert.match(await messageOf('/open', '{"name":"a","name":"b"}'), /'name' is given more than once/);
  assert.match(await messageOf('/open', '{"__proto__":{}}'), /__proto__/);
  // Long bodies are read in slices, with the same answers.
  const long = ' '.repeat(70 * 1024);
  assert.match(
    await messageOf('/known', `${long}{"name":"a","name":"b"}`, as('planner')),
    /'name' is given more than once/,
  );
  assert.match(await messageOf('/known', `${long}{"__proto__":{}}`, as('planner')), /__proto__/);
  assert.match(await messageOf('/known', `${long}{"name":}`, as('planner')), /no valid JSON/);
});

test('of tens of thousands of errors a response names a hundred; the last says that there are more', async () => {
  const app = await makeApp();
  const members = Array.from({ length: 40_000 }, (_, index) => `"u${index}":1`).join(',');
  const { status, body: answered } = await post(app, '/known', `{${members}}`, as('planner'));
  assert.deepEqual([status, answered.messages?.length, answered.messages?.at(-1)], [400, 100, 'and more']);
  const few = await post(app, '/known', '{"u1":1,"u2":2,"name":3}', as('planner'));
  assert.equal(few.body.messages?.length, 3);
});

test('the items of a list that is too long are not validated', async () => {
  const app = await makeApp();
  const items = Array.from({ length: 10_000 }, (_, index) => `{"n":${index}.5}`).join(',');
  const { body: answered } = await post(app, '/known', `{"phases":[${items}],"name":7}`, as('planner'));
  assert.deepEqual(answered.messages, ["'name' must be string", "'phases' must NOT have more than 500 items"]);
  const wrong = await post(app, '/known', '{"phases":[{"n":1},{"n":1},{"n":"x"}]}', as('planner'));
  assert.equal(wrong.body.messages?.length, 2);
});

test('sizes that a schema leaves open get a default bound, which /openapi.json shows', async () => {
  const app = await makeApp();
  const { body: long } = await post(app, '/known', nameOf(10_001), as('planner'));
  assert.deepEqual(long.messages, ["'name' must NOT have more than 10000 characters"]);
  await app.ready();
  const { paths } = (await app.inject('/openapi.json')).json();
  const { properties } = paths['/known'].post.requestBody.content['application/json'].schema;
  assert.deepEqual([properties.name.maxLength, properties.more.maxProperties], [10_000, 1000]);
});

test('a query has at most 500 parameters and 10,000 alternatives', async () => {
  const app = await makeApp();
  const ask = async (query: string) => (await app.inject(`/list?${query}`)).statusCode;
  assert.deepEqual([await ask('a=1&'.repeat(400)), await ask('a=1&'.repeat(600))], [200, 400]);
  assert.deepEqual([await ask(`a=${'b,'.repeat(9000)}`), await ask(`a=${'b%2C'.repeat(11_000)}`)], [200, 400]);
});

test('a body that does not arrive is not waited for, nor the rest of a refused one', async (t) => {
  const times = { headersMs: 60_000, openBodyMs: 50, idleBodyMs: 60_000, checkMs: 20 };
  const app = await makeTestApp(CALLERS, { times });
  t.after(() => app.close());
  app.post('/open', { config: { permission: 'public' } }, async () => ({}));
  app.post('/known', { config: { permission: 'fhir:operate' } }, async () => ({}));
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  const endOf = async (address: string) => {
    const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8');
    let answer = '';
    socket.on('data', (text: string) => (answer += text));
    socket.write(
      `POST ${address} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
    );
    await once(socket, 'close');
    return answer;
  };
  assert.match(await endOf('/open'), /^HTTP\/1.1 408 /);
  assert.match(await endOf('/known'), /^HTTP\/1.1 401 /);
});

test('a stalled upload of an authenticated caller is ended', async (t) => {
  const times = { headersMs: 60_000, openBodyMs: 60_000, idleBodyMs: 200, checkMs: 20 };
  const app = await makeTestApp(CALLERS, { times });
  t.after(() => app.close());
  app.post('/known', { config: { permission: 'fhir:operate' }, bodyLimit: 9_000_000 }, async () => ({}));
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8');
  let answer = '';
  socket.on('data', (text: string) => (answer += text));
  const credentials = 'authorization: Bearer planner\r\n';
  const type = 'content-type: application/json\r\n';
  socket.write(`POST /known HTTP/1.1\r\nhost: x\r\n${credentials}${type}content-length: 8000000\r\n\r\n"`);
  await once(socket, 'close');
  assert.match(answer, /^HTTP\/1.1 408 /);
});
