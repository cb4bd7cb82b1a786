// A listener ends without waiting for a server that no longer responds.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestDatabase } from '#test/support/database/database.ts';
import { startDatabaseProxy } from '#test/support/database/database-proxy.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually } from '#test/support/http.ts';
import { createDatabase } from './pool.ts';

/** Less than a statement may take. */
const LIMIT_MS = 20_000;

async function inTime(what: string, work: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`${what} waits for the server`)), LIMIT_MS);
  await Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}

test('who no longer listens does not wait for a silent server, nor does who closes', async () => {
  const hooks = lastFirst({ after });
  const test = await createTestDatabase(hooks, { schemas: [] });
  const { url } = test;
  const own = test.database('public');
  const proxy = await startDatabaseProxy(hooks, url);
  const database = createDatabase({ url: proxy.url, schema: 'public' });
  const stop = await database.listen('news', () => assert.fail('nobody listens'));
  // A new connection is tried by a notification of its own, for which the pool would wait.
  await eventually('the connection was tried', async () => {
    const { rows } = await own.query<{ is_tried: boolean }>(
      `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle'
         AND query LIKE 'UNLISTEN kedja_echo%') AS is_tried`,
    );
    return rows[0]?.is_tried || undefined;
  });
  proxy.silence();
  await inTime('the end of listening', stop());
  await inTime('the end of the connections', database.close());
});

test('who closes does not wait for a connection that is being opened', async () => {
  const hooks = lastFirst({ after });
  const { url } = await createTestDatabase(hooks, { schemas: [] });
  const proxy = await startDatabaseProxy(hooks, url);
  const database = createDatabase({ url: proxy.url, schema: 'public' });
  const silent = proxy.silenceAt('LISTEN');
  const listening = database.listen('news', () => assert.fail('nobody listens'));
  await silent;
  await inTime('the end of the connections', Promise.all([database.close(), listening]));
});

test('who listens again at once is notified', async () => {
  const hooks = lastFirst({ after });
  const { url } = await createTestDatabase(hooks, { schemas: [] });
  const database = createDatabase({ url, schema: 'public' });
  hooks.after(() => database.close());
  await (await database.listen('news', () => assert.fail('it no longer listens')))();
  const heard = Promise.withResolvers<string>();
  await database.listen('news', heard.resolve);
  await database.query("SELECT pg_notify('news', 'again')");
  assert.equal(await heard.promise, 'again');
});
