// Runs the examples of the page on sessions over HTTP: a service's sign-in before a real identity.
import { test } from 'node:test';
import { createSignInClient } from '#clients/sign-in-client.ts';
import { systemClock } from '#lib/clock.ts';
import { injectFetch } from '#lib/http/upstream/service-fetch.ts';
import { fixedKeys } from '#lib/secrets/key-set.ts';
import { createSignIn } from '#lib/sign-in/sign-in.ts';
import { makeTestApp, makeTestAuthenticator } from '#test/support/http-app.ts';
import { startIdentity } from '#test/support/identity/identity.ts';
import { testReferencePage } from './page.ts';

const page = 'docs/reference/sessions.md';
const PUBLIC_URL = 'http://127.0.0.1:8080';

test(`the examples of ${page} answer what the page shows`, async (t) => {
  const identity = await startIdentity(t);
  const signIn = createSignIn({
    service: 'dispatch',
    rootUrl: `${PUBLIC_URL}/dispatch`,
    identityUrl: `${PUBLIC_URL}/identity`,
    keys: fixedKeys(Buffer.alloc(32, 3)),
    clock: systemClock,
    source: createSignInClient(injectFetch(() => identity.app)),
    authenticator: makeTestAuthenticator({}),
    onSignedOut: async () => undefined,
  });
  const app = await makeTestApp({}, { authenticator: signIn.authenticator });
  await signIn.register(app);
  t.after(() => app.close());
  const DISPATCH = await app.listen({ host: '127.0.0.1', port: 0 });
  await testReferencePage(t, { page, variables: { DISPATCH } });
});
