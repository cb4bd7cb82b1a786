// A start outlasts connections that time out, and nothing else.
import assert from 'node:assert/strict';
import { connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createTestDatabase } from '#test/support/database/database.ts';
import { ServiceError } from '../errors.ts';
import { createConnectPatience } from './connect-patience.ts';
import type { DatabaseLog } from './connection.ts';
import { unavailable } from './failure.ts';
import { createDatabase } from './pool.ts';
import { migrate } from './schema/migrate.ts';

/** The database behind a port that keeps so many connections waiting for ever. */
async function slowDatabase(t: TestContext, silent: number): Promise<string> {
  const { url } = await createTestDatabase(t);
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let left = silent;
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    left -= 1;
    if (left >= 0) return;
    const upstream = connect(Number(port), hostname);
    sockets.add(upstream.on('error', () => {}));
    socket.pipe(upstream).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const through = new URL(url);
  through.host = `127.0.0.1:${address.port}`;
  return through.href;
}

function logged() {
  const events: string[] = [];
  const log: DatabaseLog = (level, event) => void events.push(`${level} ${event}`);
  return { events, log };
}

const REPEATED = 'warn database_connection_repeated';

test('migrations and statements of a start outlast a connection that is not made in time', async (t) => {
  const url = await slowDatabase(t, 1);
  const { events, log } = logged();
  const patience = createConnectPatience(600_000, log);
  await migrate({ url, schema: 'shop', sources: [], patience });
  assert.ok(events.includes(REPEATED), events.join());
});

test('a pool repeats an attempt during the start, and not afterwards', async (t) => {
  const url = await slowDatabase(t, 1);
  const { events, log } = logged();
  const patience = createConnectPatience(600_000, log);
  const database = createDatabase({ url, schema: 'public', patience });
  t.after(() => database.close());
  assert.equal((await database.query('SELECT 1 AS one')).rows.length, 1);
  assert.ok(events.includes(REPEATED), events.join());

  const later = createDatabase({ url: await slowDatabase(t, 1_000), schema: 'public', patience });
  t.after(() => later.close());
  patience.end();
  events.length = 0;
  await assert.rejects(later.query('SELECT 1'), ServiceError);
  assert.deepEqual(events, []);
});

test('only time-outs are repeated, and only within the limit', async () => {
  const { events, log } = logged();
  const fail = (message: string) => async () => {
    throw unavailable(new Error(message));
  };
  const patience = createConnectPatience(600_000, log);
  await assert.rejects(patience.connect(fail('connect ECONNREFUSED 127.0.0.1:1')), ServiceError);
  await assert.rejects(createConnectPatience(0, log).connect(fail('timeout expired')), ServiceError);
  assert.deepEqual(events, []);
  let attempts = 0;
  const third = () => {
    attempts += 1;
    return attempts < 3 ? fail('timeout expired')() : Promise.resolve(attempts);
  };
  assert.equal(await patience.connect(third), 3);
  assert.deepEqual(events, [REPEATED, REPEATED]);
});
