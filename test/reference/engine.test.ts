// Runs the examples of the engine's FHIR reference pages against the engine over HTTP, as a professional in the phase planning.
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { PATIENT, startTestEngine } from '#test/support/engine.ts';
import { testReferencePage } from './page.ts';

const PAGES = ['fhir.md', 'bundles.md'].map((name) => `docs/reference/engine/${name}`);

for (const page of PAGES) {
  test(`the examples of ${page} answer what the page shows`, async (t) => {
    const { app, call, engine } = await startTestEngine(t);
    await call('planner', 'PUT', `/Patient/${PATIENT}`, { resourceType: 'Patient', id: PATIENT, active: true });
    await engine.start();
    // What was done is told a moment later.
    while ((await call('admin', 'GET', '/AuditEvent')).body.total === 0) await delay(20);
    await testReferencePage(t, {
      page,
      variables: {
        ENGINE: `${await app.listen({ host: '127.0.0.1', port: 0 })}/api/v1`,
        TOKEN: 'planner',
        ADMIN_TOKEN: 'admin',
        PATIENT,
        // Written as \$validate: no variable to the shell.
        validate: '',
      },
    });
  });
}
