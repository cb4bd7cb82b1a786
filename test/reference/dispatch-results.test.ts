// Runs the examples of the page on results over HTTP: dispatch with one request that is pushed to one provider.
import { test } from 'node:test';
import { PROVIDER, startDispatchContract } from '#test/support/dispatch/dispatch-contract.ts';
import { testReferencePage } from './page.ts';

const page = 'docs/reference/dispatch-results.md';

test(`the examples of ${page} answer what the page shows`, async (t) => {
  const contract = await startDispatchContract(t);
  const { id, request, token } = await contract.pushed();
  const DISPATCH = `${await contract.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1`;
  const named = { PROVIDER_GUID: PROVIDER, SERVICE_REQUEST: id, ENGINE: 'service' };
  const variables = { DISPATCH, PROVIDER: 'provider', REQUEST_GUID: request, RECEIPT: token, ...named };
  await testReferencePage(t, { page, variables });
});
