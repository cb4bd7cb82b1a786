// Runs the examples of the page on notifications over HTTP: dispatch with a request about which its provider asks.
import { test } from 'node:test';
import { ORGANISATION } from '#services/dispatch/testing/site.ts';
import { startDispatchContract } from '#test/support/dispatch/dispatch-contract.ts';
import { testReferencePage } from './page.ts';

const page = 'docs/reference/notifications.md';

test(`the examples of ${page} answer what the page shows`, async (t) => {
  const contract = await startDispatchContract(t);
  const { request } = await contract.pushed();
  const question = { as: 'provider', body: { question: 'Which floor?' } };
  await contract.ask(`POST /requests/${request}/questions`, question);
  const DISPATCH = `${await contract.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1`;
  const CURSOR = Buffer.from(JSON.stringify([[`organisation/${ORGANISATION}`, 0]])).toString('base64url');
  await testReferencePage(t, { page, variables: { DISPATCH, PLANNER: 'anna', CURSOR } });
});
