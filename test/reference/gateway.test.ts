// Runs the examples of the page on the gateway over HTTP: a gateway before dispatch, which stands for all three.
import { test } from 'node:test';
import { startDispatchContract } from '#test/support/dispatch/dispatch-contract.ts';
import { makeGateway } from '#test/support/gateway.ts';
import { testReferencePage } from './page.ts';

const page = 'docs/reference/gateway.md';
const LISTEN = { host: '127.0.0.1', port: 0 };

test(`the examples of ${page} answer what the page shows`, async (t) => {
  const { app } = await startDispatchContract(t);
  const gateway = await makeGateway([await app.listen(LISTEN)]);
  t.after(() => gateway.close());
  await testReferencePage(t, { page, variables: { GATEWAY: await gateway.listen(LISTEN) } });
});
