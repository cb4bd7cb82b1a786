// Runs the examples of the page on results over HTTP. It needs dispatch with one request that is pushed to one
// provider, and an engine that knows of it.
import { test } from 'node:test';
import { principalOfKey } from '#lib/auth/api-key-principal.ts';
import { newGuid } from '#lib/guid.ts';
import { PROVIDER, startDispatchContract } from '#test/support/dispatch/dispatch-contract.ts';
import { ORGANISATION, PATIENT, startTestEngine } from '#test/support/engine/engine.ts';
import { playDispatch } from '#test/support/engine/engine-dispatch.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { testReferencePage } from './page.ts';

const page = 'docs/reference/dispatch-results.md';
const LISTEN = { host: '127.0.0.1', port: 0 };

test(`the examples of ${page} answer what the page shows`, async (t) => {
  const hooks = lastFirst(t);
  const contract = await startDispatchContract(hooks);
  const { id, request, token } = await contract.pushed();
  const reportable = {
    service_request_id: id,
    provider_guid: PROVIDER,
    request_guid: request,
    patient_guid: PATIENT,
    organisation_guid: ORGANISATION,
    provider_name: 'Hemvården',
    provider_organisation_guid: null,
    status: 'accepted',
    may_report: true,
  };
  const { app: engine } = await startTestEngine(hooks, {
    callers: { key: principalOfKey({ keyGuid: newGuid(), scopes: [], providerGuid: PROVIDER }) },
    dispatch: { ...playDispatch().client, findReportable: async () => [reportable] },
  });
  const DISPATCH = `${await contract.app.listen(LISTEN)}/api/v1`;
  const FHIR = `${await engine.listen(LISTEN)}/api/v1`;
  const named = {
    PROVIDER_GUID: PROVIDER,
    SERVICE_REQUEST: id,
    ENGINE: 'service',
    PROVIDER_KEY: 'key',
    PLANNER: 'anna',
  };
  const variables = { DISPATCH, FHIR, PROVIDER: 'provider', REQUEST_GUID: request, RECEIPT: token, ...named };
  await testReferencePage(t, { page, variables });
});
