// Runs the examples of the page for patients over HTTP.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PATIENT, startTestEngine } from '#test/support/engine/engine.ts';
import { testReferencePage } from './page.ts';

const page = 'docs/reference/patient.md';

test(`the examples of ${page} answer what the page shows`, async (t) => {
  const { app, call } = await startTestEngine(t);
  const record = { resourceType: 'Patient', id: PATIENT };
  assert.equal((await call('planner', 'PUT', `/Patient/${PATIENT}`, record)).status, 201);
  const ENGINE = `${await app.listen({ host: '127.0.0.1', port: 0 })}/api/v1`;
  const REPORT = async () => (await call('patient', 'GET', '/Observation')).body.entry[0].resource.id;
  await testReferencePage(t, { page, variables: { ENGINE, REPORT, PATIENT: 'patient', PLANNER: 'planner' } });
});
