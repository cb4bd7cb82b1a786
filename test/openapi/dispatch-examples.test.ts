// The examples in dispatch's /openapi.json are calls of a running dispatch, as examples.test.ts says of the engine's.
// After a change of responses, record them again by KEDJA_WRITE_EXAMPLES=1 npm test --
// test/openapi/dispatch-examples.test.ts

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { env } from 'node:process';
import { after, test } from 'node:test';
import { dispatchExamples } from '#services/dispatch/openapi-examples.ts';
import { makeSite } from '#services/dispatch/testing/site.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { holdConsoleTypes } from './console-types.ts';
import { deliveries, drafts, ownConsents, patientForms, prepare, providers, pushes, records } from './dispatch.ts';
import { checkExamples } from './example-checks.ts';
import { createRecorder } from './recorder.ts';
import { holdResponseHeaders } from './response-headers.ts';
import type { OpenApiDocument } from './shapes.ts';

const FILE = path.join(import.meta.dirname, '../../services/dispatch/generated/openapi-examples.json');
const site = await makeSite(lastFirst({ after }));
site.world.contracts = [{ contract_guid: 'contract-1', provider_guid: 'provider-1', provider_name: 'Hemvården' }];
const recorder = createRecorder(site.app);
await prepare(site);
await records(recorder, site);
await drafts(recorder, site);
await patientForms(recorder, site);
await providers(recorder, await pushes(recorder, site));
await deliveries(recorder, site);
await ownConsents(recorder);
if (env['KEDJA_WRITE_EXAMPLES'] === '1') await writeFile(FILE, `${JSON.stringify(recorder.examples, null, 1)}\n`);

const document: OpenApiDocument = (await site.app.inject('/openapi.json')).json();
await holdConsoleTypes('dispatch', document);
checkExamples(recorder, document, dispatchExamples());
holdResponseHeaders(site.app, document, { authorization: 'Bearer admin' });

test('every address outside the FHIR records has an example that succeeds, and so have those of a request', () => {
  const wanted = Object.entries(document.paths).flatMap(([name, methods]) =>
    name.startsWith('/api/v1/') &&
    !/\/(Patient|CarePlan|Consent|Organization|Questionnaire|QuestionnaireResponse|Observation|Provenance|metadata|_search)/.test(
      name,
    )
      ? Object.keys(methods).map((method) => `${method.toUpperCase()} ${name}`)
      : [],
  );
  const without = wanted.filter((key) => !recorder.examples[key]?.some(({ status }) => status < 300));
  assert.deepEqual(without, []);
});
