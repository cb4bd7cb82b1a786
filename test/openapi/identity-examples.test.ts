// The examples in identity's /openapi.json are calls of a running identity, as examples.test.ts says of the engine's.
// After a change of responses, record them again by KEDJA_WRITE_EXAMPLES=1 npm test --
// test/openapi/identity-examples.test.ts

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { env } from 'node:process';
import { after, test } from 'node:test';
import { Secret } from '#lib/config/secret.ts';
import type { MailMessage } from '#lib/mail/message.ts';
import type { SendMail } from '#lib/mail/smtp-sender.ts';
import { identityExamples } from '#services/identity/openapi-examples.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { ADMIN, BOTH_SERVICES, startIdentity } from '#test/support/identity/identity.ts';
import { holdConsoleTypes } from './console-types.ts';
import { checkExamples } from './example-checks.ts';
import { arrival, directory, groups, patients, sessions } from './identity.ts';
import { everybody, fhirDirectory, ownSessions, secondFactor } from './identity-account.ts';
import { clientsOnRecord } from './identity-clients.ts';
import { ownAccount, passwordRecovery } from './identity-recovery.ts';
import { createRecorder } from './recorder.ts';
import { holdResponseHeaders } from './response-headers.ts';
import type { OpenApiDocument } from './shapes.ts';

const mails: MailMessage[] = [];
const sendMail: SendMail = async (message) => {
  mails.push(message);
  return { kind: 'sent' };
};
const FILE = path.join(import.meta.dirname, '../../services/identity/generated/openapi-examples.json');
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
if (env['KEDJA_WRITE_EXAMPLES'] === '1') await writeFile(FILE, `${JSON.stringify(recorder.examples, null, 1)}\n`);

const document: OpenApiDocument = (await site.app.inject('/openapi.json')).json();
const signedIn = await site.app.inject({ method: 'POST', url: '/api/auth/login', payload: ADMIN });
await holdConsoleTypes('identity', document);
checkExamples(recorder, document, identityExamples());
holdResponseHeaders(site.app, document, { authorization: `Bearer ${signedIn.json().token}` });

test('every address below /api and /fhir has an example that succeeds, and the document shows it', () => {
  const wanted = Object.entries(document.paths).flatMap(([name, methods]) =>
    /^\/(?:api|fhir)\//.test(name) ? Object.keys(methods).map((method) => `${method.toUpperCase()} ${name}`) : [],
  );
  const without = wanted.filter((key) => !recorder.examples[key]?.some(({ status }) => status < 300));
  assert.deepEqual(without, []);
  assert.match(JSON.stringify(document.paths['/api/auth/login']), /anna\.berg@example\.org/);
});
