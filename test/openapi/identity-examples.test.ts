// The examples in identity's /openapi.json are calls of a running identity, as examples.test.ts says of the engine's.
// After a change of responses, record them again by KEDJA_WRITE_EXAMPLES=1 npm test --
// test/openapi/identity-examples.test.ts

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Secret } from '#lib/config/secret.ts';
import type { MailMessage } from '#lib/mail/message.ts';
import type { SendMail } from '#lib/mail/smtp-sender.ts';
import { identityExamples } from '#services/identity/openapi-examples.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { ADMIN, BOTH_SERVICES, startIdentity } from '#test/support/identity/identity.ts';
import { holdExamples, withoutExample } from './hold-examples.ts';
import { arrival, directory, groups, patients, sessions } from './identity.ts';
import { everybody, fhirDirectory, ownSessions, secondFactor } from './identity-account.ts';
import { clientsOnRecord } from './identity-clients.ts';
import { ownAccount, passwordRecovery } from './identity-recovery.ts';
import { createRecorder } from './recorder.ts';

const mails: MailMessage[] = [];
const sendMail: SendMail = async (message) => {
  mails.push(message);
  return { kind: 'sent' };
};
const site = await startIdentity(lastFirst({ after }), {
  sendMail,
  serviceClients: BOTH_SERVICES,
  config: { importPassword: new Secret('a temporary phrase') },
});
const recorder = createRecorder(site.app);
const people = await arrival(recorder);
await groups(recorder, people, site);
await directory(recorder, people, await patients(recorder, people));
await secondFactor(recorder, people, site);
await ownSessions(recorder, people, site);
await passwordRecovery(recorder, people, { site, mails });
await ownAccount(recorder, { site, mails });
await clientsOnRecord(recorder, people);
await everybody(recorder, people, site);
await fhirDirectory(recorder, people);
await sessions(recorder, people);

const signedIn = await site.app.inject({ method: 'POST', url: '/api/auth/login', payload: ADMIN });
const document = await holdExamples('identity', {
  app: site.app,
  recorder,
  committed: identityExamples,
  reader: { authorization: `Bearer ${signedIn.json().token}` },
});

test('every address below /api and /fhir has an example that succeeds, and the document shows it', () => {
  const isWanted = (name: string) => /^\/(?:api|fhir)\//.test(name);
  assert.deepEqual(withoutExample(document, recorder, isWanted), []);
  assert.match(JSON.stringify(document.paths['/api/auth/login']), /anna\.berg@example\.org/);
});
