// The check of responses against the OpenAPI documents finds a status, a media type and a member that are not
// documented.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { requireDocumentedResponses } from '#test/support/documented-responses.ts';
import { makeTestApp } from '#test/support/http-app.ts';

const config = { permission: 'public' } as const;
const schema = { response: { 200: Type.Object({ name: Type.String() }) } };

async function closing(url: string): Promise<string[]> {
  const app = await makeTestApp();
  requireDocumentedResponses(app);
  app.get('/as-documented', { config, schema }, async () => ({ name: 'a' }));
  app.get('/status', { config, schema }, async (_request, reply) =>
    reply
      .code(409 as 200)
      .type('application/json')
      .send({} as never),
  );
  app.get('/shape', { config, schema }, async (_request, reply) =>
    reply
      .type('application/json')
      .serializer(() => '{"nam":1}')
      .send({ name: '' }),
  );
  app.get('/type', { config: { ...config, responseType: 'text/csv' } }, async (_request, reply) =>
    reply.send({ a: 1 }),
  );
  await app.inject(url);
  return app.close().then(
    () => [],
    (error: { actual: string[] }) => error.actual,
  );
}

test('an answer that is not as documented keeps its service from closing in peace', async () => {
  assert.deepEqual(await closing('/as-documented'), []);
  assert.deepEqual(await closing('/livez'), []);
  assert.deepEqual(await closing('/status'), ['GET /status: 409 is not documented']);
  assert.deepEqual(await closing('/type'), ['GET /type: 200 as application/json is not documented']);
  assert.deepEqual(await closing('/shape'), ["GET /shape: 200 must have required property 'name'"]);
});
