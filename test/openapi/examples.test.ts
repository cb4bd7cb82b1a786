// The examples in the engine's /openapi.json are calls of a running engine. Every one is made again and must be
// answered as the document shows, in the status and in the shape that it declares. No JSON address is without one.
// After a change of responses, record them again by KEDJA_WRITE_EXAMPLES=1 npm test -- test/openapi/examples.test.ts

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { engineExamples } from '#services/engine/openapi-examples.ts';
import { wireFormOf } from '#services/engine/wire-form.ts';
import { startTestEngine } from '#test/support/engine/engine.ts';
import { startTestInbox } from '#test/support/engine/engine-inbox.ts';
import { fhir } from './fhir.ts';
import { holdExamples, withoutExample } from './hold-examples.ts';
import { library } from './library.ts';
import { operations } from './operations.ts';
import { people } from './people.ts';
import { owners, providers, tasks } from './providers.ts';
import { createRecorder } from './recorder.ts';
import { REMOTE, servers } from './servers.ts';

const remote = await startTestEngine({ after });
const address = `${await remote.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1`;
assert.equal((await remote.call('admin', 'PUT', `/Patient/${REMOTE.id}`, REMOTE)).status, 201);
const inbox = await startTestInbox(
  { after },
  { serverAccess: { allowPrivate: ['127.0.0.1'], servers: [], resolve: async () => [] } },
);

const recorder = createRecorder(inbox.app);
await library(recorder);
await people(recorder, inbox.clock.now);
await providers(recorder);
await owners(recorder);
await tasks(recorder, inbox);
await fhir(recorder);
await operations(recorder);
await servers(recorder, inbox, address);

const document = await holdExamples('engine', {
  app: inbox.app,
  recorder,
  committed: engineExamples,
  reader: { authorization: 'Bearer admin' },
});

test('every JSON address has an example that succeeds, and so have the FHIR addresses that the contract names', () => {
  const isWanted = (name: string) => wireFormOf(name) === 'plain' || isNamed(name);
  assert.deepEqual(withoutExample(document, recorder, isWanted), []);
});

/** Of the addresses that are the same for every type, the examples of Patient are for all. */
function isNamed(name: string): boolean {
  return /^\/api\/v1\/(Patient(\/\{id\}(\/_history(\/\{version\})?|\/\$\w+)?|\/_search|\/_history)?|\$batch|\$transaction|\$validate|metadata|activities\/\{id\}\/fhir)$/.test(
    name,
  );
}

test('the document shows each example at its operation', () => {
  for (const [key, examples] of Object.entries(recorder.examples)) {
    const [method = '', name = ''] = key.split(' ');
    const operation = document.paths[name]?.[method.toLowerCase()];
    for (const { status, summary, answer, answerType = 'application/json' } of examples) {
      if (answer === undefined) continue;
      const shown = operation?.responses?.[status]?.content?.[answerType]?.examples?.[summary]?.value;
      assert.deepEqual(shown, answer, `${key} ${summary}`);
    }
  }
});
