// Test files that share no process with others, and why. They begin first, in this order: the longest first.

const LONG = 'takes as long as a batch';
const STARTS = 'starts and kills processes';
const MEASURES = 'bounds processor time or memory, which the files before it would change';

/** By path from the root; a folder has a slash at its end. */
export const ALONE: Readonly<Record<string, string>> = {
  'test/load/': MEASURES,
  'test/tutorial/': STARTS,
  'test/examples/': LONG,
  'test/engine/contract/fhir-authorisation.test.ts': LONG,
  'test/engine/hidden-records.test.ts': LONG,
  'services/engine/synchronize/killed.test.ts': STARTS,
  'services/engine/bulk/bulk.test.ts': MEASURES,
  'test/browser/': LONG,
  'test/keys/': STARTS,
  'test/clients/client-matrix.test.ts': LONG,
  'test/demo/': LONG,
  'test/end-to-end/': LONG,
  'test/faults/': STARTS,
  'test/start/': STARTS,
  'lib/db/embedded/embedded.test.ts': STARTS,
  'cli/terminology.test.ts': STARTS,
  'cli/users/users.test.ts': STARTS,
  'cli/fhir.test.ts': STARTS,
  'cli/backup/': STARTS,
  'services/engine/provider-tasks/killed.test.ts': STARTS,
  'services/engine/fhir/killed.test.ts': STARTS,
  'services/dispatch/deliveries/tutorial.test.ts': STARTS,
  'test/gates/': STARTS,
  'fhir/store/search/search-robustness.test.ts': MEASURES,
  'fhir/forms/check-response.test.ts': MEASURES,
  'fhir/patch/fhirpath-patch.test.ts': MEASURES,
  'fhir/rest/interactions/named-patients.test.ts': MEASURES,
  'fhir/validation/validate.test.ts': MEASURES,
  'lib/auth/authenticator.test.ts': MEASURES,
  'services/dispatch/shared/text-tasks.test.ts': MEASURES,
  'services/engine/fhir/patient-reports.test.ts': MEASURES,
  'demo/collect-garbage.test.ts': MEASURES,
  'cli/database.test.ts': STARTS,
  'lib/log/tick-destination.test.ts': STARTS,
  'scripts/batches/': STARTS,
  'test/support/runner/': STARTS,
};
