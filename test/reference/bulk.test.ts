// Runs the examples of the pages on bulk exports and imports against the engine over HTTP.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { endOfJob } from '#test/support/engine/bulk.ts';
import { PATIENT, startTestEngine, type TestEngine } from '#test/support/engine/engine.ts';
import { testReferencePage } from './page.ts';

interface Job {
  readonly url: string;
  readonly payload?: string;
}

/** Asks for a job and answers its id when it is done. */
async function finishedJob(test: TestEngine, { url, payload }: Job): Promise<string> {
  const { app } = test;
  const authorization = 'Bearer admin';
  const started = await app.inject({
    method: payload === undefined ? 'GET' : 'POST',
    url,
    headers: { authorization, prefer: 'respond-async', 'content-type': 'application/fhir+ndjson' },
    ...(payload === undefined ? {} : { payload }),
  });
  const address = new URL(String(started.headers['content-location'])).pathname;
  const { statusCode } = await endOfJob(test, () => app.inject({ url: address, headers: { authorization } }));
  assert.equal(statusCode, 200);
  return address.split('/').at(-1) ?? '';
}

async function startWithJobs(t: TestContext) {
  const test = await startTestEngine(t);
  const { call, engine, app } = test;
  await call('admin', 'PUT', `/Patient/${PATIENT}`, { resourceType: 'Patient', id: PATIENT, active: true });
  await engine.start();
  const base = '/api/v1';
  const asked = { url: `${base}/$export?_type=Patient` };
  const lines = '{"resourceType":"Patient","id":"p1"}\n{"resourceType":"Patient","id":"p2","gender":"unheard-of"}\n';
  const variables = {
    EXPORT: await finishedJob(test, asked),
    DONE: await finishedJob(test, asked),
    IMPORT: await finishedJob(test, { url: `${base}/$import`, payload: lines }),
  };
  return { ...variables, ENGINE: `${await app.listen({ host: '127.0.0.1', port: 0 })}${base}` };
}

for (const name of ['bulk-export.md', 'bulk-import.md']) {
  const page = `docs/reference/engine/${name}`;
  test(`the examples of ${page} answer what the page shows`, async (t) => {
    const variables = await startWithJobs(t);
    // Written as \$export: no variable to the shell.
    const names = { export: '', import: '' };
    await testReferencePage(t, { page, variables: { ...variables, ...names, TOKEN: 'admin', ADMIN: 'admin' } });
  });
}
