// Runs the examples of the page for patients over HTTP, at dispatch and engine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FORM, makeDraft } from '#services/dispatch/testing/samples.ts';
import { CALLERS, makeSite, type Site } from '#services/dispatch/testing/site.ts';
import { CALLERS as ENGINE_CALLERS, PATIENT, startTestEngine } from '#test/support/engine/engine.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { makePrincipal } from '#test/support/http-app.ts';
import { testReferencePage } from './page.ts';

const page = 'docs/reference/patient.md';
const LISTEN = { host: '127.0.0.1', port: 0 };

const PROXY = makePrincipal(['patient'], {
  id: '01900000-0000-7000-8000-0000000000e1',
  patientGuid: '01900000-0000-7000-8000-0000000000e2',
  proxyFor: [{ patientGuid: PATIENT, may: 'act', linkedRecords: { engine: [], dispatch: [] } }],
});

test(`the examples of ${page} answer what the page shows`, async (t) => {
  const { app, call } = await startTestEngine(t, { callers: { ...ENGINE_CALLERS, proxy: PROXY } });
  const record = { resourceType: 'Patient', id: PATIENT };
  assert.equal((await call('planner', 'PUT', `/Patient/${PATIENT}`, record)).status, 201);
  const site = await makeSite(lastFirst(t), { planner: CALLERS['anna'] ?? makePrincipal([]) });
  site.world.contracts = [{ contract_guid: 'contract-1', provider_guid: 'provider-1', provider_name: 'Hemvården' }];
  const REQUEST = await makeDraft(site);
  let finalized: Promise<string> | undefined;
  const latestReport = async (): Promise<{ resource: { id: string } }[]> =>
    (await call('patient', 'GET', '/Observation?_sort=-_lastUpdated')).body.entry;
  await testReferencePage(t, {
    page,
    variables: {
      ENGINE: `${await app.listen(LISTEN)}/api/v1`,
      DISPATCH: `${await site.app.listen(LISTEN)}/api/v1`,
      REPORT: async () => (await latestReport()).at(-1)?.resource.id ?? '',
      LATEST: async () => (await latestReport())[0]?.resource.id ?? '',
      REQUEST,
      FORM: FORM.id,
      PATIENT: () => {
        finalized ??= acceptedRequest(site, REQUEST);
        return finalized;
      },
      PLANNER: 'planner',
      PROXY: 'proxy',
    },
  });
});

/**
 * The patient has the form when the request is finalized, and sees who accepted it when it was pushed. Returns the
 * caller.
 */
async function acceptedRequest({ call }: Site, id: string): Promise<string> {
  await call('POST', `ServiceRequest/${id}/finalize`);
  await call('POST', `ServiceRequest/${id}/match`);
  const permit = {
    resourceType: 'Consent',
    status: 'active',
    decision: 'permit',
    subject: { reference: 'Patient/p1' },
  };
  await call('POST', 'Consent', { body: permit });
  const { body } = await call('POST', `ServiceRequest/${id}/push`, { body: {} });
  const [pushed] = body['pushed'] as { request_guid: string }[];
  const progress = { as: 'provider', body: { status: 'in_progress' } };
  assert.equal((await call('PUT', `requests/${pushed?.request_guid}/status`, progress)).status, 200);
  return 'patient';
}
