// The two ways to a service, over the network and within the process, as clients and the service see them.
import assert from 'node:assert/strict';
import { type IncomingMessage, request as send } from 'node:http';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { createServingGate } from '#lib/http/serving-gate.ts';
import { makeGateway, PAGE } from '#test/support/gateway.ts';
import { eventually } from '#test/support/http.ts';
import { makeTestApp } from '#test/support/http-app.ts';
import { rawRequest } from '#test/support/raw-request.ts';
import type { LocalServices } from './hand-over.ts';

const LISTEN = { host: '127.0.0.1', port: 0 };
/** Of a proxy in front of the gateway: the tests' own. */
const PROXY = ['127.0.0.1'];
const NOBODY = 'http://127.0.0.1:9';

const settings = { corsOrigins: [PAGE], trustProxy: PROXY };
const service = await makeTestApp({}, { ...settings, gatewayProof: 'proof' });
const open = { config: { permission: 'public' } } as const;
const streams: PassThrough[] = [];
service.post(
  '/echo/:id',
  { config: { ...open.config, openBodyLimit: 1024 * 1024 } },
  async ({ method, url, headers, ip, protocol, host, body, id }) => {
    const {
      connection,
      host: _host,
      'x-kedja-gateway': proof,
      traceparent,
      'x-forwarded-for': chain,
      ...rest
    } = headers;
    return { method, url, headers: rest, ip, protocol, host, body, id, proof, isForwarded: chain !== undefined };
  },
);
service.get('/made', open, async (_request, reply) => reply.code(201).header('location', '/made/1').send({}));
service.post('/form', open, async (_request, reply) => reply.redirect('form/done?lang=sv', 303));
service.get('/form/up', open, async (_request, reply) => reply.redirect('../made'));
service.get('/elsewhere', open, async (_request, reply) => reply.redirect('https://example.org/x'));
service.get('/list', open, async (_request, reply) => reply.header('link', '</list?page=2>; rel="next"').send([1]));
service.get('/long', open, async (_request, reply) => {
  const body = new PassThrough();
  body.end('a long text');
  return reply.type('text/plain').header('location', '/long/1').send(body);
});
service.get('/events', open, async (_request, reply) => {
  const body = new PassThrough();
  streams.push(body);
  body.write('data: 1\n\n');
  return reply.type('text/event-stream').send(body);
});
const serviceOrigin = await service.listen(LISTEN);

const gate = createServingGate();
gate.open();
const handed: string[] = [];
const local: LocalServices = {
  find: (name) =>
    name === 'engine' && gate.isOpen()
      ? (request, response) => {
          handed.push(request.url ?? '');
          service.server.emit('request', request, response);
        }
      : undefined,
};
/** Over the network, and within the process; nobody listens where the second would send a request. */
const [network, process] = await Promise.all([
  makeGateway([serviceOrigin], settings),
  makeGateway([NOBODY], { ...settings, local }),
]);
const [byNetwork, byProcess] = [await network.listen(LISTEN), await process.listen(LISTEN)];
after(() => Promise.all([network.close(), process.close()]).then(() => service.close()));

const CHANGING = ['date', 'connection', 'content-length', 'keep-alive', 'transfer-encoding', 'x-request-id'];
const REQUESTS: Readonly<Record<string, { path: string; method?: string; headers?: Record<string, string> }>> = {
  'a request': { path: '/engine/echo/1?a=1&b=%C3%A5', method: 'POST', headers: { 'x-request-id': 'r-1' } },
  'a body': {
    path: '/engine/echo/2',
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': 'r-2' },
  },
  'forwarding headers of a proxy': {
    path: '/engine/echo/3',
    method: 'POST',
    headers: {
      'x-request-id': 'r-3',
      'x-forwarded-for': '203.0.113.7, 198.51.100.2',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'kedja.example',
    },
  },
  'claims that nobody trusts': {
    path: '/engine/echo/4',
    method: 'POST',
    headers: {
      'x-request-id': 'r-4',
      'x-kedja-gateway': 'guessed',
      'x-real-ip': '203.0.113.9',
      forwarded: 'for=203.0.113.9',
      'x-forwarded-port': '1',
      'x-kedja-draining': 'stopping',
    },
  },
  'a location': { path: '/engine/made' },
  'a relative location': { path: '/engine/form', method: 'POST' },
  'a relative location further up': { path: '/engine/form/up' },
  'a location elsewhere': { path: '/engine/elsewhere' },
  'links to pages': { path: '/engine/list' },
  'a stream with a location': { path: '/engine/long' },
  'a page of another origin': { path: '/engine/list', headers: { origin: PAGE } },
  'a preflight': {
    path: '/engine/list',
    method: 'OPTIONS',
    headers: { origin: PAGE, 'access-control-request-method': 'PUT' },
  },
  'nothing there': { path: '/engine/nothing' },
  'the wrong method': { path: '/engine/list', method: 'DELETE' },
  'the address of the reference page': { path: '/engine/docs' },
  metrics: { path: '/engine/metrics' },
  'metrics, escaped': { path: '/engine/%6detrics' },
  'a path of two meanings': { path: '/engine/x/../metrics' },
  'a path that cannot be decoded': { path: '/engine/%zz' },
  'a path of half a character': { path: '/engine/list%c3' },
  'a query that cannot be decoded': { path: '/engine/list?x=%zz' },
  'an escaped prefix': { path: '/%65ngine/list' },
  'an address of the whole request': { path: 'http://elsewhere.example/engine/list' },
  'no address': { path: '*', method: 'OPTIONS' },
  'a method that the gateway does not forward': { path: '/engine/list', method: 'TRACE' },
  'the console without a session': { path: '/engine/list', headers: { 'kedja-console': '1' } },
  'the console from elsewhere': {
    path: '/engine/echo/5',
    method: 'POST',
    headers: { 'kedja-console': '1', origin: PAGE, 'content-type': 'application/json' },
  },
};

