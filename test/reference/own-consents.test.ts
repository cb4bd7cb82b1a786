// Runs the examples of the page on a patient's own consents over HTTP: dispatch with a pushed request of the patient's.
import { test } from 'node:test';
import { startDispatchContract } from '#test/support/dispatch/dispatch-contract.ts';
import { testReferencePage } from './page.ts';

const page = 'docs/reference/own-consents.md';

test(`the examples of ${page} answer what the page shows`, async (t) => {
  const contract = await startDispatchContract(t);
  await contract.pushed();
  const DISPATCH = `${await contract.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1`;
  await testReferencePage(t, { page, variables: { DISPATCH, PATIENT: 'patient' } });
});
