// Runs the examples of dispatch's reference page against dispatch over HTTP, with the plan and the contract service
// that its tests play.
import { test } from 'node:test';
import { FORM, OTHER_FORM, PLAN } from '#services/dispatch/testing/samples.ts';
import { makeSite } from '#services/dispatch/testing/site.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { testReferencePage } from './page.ts';

test('the examples of docs/reference/dispatch.md answer what the page shows', async (t) => {
  const { app, world } = await makeSite(lastFirst(t));
  world.resources.push(PLAN, FORM, OTHER_FORM);
  world.contracts = [{ contract_guid: 'contract-1', provider_guid: 'provider-1', provider_name: 'Hemvården' }];
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  await testReferencePage(t, {
    page: 'docs/reference/dispatch.md',
    variables: { DISPATCH: `${address}/api/v1`, TOKEN: 'anna', PROVIDER_TOKEN: 'provider' },
  });
});