for (const [name, { path, ...options }] of Object.entries(REQUESTS)) {
  test(`${name}: both ways have the same response`, async () => {
    const answers = await Promise.all([byNetwork, byProcess].map((origin) => responseOf(origin, path, options)));
    assert.deepEqual(answers[1], answers[0]);
  });
}

test('an address from the root gets the prefix, and a relative one stays as it is', async () => {
  for (const origin of [byNetwork, byProcess]) {
    const locationOf = async (path: string, method = 'GET') =>
      (await responseOf(origin, path, { method })).headers['location'];
    assert.equal(await locationOf('/engine/made'), '/engine/made/1');
    assert.equal(await locationOf('/engine/form', 'POST'), 'form/done?lang=sv');
    assert.equal(await locationOf('/engine/form/up'), '../made');
    assert.equal(await locationOf('/engine/elsewhere'), 'https://example.org/x');
  }
});

test('within the process no request is sent to the port of the service', async () => {
  handed.length = 0;
  assert.equal((await rawRequest(byProcess, '/engine/list')).status, 200);
  assert.deepEqual(handed, ['/list']);
});

test('a service that is not ready, and one of another process, are reached over the network', async (t) => {
  const own = createServingGate();
  const find: LocalServices['find'] = (name) => (own.isOpen() ? local.find(name) : undefined);
  const gateway = await makeGateway([serviceOrigin], { ...settings, local: { find } });
  t.after(() => gateway.close());
  const origin = await gateway.listen(LISTEN);
  handed.length = 0;
  assert.equal((await rawRequest(origin, '/engine/list')).status, 200);
  assert.deepEqual(handed, []);
  own.open();
  assert.equal((await rawRequest(origin, '/engine/list')).status, 200);
  assert.equal((await rawRequest(origin, '/dispatch/list')).status, 200);
  assert.deepEqual(handed, ['/list']);
});

test('a body of some packets arrives whole, also on a kept connection after a refusal', async () => {
  const body = JSON.stringify('å'.repeat(300_000));
  for (let round = 0; round < 3; round += 1) {
    const answer = await fetch(`${byProcess}/engine/echo/1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const echoed = (await answer.json()) as { readonly body?: string };
    assert.equal(echoed.body?.length, 300_000, JSON.stringify(echoed));
    const refused = await fetch(`${byProcess}/engine/nothing`, { method: 'POST', body });
    assert.equal(refused.status, 404);
    await refused.text();
  }
});

test('an event stream passes at once, and ends when the gateway stops', async () => {
  const gateway = await makeGateway([NOBODY], { ...settings, local });
  const origin = await gateway.listen(LISTEN);
  const stream = await new Promise<IncomingMessage>((resolve) => send(`${origin}/engine/events`, resolve).end());
  stream.setEncoding('utf8');
  const [first] = (await stream.take(1).toArray()) as string[];
  assert.equal(first, 'data: 1\n\n');
  const [open] = streams.splice(0);
  await gateway.close();
  await eventually('the service ended its stream', async () => (open?.destroyed === true ? true : undefined));
});

async function responseOf(
  origin: string,
  path: string,
  options: { readonly method?: string; readonly headers?: Record<string, string> },
) {
  const answer = await responded(origin, path, options);
  const headers = Object.entries(answer.headers).filter(([name]) => !CHANGING.includes(name));
  // The gateway's own address is the host where nobody says another.
  const body = (await text(answer)).replaceAll(new URL(origin).host, 'HOST');
  const isJson = /json/.test(answer.headers['content-type'] ?? '') && body !== '';
  return { status: answer.statusCode, headers: Object.fromEntries(headers), body: isJson ? JSON.parse(body) : body };
}

function responded(
  origin: string,
  path: string,
  { method = 'GET', headers = {} }: { readonly method?: string; readonly headers?: Record<string, string> },
): Promise<IncomingMessage> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const asked = send({ hostname, port, path, method, headers, agent: false }, resolve);
    asked.once('error', reject);
    if (headers['content-type'] !== undefined) asked.write('{"a":"å"}');
    asked.end();
  });
}
