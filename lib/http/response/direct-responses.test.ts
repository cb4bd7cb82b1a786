// Cached and computed responses are sent before routing, and differ from others only in their time
// (docs/adr/0032, docs/adr/0089).
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { fhirWire } from '#fhir/resources/wire.ts';
import { makePrincipal, makeTestAuthenticator, makeTestLogger } from '#test/support/http-app.ts';
import { createMetrics } from '../../metrics/metrics.ts';
import { createHttpApp } from '../app.ts';
import type { ServedRoute } from './served-route.ts';

const TYPE = 'application/fhir+json; charset=utf-8';
const BODY = '{"display":"smör"}';
const READER = makePrincipal(['reader'], { id: '01900000-0000-7000-8000-000000000001' });
const GUEST = makePrincipal(['reader'], { id: '01900000-0000-7000-8000-000000000002' });
const KNOWN = new Map<unknown, typeof READER>([
  ['Bearer reader', READER],
  ['Bearer guest', GUEST],
]);

/**
 * An application with `/things/$ask`, whose response is cached for the reader after the first request; `isComputed`: it
 * is computed for each one.
 */
async function startApp(context: TestContext, corsOrigins: readonly string[] = [], isComputed = false) {
  const lines: string[] = [];
  const metrics = createMetrics('sample');
  const app = await createHttpApp({
    service: 'sample',
    title: 'Sample',
    version: '1.2.3',
    logger: makeTestLogger(lines),
    metrics,
    authenticator: {
      ...makeTestAuthenticator({ reader: READER, guest: GUEST }),
      findCached: ({ authorization }) => KNOWN.get(authorization),
    },
    readiness: [],
    wireFormOf: () => 'plain',
    fhir: fhirWire,
    trustProxy: [],
    corsOrigins,
  });
  const slow = Promise.withResolvers<string>();
  const seen = {
    handled: 0,
    found: (_request: IncomingMessage): void => undefined,
    /** Whether a response can be computed. */
    computed: (_request: IncomingMessage): boolean => true,
    answered: [] as unknown[],
  };
  let served: ServedRoute | undefined;
  app.onResponseSent((principal) => void seen.answered.push(principal?.id));
  app.route({
    method: ['GET', 'POST'],
    url: '/things/$ask',
    config: { permission: 'definition:read' },
    handler: (request, reply) => {
      seen.handled += 1;
      served = request.served;
      reply.type(TYPE).send(BODY);
    },
  });
  app.get('/slow', { config: { permission: 'public' } }, () => slow.promise);
  app.offerDirectResponses((request) => {
    if (served === undefined || request.url !== '/things/$ask') return undefined;
    seen.found(request);
    const route = { served, contentType: TYPE, admits: (principal: unknown) => principal === READER };
    const body = Buffer.from(BODY).toString('latin1');
    const found = { route, body, contentLength: String(body.length) };
    if (!isComputed) return found;
    return { route, compute: (asked) => (seen.computed(asked) ? found : undefined) };
  });
  const ending = Promise.withResolvers<void>();
  app.addHook('preClose', async () => ending.resolve());
  await app.listen({ host: '127.0.0.1', port: 0 });
  context.after(() => app.close());
  return { app, ending, lines, metrics, seen, slow, port: (app.server.address() as AddressInfo).port };
}

const requestText = (lines: readonly string[] = [], first = 'GET /things/$ask') =>
  [`${first} HTTP/1.1`, 'Host: x', 'Authorization: Bearer reader', ...lines, '', ''].join('\r\n');

/** The lines of requests. */
const requestsOf = (lines: readonly string[]) =>
  lines.map((line): Record<string, unknown> => JSON.parse(line)).filter(({ event }) => event === 'request.completed');

const CLOSE = 'Connection: close';

