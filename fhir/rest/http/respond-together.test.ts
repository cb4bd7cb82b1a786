// Answers of one turn of the event loop leave at its end.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import Fastify from 'fastify';
import { respondTogether } from './respond-together.ts';

test('answers that are ready together are sent together', async () => {
  const events: string[] = [];
  const app = Fastify();
  app.addHook('onSend', respondTogether());
  app.addHook('onResponse', async (request) => void events.push(`${request.url} sent`));
  app.get('/:name', (request, reply) => {
    events.push(`${request.url} ready`);
    reply.send({ url: request.url });
  });
  await app.ready();
  const answers = await Promise.all(['/a', '/b', '/c'].map((url) => app.inject(url)));
  assert.deepEqual(
    answers.map((answer) => answer.body),
    ['{"url":"/a"}', '{"url":"/b"}', '{"url":"/c"}'],
  );
  assert.deepEqual(events, ['/a ready', '/b ready', '/c ready', '/a sent', '/b sent', '/c sent']);
  await app.close();
});

test('a stream is read in the context of its own request', async () => {
  const context = new AsyncLocalStorage<string>();
  const app = Fastify();
  app.addHook('onRequest', (request, _reply, done) => context.run(request.url, done));
  app.addHook('onSend', respondTogether());
  app.get('/:name', (_request, reply) => {
    const read = function (this: Readable) {
      this.push(context.getStore());
      this.push(null);
    };
    reply.send(new Readable({ read }));
  });
  await app.ready();
  const answers = await Promise.all(['/a', '/b', '/c'].map((url) => app.inject(url)));
  assert.deepEqual(
    answers.map((answer) => answer.body),
    ['/a', '/b', '/c'],
  );
  await app.close();
});
