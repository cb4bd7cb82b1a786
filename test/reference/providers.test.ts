// Runs the examples of the pages on providers and on their tasks against the engine over HTTP. They need a provider
// with an open inbox, to whom dispatch has pushed one request.
import { test } from 'node:test';
import { startTestInbox } from '#test/support/engine/engine-inbox.ts';
import { testReferencePage } from './page.ts';

for (const name of ['providers.md', 'provider-tasks.md']) {
  const page = `docs/reference/engine/${name}`;
  test(`the examples of ${page} answer what the page shows`, async (t) => {
    const { app, provider, push } = await startTestInbox(t);
    const { token, requestGuid } = await push();
    const ENGINE = `${await app.listen({ host: '127.0.0.1', port: 0 })}/api/v1`;
    const staff = { TOKEN: 'planner', ADMIN_TOKEN: 'admin', PROVIDER_KEY: 'provider', NURSE: 'nurse' };
    const callers = { ...staff, PATIENT_TOKEN: 'patient' };
    const request = { PROVIDER: provider, RECEIPT: token, REQUEST_GUID: requestGuid };
    await testReferencePage(t, { page, variables: { ENGINE, ...callers, ...request } });
  });
}
