import assert from 'node:assert/strict';
import { Agent, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { makeTestApp } from '#test/support/http-app.ts';

interface Seen {
  readonly status: number;
  readonly connection: string | undefined;
}

function get(port: number, agent: Agent, path: string): Promise<Seen> {
  return new Promise((resolve, reject) => {
    send({ port, host: '127.0.0.1', agent, path }, (answer) => {
      answer
        .resume()
        .on('end', () => resolve({ status: answer.statusCode ?? 0, connection: answer.headers.connection }));
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
  assert.deepEqual(await get(port, first, '/'), { status: 200, connection: 'close' });
  assert.deepEqual(await get(port, second, '/readyz'), { status: 503, connection: 'close' });
  release.resolve();
  assert.deepEqual(await slow, { status: 200, connection: 'close' });
  // Long before the time of the drain is over: nobody is connected any more.
  await closed;
});

function connectionsOf(server: { getConnections(done: (error: Error | null, count: number) => void): void }) {
  return new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
}