/** All responses until the connection is closed. */
async function exchange(port: number, sent: string): Promise<string> {
  const socket = await open(port);
  socket.write(sent);
  return textOf(socket);
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Without the parts that differ between two responses to the same request. */
const plain = (answer: string) =>
  answer
    .replace(/^x-request-id: [\da-f-]{36}\r\n/m, 'x-request-id: its own\r\n')
    .replace(/^date: .*\r\n/im, '')
    .split('\r\n')
    .sort();

const WAYS = [
  { origins: [], isComputed: false },
  { origins: ['https://app.example.org'], isComputed: false },
  { origins: ['https://app.example.org'], isComputed: true },
];

for (const { origins, isComputed } of WAYS) {
  const what = `${isComputed ? 'computed' : 'cached'}, where ${origins.length} origins may call`;
  test(`both ways answer, record and count alike: ${what}`, async (context) => {
    const { lines, metrics, seen, port } = await startApp(context, origins, isComputed);
    const request = requestText([CLOSE, 'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01']);
    const first = await exchange(port, request);
    const second = await exchange(port, request);
    assert.equal(seen.handled, 1);
    assert.match(first, /^HTTP\/1.1 200 OK\r\n/);
    assert.match(first, /smör/);
    assert.deepEqual(plain(second), plain(first));
    assert.equal(/^vary: Origin\r$/m.test(second), origins.length > 0);
    const [one, two] = requestsOf(lines);
    assert.deepEqual(Object.keys(two ?? {}), Object.keys(one ?? {}));
    assert.deepEqual(
      { ...two, time: '', ms: 0, requestId: '' },
      { ...one, time: '', ms: 0, requestId: '' },
      'one line each, of the same actor and trace',
    );
    assert.match(second, new RegExp(`^x-request-id: ${String(two?.['requestId'])}\\r$`, 'm'));
    assert.ok(Number(two?.['ms']) > 0);
    assert.match(
      await metrics.text(),
      /duration_seconds_count\{method="GET",route="\/things\/\$ask",status="200",service="sample"\} 2$/m,
    );
    assert.deepEqual(seen.answered, [READER.id, READER.id]);
  });
}

test('the route responds where nothing can be computed, and to callers whom it has not admitted', async (context) => {
  const { lines, seen, port } = await startApp(context, [], true);
  let computed = 0;
  let canCompute = false;
  seen.computed = () => {
    computed += 1;
    return canCompute;
  };
  for (const [handled, tried] of [
    [1, 0],
    [2, 1],
  ] as const) {
    assert.match(await exchange(port, requestText([CLOSE])), /smör/);
    assert.deepEqual([seen.handled, computed], [handled, tried]);
  }
  canCompute = true;
  assert.match(await exchange(port, requestText([CLOSE])), /smör/);
  assert.deepEqual([seen.handled, computed], [2, 2]);
  assert.match(await exchange(port, requestText([CLOSE]).replace('reader', 'guest')), /smör/);
  assert.match(await exchange(port, requestText([CLOSE, 'Cookie: session=1'])), /smör/);
  assert.deepEqual([seen.handled, computed], [4, 2], 'neither the guest nor a cookie is computed for');
  assert.equal(requestsOf(lines).length, 5, 'each request has one line');
});

test('the request id of the caller is returned', async (context) => {
  const { lines, seen, port } = await startApp(context);
  await exchange(port, requestText([CLOSE]));
  assert.match(await exchange(port, requestText([CLOSE, 'X-Request-Id: mine-1'])), /^x-request-id: mine-1\r$/m);
  assert.doesNotMatch(await exchange(port, requestText([CLOSE, 'X-Request-Id: <mine>'])), /<mine>/);
  assert.equal(seen.handled, 1);
  assert.equal(requestsOf(lines)[1]?.['requestId'], 'mine-1');
});

test('a request with further headers takes the normal route', async (context) => {
  const { seen, port } = await startApp(context);
  await exchange(port, requestText([CLOSE]));
  const others = [
    requestText([CLOSE, 'Cookie: session=1']),
    requestText([CLOSE, 'Prefer: handling=strict']),
    requestText([CLOSE, 'Origin: https://app.example.org']),
    requestText([CLOSE, 'Content-Type: application/json', 'Content-Length: 0']),
    requestText([CLOSE, 'If-None-Match: "1"']),
    requestText([CLOSE, 'X-Other: 1']),
    requestText([CLOSE, 'Content-Length: 0'], 'POST /things/$ask'),
    requestText([CLOSE], 'GET /things/%24ask'),
    requestText([CLOSE]).replace('reader', 'guest'),
    requestText([CLOSE], 'HEAD /things/$ask'),
  ];
  for (const [index, request] of others.entries()) {
    assert.match(await exchange(port, request), /^HTTP\/1.1 200 OK\r\n/, request);
    assert.equal(seen.handled, index + 2, request);
  }
  for (const request of [
    requestText([CLOSE]).replace('reader', 'nobody'),
    requestText([CLOSE]).replace(/Auth.*\r\n/, ''),
  ]) {
    assert.match(await exchange(port, request), /^HTTP\/1.1 401 /, request);
  }
});

test('pipelined requests are answered in their order', async (context) => {
  const { lines, seen, port } = await startApp(context);
  await exchange(port, requestText([CLOSE]));
  const ids = ['a', 'b', 'c'];
  const answer = await exchange(
    port,
    ids.map((id) => requestText([`X-Request-Id: ${id}`, ...(id === 'c' ? [CLOSE] : [])])).join(''),
  );
  assert.deepEqual(
    [...answer.matchAll(/^x-request-id: (.*)\r$/gm)].map(([, id]) => id),
    ids,
  );
  assert.equal(answer.split(BODY).length, 4);
  assert.equal(seen.handled, 1);
  assert.deepEqual(
    requestsOf(lines)
      .slice(1)
      .map(({ requestId }) => requestId),
    ids,
  );
});

test('what takes long to compute does not hold up the rest of the node', async (context) => {
  const { seen, port } = await startApp(context, [], true);
  await exchange(port, requestText([CLOSE]));
  const order: string[] = [];
  seen.computed = () => {
    order.push('computed');
    setImmediate(() => order.push('another'));
    const end = performance.now() + 12;
    while (performance.now() < end);
    return true;
  };
  await exchange(port, requestText() + requestText() + requestText([CLOSE]));
  assert.deepEqual(order.slice(0, 5), ['computed', 'another', 'computed', 'another', 'computed']);
  assert.equal(seen.handled, 1);
});

test('a response that waits for another is recorded when it is sent', async (context) => {
  const { lines, seen, slow, port } = await startApp(context);
  await exchange(port, requestText([CLOSE]));
  // The answer is made in the first of these, and waits for the slow one in the second.
  seen.found = () => void setImmediate(() => setImmediate(() => slow.resolve('at last')));
  const answer = await exchange(port, requestText([], 'GET /slow') + requestText([CLOSE]));
  assert.match(answer, /at last.*smör/s);
  assert.equal(seen.handled, 1);
  assert.deepEqual(
    requestsOf(lines).map(({ route }) => route),
    ['/things/$ask', '/slow', '/things/$ask'],
  );
});

test('a client that disconnects before the response is recorded, and does not affect others', async (context) => {
  const { lines, seen, port } = await startApp(context);
  await exchange(port, requestText([CLOSE]));
  seen.found = ({ socket }) => void socket.destroy();
  await exchange(port, requestText(['X-Request-Id: gone']));
  seen.found = () => undefined;
  const ready = await exchange(port, requestText([CLOSE]));
  assert.match(ready, /^cache-control: private, no-store\r\nx-content-type-options: nosniff\r$[\s\S]*smör/m);
  assert.equal(seen.handled, 1);
  assert.equal(requestsOf(lines)[1]?.['requestId'], 'gone');
});

test('a closing application leaves requests to the normal route, which sends Connection: close', async (context) => {
  const { app, ending, port } = await startApp(context);
  await exchange(port, requestText([CLOSE]));
  const socket = await open(port);
  const request = requestText();
  // Half of a request keeps its connection open.
  socket.write(request + request.slice(0, 20));
  await once(socket, 'data');
  const closed = app.close();
  await ending.promise;
  socket.write(request.slice(20));
  // It is served as long as its connection is there (docs/adr/0056), by who says that the connection ends.
  const last = await textOf(socket);
  assert.match(last, /^HTTP\/1.1 200 .*^connection: close\r$/ims);
  for (const header of ['cache-control: private, no-store', 'x-content-type-options: nosniff']) {
    assert.ok(last.toLowerCase().includes(`\r\n${header}\r\n`), header);
  }
  await closed;
});
