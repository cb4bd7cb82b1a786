// Runs the examples of the page on staff of a provider over HTTP. It needs dispatch with one request that is pushed to
// the provider whose staff the nurse is.
import { test } from 'node:test';
import { startDispatchContract } from '#test/support/dispatch/dispatch-contract.ts';
import { testReferencePage } from './page.ts';

const page = 'docs/reference/dispatch-staff.md';

test(`the examples of ${page} answer what the page shows`, async (t) => {
  const contract = await startDispatchContract(t);
  const { id, request } = await contract.pushed();
  const DISPATCH = `${await contract.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1`;
  const variables = { DISPATCH, PLANNER: 'anna', NURSE: 'staff', REQUEST: id, REQUEST_GUID: request };
  await testReferencePage(t, { page, variables });
});
