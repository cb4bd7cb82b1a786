import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { freePorts } from '#test/support/system/free-ports.ts';
import { ServiceError } from '../../errors.ts';
import { DRAINING_HEADER } from '../closing.ts';
import { UNPROCESSED_HEADER } from '../serving-gate.ts';
import { createNodePool, type NodePool } from './node-pool.ts';

interface Hooks {
  after(cleanUp: () => Promise<void>): void;
}

async function serve(hooks: Hooks, answer: RequestListener, port = 0): Promise<string> {
  const server: Server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  hooks.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers with its name, the method and the body. */
function echo(name: string, seen: string[] = []): RequestListener {
  return (request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      seen.push(`${request.method} ${body}`);
      response.end(`${name} ${request.method} ${body}`);
    });
  };
}

const cutOff: RequestListener = (request) => request.resume().on('end', () => request.socket.destroy());

async function nobody(): Promise<string> {
  const [port] = await freePorts(1);
  return `http://127.0.0.1:${port}`;
}

function poolOf(hooks: Hooks, origins: readonly string[], patienceMs = 0): NodePool {
  const pool = createNodePool({ name: 'engine', origins, patienceMs });
  hooks.after(() => pool.close());
  return pool;
}

async function textOf(pool: NodePool, request: Partial<Parameters<NodePool['send']>[0]>): Promise<string> {
  const answer = await pool.send({ method: 'GET', path: '/', headers: {}, ...request });
  return answer.body.text();
}

test('a request whose connection is refused goes to the other node once, whatever its method', async (t) => {
  const seen: string[] = [];
  const pool = poolOf(t, [await nobody(), await serve(t, echo('b', seen))]);
  for (const body of ['1', '2', '3']) assert.equal(await textOf(pool, { method: 'POST', body }), `b POST ${body}`);
  assert.deepEqual(seen, ['POST 1', 'POST 2', 'POST 3']);
  assert.deepEqual(
    pool.nodes.map(({ state }) => state),
    ['down', 'reachable'],
  );
});

test('a stream that was not read goes to the other node', async (t) => {
  const pool = poolOf(t, [await nobody(), await serve(t, echo('b'))]);
  for (let round = 0; round < 2; round += 1) {
    assert.equal(await textOf(pool, { method: 'POST', body: Readable.from(['long ', 'body']) }), 'b POST long body');
  }
});

test('a request that a node says it has not processed goes to the other', async (t) => {
  const starting: RequestListener = (_request, response) =>
    response.writeHead(503, { [UNPROCESSED_HEADER]: 'starting' }).end('later');
  const pool = poolOf(t, [await serve(t, starting), await serve(t, echo('b'))]);
  for (const body of ['1', '2']) assert.equal(await textOf(pool, { method: 'POST', body }), `b POST ${body}`);
});

test('a node that says it is stopping gets no further request, and its idle connections are closed', async (t) => {
  const seen: string[] = [];
  const open = new Set<Socket>();
  let isStopping = false;
  const stopping: RequestListener = (request, response) => {
    open.add(request.socket.once('close', () => open.delete(request.socket)));
    seen.push(request.url ?? '');
    const answer = () => response.writeHead(200, isStopping ? { [DRAINING_HEADER]: 'stopping' } : {}).end('a');
    // The first three are answered together, so that each has a connection of its own; the last one after the node was
    // left.
    if (request.url === '/first' && seen.length < 3) answers.push(answer);
    else if (request.url === '/first') for (const each of [...answers, answer]) each();
    else if (request.url === '/slow') slow.resolve(answer);
    else answer();
  };
  const answers: (() => void)[] = [];
  const slow = Promise.withResolvers<() => void>();
  const pool = poolOf(t, [await serve(t, stopping)]);
  await Promise.all(['/first', '/first', '/first'].map((path) => textOf(pool, { path })));
  assert.equal(open.size, 3);
  const late = textOf(pool, { method: 'POST', path: '/slow' });
  const answerLate = await slow.promise;
  isStopping = true;
  assert.equal(await textOf(pool, { path: '/last' }), 'a');
  assert.equal(pool.nodes[0]?.state, 'draining');
  // Those that are idle end; the one with a request does not.
  while (open.size > 1) await new Promise((resolve) => setImmediate(resolve));
  answerLate();
  assert.equal(await late, 'a');
  while (open.size > 0) await new Promise((resolve) => setImmediate(resolve));
});

test('a node that is stopping comes after one that is starting, and before one that is down', async (t) => {
  const stopping: RequestListener = (_request, response) =>
    response.writeHead(200, { [DRAINING_HEADER]: 'stopping' }).end('stopping');
  const pool = poolOf(t, [await serve(t, stopping), await serve(t, echo('b')), await nobody()]);
  for (let round = 0; round < 6; round += 1) await textOf(pool, {});
  assert.deepEqual(
    pool.nodes.map(({ state }) => state),
    ['draining', 'reachable', 'down'],
  );
  for (let round = 0; round < 6; round += 1) assert.equal(await textOf(pool, {}), 'b GET ');
});

test('a 503 of a node that has processed the request is returned', async (t) => {
  const busy: RequestListener = (_request, response) => response.writeHead(503).end('busy');
  const origin = await serve(t, busy);
  const pool = poolOf(t, [origin]);
  const answer = await pool.send({ method: 'GET', path: '/', headers: {} });
  assert.deepEqual([answer.statusCode, await answer.body.text()], [503, 'busy']);
});

test('a request waits for a node that is being started again', async (t) => {
  const [port = 0] = await freePorts(1);
  const pool = poolOf(t, [`http://127.0.0.1:${port}`], 60_000);
  const waiting = ['1', '2', '3'].map((body) => textOf(pool, { method: 'POST', body }));
  while (pool.nodes[0]?.state !== 'down') await new Promise((resolve) => setImmediate(resolve));
  await serve(t, echo('a'), port);
  assert.deepEqual(await Promise.all(waiting), ['a POST 1', 'a POST 2', 'a POST 3']);
});

test('without a node that is expected back, the error comes at once', async (t) => {
  const pool = poolOf(t, [await nobody(), await nobody()]);
  await assert.rejects(
    textOf(pool, {}),
    (error) => error instanceof ServiceError && error.code === 'upstream_unavailable' && /reached/.test(error.message),
  );
});

test('after a lost connection the request is sent again where that is safe, and is an error elsewhere', async (t) => {
  const lost = await serve(t, cutOff);
  const send = async (request: Partial<Parameters<NodePool['send']>[0]>) => {
    const pool = poolOf(t, [lost, await serve(t, echo('b'))]);
    // The turn is the first node's.
    await textOf(pool, { method: 'GET' });
    return textOf(pool, request);
  };
  assert.equal(await send({ method: 'GET' }), 'b GET ');
  assert.equal(await send({ method: 'PUT', body: 'x' }), 'b PUT x');
  assert.equal(await send({ method: 'POST', body: 'x', headers: { 'idempotency-key': 'k' } }), 'b POST x');
  assert.equal(await send({ method: 'POST', path: '/Patient/_search', body: 'x' }), 'b POST x');
  for (const request of [
    { method: 'POST', body: 'x' },
    { method: 'PATCH', body: 'x' },
    { method: 'PUT', body: 'x', headers: { 'if-match': 'W/"1"' } },
  ] as const) {
    await assert.rejects(send(request), /whether it carried out the request is not known/, request.method);
  }
});
