// Slow responses: they begin in time, and are never complete when the work failed.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { conflict } from '#lib/errors.ts';
import { makeTestApp } from '#test/support/http-app.ts';
import { sendLongResponse } from './long-response.ts';

let work = Promise.withResolvers<object>();
const app = await makeTestApp();
app.get('/long', { config: { permission: 'public' } }, (_request, reply) => sendLongResponse(reply, work.promise, 20));
const origin = await app.listen({ host: '127.0.0.1', port: 0 });
after(() => app.close());

function ask() {
  work = Promise.withResolvers<object>();
  // It may fail before the request has arrived.
  work.promise.catch(() => undefined);
  return fetch(`${origin}/long`);
}

test('a result in time is sent as usual, a failure too', async () => {
  const quick = ask();
  work.resolve({ created: 1 });
  assert.equal(await (await quick).text(), '{"created":1}');
  const refused = ask();
  work.reject(conflict('No'));
  assert.equal((await refused).status, 409);
});

test('what takes longer begins with white space and ends with the answer', async () => {
  const answer = await ask();
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/json; charset=utf-8']);
  const text = answer.text();
  await new Promise((resolve) => setTimeout(resolve, 60));
  work.resolve({ created: 2 });
  assert.match(await text, /^ {2,}\{"created":2\}$/);
});

test('a late failure breaks the connection', async () => {
  const answer = await ask();
  work.reject(new Error('The database is gone'));
  await assert.rejects(answer.text());
});
