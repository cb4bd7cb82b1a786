// Attacks on every address of identity by nobody, a patient, a professional and an SU admin: hostile ids, bodies, types
// and parameters. The pages have attacks of their own (services/identity/page-attacks.test.ts).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertHarmless, hostileRequests, operationsOf } from '../support/hostile-requests.ts';
import { startIdentity } from '../support/identity/identity.ts';
import { makePatient, makeProfessional } from '../support/identity/identity-people.ts';

const identity = await startIdentity({ after });
const { app } = identity;
const CALLERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  nobody: {},
  patient: (await makePatient(identity)).headers,
  professional: (await makeProfessional(identity, ['planning'])).headers,
  admin: await identity.asAdmin(),
};
/** They end the session that the others need. */
const ENDS = /^\/api\/auth\/(?:logout|sessions)$/;

test('hostile ids, bodies, types and parameters are refused at every address, and nothing more', async () => {
  const operations = operationsOf((await app.inject('/openapi.json')).json()).filter(({ path }) => !ENDS.test(path));
  assert.ok(operations.length > 80);
  for (const operation of operations) {
    for (const request of hostileRequests(operation)) {
      for (const [who, credentials] of Object.entries(CALLERS)) {
        const answer = await app.inject({ ...request, headers: { ...request.headers, ...credentials } });
        assertHarmless(request, answer, who);
      }
    }
  }
  for (const [who, headers] of Object.entries(CALLERS)) {
    const me = await app.inject({ url: '/api/auth/me', headers });
    assert.equal(me.statusCode, who === 'nobody' ? 401 : 200, `${who} is still there`);
  }
});
