// The gateway's own errors in the wire form of the service at the address, and as a page for browsers.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '#lib/clock.ts';
import { createUpstream } from '#lib/http/upstream/upstream.ts';
import { BROWSER } from '#test/support/dispatch/form.ts';
import { NO_CONSOLE, NONE_LOCAL, testSession } from '#test/support/gateway.ts';
import { makeTestApp } from '#test/support/http-app.ts';
import { gatewayModule } from './gateway-module.ts';

const NOBODY = 'http://127.0.0.1:9';
const nobody = createUpstream('nobody', [NOBODY], { patienceMs: 0 });
const module = gatewayModule({
  publicUrl: 'http://kedja.test',
  proof: 'proof',
  clock: systemClock,
  session: testSession(nobody, systemClock),
  local: NONE_LOCAL,
  trustProxy: [],
  consoleBuild: NO_CONSOLE,
  upstreams: { identity: nobody, dispatch: nobody, engine: nobody },
  startPage: () => ({ version: '1', accounts: [], suggestions: [] }),
  isRegistrationOpen: true,
});
const app = await makeTestApp({}, { wireFormOf: module.wireFormOf });
await module.plugin(app);
after(() => app.close());

test('a service that is down gives browsers a page, and other clients the wire form of its API', async () => {
  const page = await app.inject({ url: '/identity/login?lang=en', headers: BROWSER });
  assert.equal(page.statusCode, 503);
  assert.match(
    page.body,
    new RegExp(`<h1>The service is busy</h1>[^<]*<p>[^<]*${page.headers['retry-after']} seconds`),
  );
  const program = await app.inject('/identity/login?lang=en');
  assert.equal(program.json().error, 'upstream_unavailable');
  const api = await app.inject({ url: '/identity/api/auth/me', headers: BROWSER });
  assert.equal(api.json().error, 'upstream_unavailable');
  const fhir = await app.inject({ url: '/dispatch/api/v1/Patient', headers: BROWSER });
  assert.equal(fhir.json().resourceType, 'OperationOutcome');
});

test('an unknown address is a page in the language of the browser', async () => {
  const page = await app.inject({ url: '/nowhere', headers: { ...BROWSER, 'accept-language': 'sv' } });
  assert.equal(page.statusCode, 404);
  assert.match(page.body, /<html lang="sv">.*<h1>Sidan finns inte<\/h1>/s);
  assert.match(page.body, /href="\?lang=en"/);
});

test('a name that every object of JavaScript has is an unknown address like any other', async () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    const page = await app.inject({ url: `/${name}/x`, headers: BROWSER });
    assert.equal(page.statusCode, 404, name);
    assert.match(page.body, /<h1>/, name);
  }
});
