// Runs the examples of the page for patients over HTTP, at dispatch and engine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FORM, makeDraft } from '#services/dispatch/testing/samples.ts';
import { CALLERS, makeSite } from '#services/dispatch/testing/site.ts';
import { PATIENT, startTestEngine } from '#test/support/engine/engine.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { makePrincipal } from '#test/support/http-app.ts';
import { testReferencePage } from './page.ts';

const page = 'docs/reference/patient.md';
const LISTEN = { host: '127.0.0.1', port: 0 };

test(`the examples of ${page} answer what the page shows`, async (t) => {
  const { app, call } = await startTestEngine(t);
  const record = { resourceType: 'Patient', id: PATIENT };
  assert.equal((await call('planner', 'PUT', `/Patient/${PATIENT}`, record)).status, 201);
  const site = await makeSite(lastFirst(t), { planner: CALLERS['anna'] ?? makePrincipal([]) });
  const REQUEST = await makeDraft(site);
  /** The patient has the form when the request is finalized. */
  const asPatient = async () => {
    await site.call('POST', `ServiceRequest/${REQUEST}/finalize`);
    return 'patient';
  };
  await testReferencePage(t, {
    page,
    variables: {
      ENGINE: `${await app.listen(LISTEN)}/api/v1`,
      DISPATCH: `${await site.app.listen(LISTEN)}/api/v1`,
      REPORT: async () => (await call('patient', 'GET', '/Observation')).body.entry[0].resource.id,
      REQUEST,
      FORM: FORM.id,
      PATIENT: asPatient,
      PLANNER: 'planner',
    },
  });
});
