// Protected identity at dispatch (decision L1, docs/adr/0076). An administrator who is not named gets for a protected
// Patient the response for one that does not exist; the owner's staff see it.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { makeSite } from '#services/dispatch/testing/site.ts';
import { makePrincipal } from '#test/support/http-app.ts';
import { comparableResponse } from '#test/support/paired-responses.ts';

const elsewhere = makePrincipal(['professional', 'clinician', 'admin']);
const { app, call } = await makeSite({ after }, { elsewhere });
const LABEL = { system: 'http://terminology.hl7.org/CodeSystem/v3-Confidentiality', code: 'R' };
const patient = (id: string) => ({
  resourceType: 'Patient',
  id,
  meta: { security: [LABEL] },
  address: [{ line: ['Hemlig'] }],
});

test('by read, search, history, patch and deletion', async () => {
  assert.equal((await call('PUT', 'Patient/protected', { as: 'anna', body: patient('protected') })).status, 201);
  for (const [method, path, names] of [
    ['GET', '/Patient/NAME', ['protected', 'notpresnt']],
    ['GET', '/Patient/NAME/_history', ['protected', 'notpresnt']],
    ['GET', '/Patient?_id=NAME', ['protected', 'notpresnt']],
    ['GET', '/Patient?address=NAME&_total=accurate', ['Hemlig', 'Okant1']],
    ['GET', '/CarePlan?subject:Patient.address=NAME', ['Hemlig', 'Okant1']],
    ['DELETE', '/Patient/NAME', ['protected', 'notpresnt']],
  ] as const) {
    const responseTo = (name: string) =>
      comparableResponse(app, 'elsewhere', { method, path: path.replace('NAME', name) }, { NAME: name });
    const [there, absent] = [await responseTo(names[0]), await responseTo(names[1])];
    assert.deepEqual(there, absent, `${method} ${path}`);
    assert.ok(there.status < 500, there.body);
  }
  const seen = await call('GET', 'Patient?address=Hemlig', { as: 'anna' });
  assert.equal(seen.body['total'], 1);
});
