// The examples in dispatch's /openapi.json are calls of a running dispatch, as examples.test.ts says of the engine's.
// After a change of responses, record them again by KEDJA_WRITE_EXAMPLES=1 npm test --
// test/openapi/dispatch-examples.test.ts

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { dispatchExamples } from '#services/dispatch/openapi-examples.ts';
import { makeSite } from '#services/dispatch/testing/site.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { deliveries, drafts, ownConsents, patientForms, prepare, providers, pushes, records } from './dispatch.ts';
import { holdExamples, withoutExample } from './hold-examples.ts';
import { createRecorder } from './recorder.ts';

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

const document = await holdExamples('dispatch', {
  app: site.app,
  recorder,
  committed: dispatchExamples,
  reader: { authorization: 'Bearer admin' },
});

test('every address outside the FHIR records has an example that succeeds, and so have those of a request', () => {
  const isWanted = (name: string) =>
    name.startsWith('/api/v1/') &&
    !/\/(Patient|CarePlan|Consent|Organization|Questionnaire|QuestionnaireResponse|Observation|Provenance|metadata|_search)/.test(
      name,
    );
  assert.deepEqual(withoutExample(document, recorder, isWanted), []);
});
