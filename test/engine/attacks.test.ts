// Attacks on every address of the engine outside FHIR and on those of the types that patients and providers write, by
// callers of every kind. The access log is attacked, too: it shows what others have named themselves.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PATIENT, startTestEngine } from '#test/support/engine/engine.ts';
import { assertHarmless, hostileRequests, operationsOf } from '#test/support/hostile-requests.ts';
import { eventually } from '#test/support/http.ts';
import { makePrincipal, makeProxy } from '#test/support/http-app.ts';

const PROVIDER = '01900000-0000-7000-8000-0000000000c1';
const { app, call, engine } = await startTestEngine(
  { after },
  {
    callers: {
      providerKey: makePrincipal(['provider'], { kind: 'api_key', providerGuid: PROVIDER }),
      actingProxy: makeProxy(PATIENT, 'act'),
    },
  },
);
const CALLERS = [undefined, 'admin', 'patient', 'providerKey'];
const TYPES = /\/api\/v1\/(?:Patient|Observation|QuestionnaireResponse|Consent|AuditEvent)(?:\/|$)/;
const HOSTILE = `"'><script>alert(1)</script>`;

test('hostile ids, bodies, types and parameters are refused at every address, and nothing more', async () => {
  const operations = operationsOf((await app.inject('/openapi.json')).json());
  const chosen = operations.filter(({ path }) => !/\/api\/v1\/[A-Z]/.test(path) || TYPES.test(path));
  assert.ok(chosen.length > 100);
  for (const operation of chosen) {
    for (const request of hostileRequests(operation)) {
      for (const who of CALLERS) {
        const headers = { ...request.headers, ...(who === undefined ? {} : { authorization: `Bearer ${who}` }) };
        assertHarmless(request, await app.inject({ ...request, headers }), who ?? 'nobody');
      }
    }
  }
});

test('a report of a patient or proxy with a hostile text is stored as it is, and no page of it runs', async () => {
  const patient = { resourceType: 'Patient', id: PATIENT, name: [{ text: HOSTILE }] };
  assert.ok((await call('planner', 'PUT', `/Patient/${PATIENT}`, patient)).status < 300);
  const observation = { resourceType: 'Observation', status: 'final', code: { text: HOSTILE }, valueString: HOSTILE };
  for (const who of ['patient', 'actingProxy']) {
    const made = await call(who, 'POST', '/Observation', observation);
    assert.equal(made.status, 201, made.text);
    const read = await app.inject({
      url: `/api/v1/Observation/${made.body.id}`,
      headers: { authorization: `Bearer ${who}`, accept: 'text/html,application/fhir+json' },
    });
    assert.match(String(read.headers['content-type']), /^application\/fhir\+json/, 'never as a page');
    assert.equal(read.headers['x-content-type-options'], 'nosniff');
    assert.equal(read.json().valueString, HOSTILE);
  }
  const script = {
    ...observation,
    text: { status: 'generated', div: `<div xmlns="http://www.w3.org/1999/xhtml"><script>1</script></div>` },
  };
  assert.equal((await call('patient', 'POST', '/Observation', script)).status, 422, 'a narrative holds no script');
});

test('the access log shows hostile names and filters as text, and its CSV begins no formula', async () => {
  await engine.start();
  const exported = (query: string, as = 'patient') =>
    app.inject({ url: `/api/v1/access-log/export?${query}`, headers: { authorization: `Bearer ${as}` } });
  const page = await eventually('an access is in the log', async () => {
    engine.wake();
    const answer = await exported('format=html&lang=en');
    return /<td>/.test(answer.payload) ? answer : undefined;
  });
  assert.match(String(page.headers['content-security-policy']), /default-src 'none'/);
  assert.match(String(page.headers['cache-control']), /no-store/);
  assert.doesNotMatch(page.payload, /<script/);
  for (const query of [
    `unit=${encodeURIComponent(HOSTILE)}`,
    `person=${encodeURIComponent(HOSTILE)}`,
    `since=${encodeURIComponent(HOSTILE)}`,
  ]) {
    const answer = await exported(`format=html&${query}`);
    assert.ok(answer.statusCode < 500, query);
    assert.doesNotMatch(answer.payload, /<script>alert/, query);
  }
  const csv = await exported('format=csv');
  assert.equal(csv.headers['content-disposition'], 'attachment; filename="access-log.csv"');
  for (const cell of csv.payload.split(/[,\r\n]/)) assert.doesNotMatch(cell, /^"?[=+@\t]/);
  for (const [as, patient] of [
    ['patient', '01900000-0000-7000-8000-0000000000b2'],
    ['actingProxy', '01900000-0000-7000-8000-0000000000d2'],
  ] as const) {
    assert.equal((await exported(`format=csv&patient=${patient}`, as)).statusCode, 403, as);
    assert.equal((await call(as, 'GET', `/access-log?patient=${patient}`)).status, 403, as);
  }
  for (const as of ['planner', 'providerKey', 'idle', 'service'])
    assert.equal((await exported('format=csv', as)).statusCode, 403, as);
  for (const cursor of ['x', 'a'.repeat(200), '%00', '..', 'eyJhIjoxfQ'])
    assert.equal((await call('patient', 'GET', `/access-log?cursor=${cursor}`)).status, 400, cursor);
});

test('a proxy’s header is no way around: several, another’s, with a key, with a clinician’s or a service’s credentials', async () => {
  const ask = async (authorization: string, patient: string | string[]) =>
    (
      await app.inject({
        url: '/api/v1/Observation',
        headers: { authorization, 'kedja-patient': patient as string },
      })
    ).statusCode;
  for (const as of ['admin', 'planner', 'providerKey', 'service', 'patient']) {
    for (const patient of [
      '',
      '*',
      PATIENT.toUpperCase(),
      `${PATIENT},${PATIENT}`,
      `Patient/${PATIENT}`,
      '01900000-0000-7000-8000-0000000000b2',
    ])
      assert.equal(await ask(`Bearer ${as}`, patient), 403, `${as} ${patient}`);
  }
  assert.equal(await ask('Bearer patient', PATIENT), 200, 'oneself');
  for (const as of ['admin', 'planner', 'providerKey']) assert.equal(await ask(`Bearer ${as}`, PATIENT), 403, as);
});
