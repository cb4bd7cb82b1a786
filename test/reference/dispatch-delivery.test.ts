// Runs the examples of the page on sending to providers over HTTP. It needs dispatch with one request that is pushed to
// a provider whose system has failed once.
import { test } from 'node:test';
import { makeActive } from '#services/dispatch/testing/samples.ts';
import { makeSite } from '#services/dispatch/testing/site.ts';
import { makeSiteWorker } from '#services/dispatch/testing/site-worker.ts';
import { testReferencePage } from './page.ts';

const page = 'docs/reference/dispatch-delivery.md';
const PROVIDER_GUID = 'provider-1';

test(`the examples of ${page} answer what the page shows`, async (t) => {
  const config = {
    consentPolicy: 'required' as const,
    timeZone: 'Europe/Stockholm',
    webhookAllowPrivate: true,
    webhookRetrySeconds: [5],
    webhookTimeoutSeconds: 15,
  };
  const site = await makeSite(t, {}, { config });
  site.world.contracts = [{ contract_guid: 'contract-1', provider_guid: PROVIDER_GUID, provider_name: 'Hemvården' }];
  const body = { url: 'http://127.0.0.1:9/inbox', enabled: true };
  await site.call('PUT', `providers/${PROVIDER_GUID}/endpoint`, { as: 'admin', body });
  const id = await makeActive(site);
  const consent = { resourceType: 'Consent', id: 'c1', status: 'active', decision: 'permit' };
  await site.call('PUT', 'Consent/c1', { body: { ...consent, subject: { reference: 'Patient/p1' } } });
  await site.call('POST', `ServiceRequest/${id}/match`, { body: {} });
  const { worker } = makeSiteWorker(site, () => 503);
  const DISPATCH = `${await site.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1`;
  // What is due is attempted before each example.
  const afterAttempts = (caller: string) => () => worker.runOnce().then(() => caller);
  const [PLANNER, PROVIDER] = [afterAttempts('anna'), afterAttempts('provider')];
  await testReferencePage(t, { page, variables: { DISPATCH, REQUEST: id, PLANNER, PROVIDER, PROVIDER_GUID } });
});
