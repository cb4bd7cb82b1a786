// Answers of one turn of the event loop leave at its end, each in the context of its own request.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import Fastify from 'fastify';
import { answersTogether } from './answers-together.ts';

test('answers that are ready together are sent together, each in its own context', async () => {
  const context = new AsyncLocalStorage<string>();
  const told: string[] = [];
  const app = Fastify();
  app.addHook('onRequest', (request, _reply, done) => context.run(request.url, done));
  app.addHook('onSend', answersTogether());
  app.addHook('onResponse', async (request) => void told.push(`${request.url} sent in ${context.getStore()}`));
  app.get('/:name', (request, reply) => {
    told.push(`${request.url} ready`);
    return reply.send({ url: request.url });
  });
  await app.ready();
  const answers = await Promise.all(['/a', '/b', '/c'].map((url) => app.inject(url)));
  assert.deepEqual(
    answers.map((answer) => answer.body),
    ['{"url":"/a"}', '{"url":"/b"}', '{"url":"/c"}'],
  );
  assert.deepEqual(told, ['/a ready', '/b ready', '/c ready', '/a sent in /a', '/b sent in /b', '/c sent in /c']);
  await app.close();
});
