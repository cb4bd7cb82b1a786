import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request as send } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { eventually } from '#test/support/http.ts';
import { makeTestApp } from '#test/support/http-app.ts';
import { DRAINING_HEADER } from './closing.ts';

interface Seen {
  readonly status: number;
  readonly connection: string | undefined;
  readonly draining: string | undefined;
}

const ENDING = { connection: 'close', draining: 'stopping' };

function get(port: number, agent: Agent, path: string): Promise<Seen> {
  return new Promise((resolve, reject) => {
    send({ port, host: '127.0.0.1', agent, path }, (answer) => {
      answer.resume().on('end', () => {
        const { connection, [DRAINING_HEADER]: draining } = answer.headers;
        resolve({ status: answer.statusCode ?? 0, connection, draining: draining?.toString() });
      });
    })
      .on('error', reject)
      .end();
  });
}

test('while a node drains, kept connections are served and end with the answer, and new ones are refused', async (t) => {
  const app = await makeTestApp({}, { drainMs: 60_000 });
  app.get('/', { config: { permission: 'public' } }, async () => ({}));
  const release = Promise.withResolvers<void>();
  app.get('/slow', { config: { permission: 'public' } }, () => release.promise.then(() => ({})));
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const agents = Array.from({ length: 3 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  t.after(() => agents.forEach((agent) => void agent.destroy()));
  const [first, second, third] = agents as [Agent, Agent, Agent];
  for (const agent of agents) assert.equal((await get(port, agent, '/')).status, 200);
  const slow = get(port, third, '/slow');
  while ((await connectionsOf(app.server)) < 3) await new Promise((resolve) => setImmediate(resolve));
  const closed = app.close();
  while (app.server.listening) await new Promise((resolve) => setImmediate(resolve));
  await assert.rejects(get(port, new Agent(), '/'), { code: 'ECONNREFUSED' });
  assert.deepEqual(await get(port, first, '/'), { status: 200, ...ENDING });
  assert.deepEqual(await get(port, second, '/readyz'), { status: 503, ...ENDING });
  release.resolve();
  assert.deepEqual(await slow, { status: 200, ...ENDING });
  // Long before the time of the drain is over: nobody is connected any more.
  await closed;
});

test('applications of a process that stops drain at once, and serve each other until they are closed', async (t) => {
  const stopping = new AbortController();
  const apps = await Promise.all([1, 2].map(() => makeTestApp({}, { drainMs: 60_000, stopping: stopping.signal })));
  const [first, second] = apps as [(typeof apps)[0], (typeof apps)[0]];
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  second.get('/', { config: { permission: 'public' } }, async () => ({}));
  // The first one needs the second, in the same process.
  first.get('/', { config: { permission: 'public' } }, async () => (await second.inject('/')).json());
  for (const app of apps) await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = first.server.address() as AddressInfo;
  assert.equal((await get(port, agent, '/')).status, 200);
  stopping.abort();
  await eventually('none takes connections', async () =>
    apps.every(({ server }) => !server.listening) ? true : undefined,
  );
  const closed = first.close();
  assert.deepEqual(await get(port, agent, '/'), { status: 200, ...ENDING });
  await closed;
  await second.close();
});

test('a head that never ends does not keep a node from stopping, and a running request is completed', async (t) => {
  const app = await makeTestApp({}, { drainMs: 0 });
  const begun = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  app.get('/slow', { config: { permission: 'public' } }, async () => {
    begun.resolve();
    await release.promise;
    return {};
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const slow = get(port, agent, '/slow');
  await begun.promise;
  const half = connect(port, '127.0.0.1');
  t.after(() => half.destroy());
  half.on('error', () => undefined);
  const ended = once(half, 'close');
  half.write('GET / HTTP/1.1\r\nhost: a');
  while ((await connectionsOf(app.server)) < 2) await new Promise((resolve) => setImmediate(resolve));
  const closed = app.close();
  await ended;
  release.resolve();
  assert.equal((await slow).status, 200);
  await closed;
});

test('a body that never ends does not keep a node from stopping', async (t) => {
  const app = await makeTestApp({}, { drainMs: 0 });
  app.post('/', { config: { permission: 'public' } }, async () => ({}));
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const half = connect(port, '127.0.0.1');
  t.after(() => half.destroy());
  half.on('error', () => undefined);
  half.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"a":');
  await once(app.server, 'request');
  await Promise.all([once(half, 'close'), app.close()]);
});

test('connections that were in the accept queue when the node stopped are served', async (t) => {
  const app = await makeTestApp({}, { drainMs: 60_000 });
  app.post('/', { config: { permission: 'public' } }, async () => ({}));
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  // Another thread connects and sends while this one is busy: the kernel alone has taken the connections.
  const others = new Worker(CLIENTS, { eval: true, workerData: { port, count: 40 } });
  t.after(() => others.terminate());
  const [ready] = (await once(others, 'message')) as [Int32Array];
  others.postMessage('go');
  for (let seen = 0; seen < 40; seen = Atomics.load(ready, 0)) {
    assert.notEqual(Atomics.wait(ready, 0, seen, 60_000), 'timed-out');
  }
  const closed = app.close();
  assert.deepEqual(await once(others, 'message'), [Array.from({ length: 40 }, () => 'HTTP/1.1 200 OK')]);
  await closed;
});

/**
 * Sends requests over connections of their own. Returns how many were sent, and the first line of each response, or
 * the error.
 */
const CLIENTS = `
const { parentPort, workerData: { port, count } } = require('node:worker_threads');
const { connect } = require('node:net');
const sent = new Int32Array(new SharedArrayBuffer(4));
parentPort.postMessage(sent);
parentPort.once('message', async () => {
  const answers = await Promise.all(Array.from({ length: count }, () => new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => {
      socket.write('POST / HTTP/1.1\\r\\nhost: x\\r\\ncontent-length: 0\\r\\n\\r\\n', () => {
        Atomics.add(sent, 0, 1);
        Atomics.notify(sent, 0);
      });
    });
    socket.setEncoding('utf8').on('data', (part) => (text += part));
    socket.on('error', ({ code }) => resolve(code)).on('close', () => resolve(text.split('\\r\\n')[0]));
  })));
  parentPort.postMessage(answers);
});
`;

function connectionsOf(server: { getConnections(done: (error: Error | null, count: number) => void): void }) {
  return new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
}
