// Runs the examples of the pages on external servers, synchronizing and monitoring against the engine over HTTP, with a
// second engine as the external server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PATIENT, startTestEngine } from '#test/support/engine/engine.ts';
import { testReferencePage } from './page.ts';

const FOLDER = 'docs/reference/engine';

test('the examples of the pages on external servers and monitoring answer what the pages show', async (t) => {
  const second = await startTestEngine(t);
  const secondUrl = `${await second.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1`;
  const body = { resourceType: 'Patient', id: PATIENT, active: true };
  assert.equal((await second.call('admin', 'PUT', `/Patient/${PATIENT}`, body)).status, 201);
  const { app, call, engine } = await startTestEngine(t, {
    serverAccess: {
      allowPrivate: ['127.0.0.1'],
      servers: [],
      resolve: async () => [{ address: '93.184.216.34', family: 4 }],
    },
  });
  const server = { name: 'second', url: secondUrl, auth: { type: 'bearer', token: 'admin' } };
  assert.equal((await call('admin', 'POST', '/servers', server)).status, 201);
  await engine.start();
  const ENGINE = `${await app.listen({ host: '127.0.0.1', port: 0 })}/api/v1`;
  const variables = { ENGINE, TOKEN: 'planner', ADMIN_TOKEN: 'admin', PATIENT };
  for (const page of ['external-servers.md', 'synchronize.md', 'monitoring.md'])
    await testReferencePage(t, { page: `${FOLDER}/${page}`, variables });
});
