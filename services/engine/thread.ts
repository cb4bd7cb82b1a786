// The threads of the engine: large bodies of FHIR, bundles and reports of providers, and the hashes of what is synchronised.
import { createHandler } from '#lib/fhir-rest/aside/handler.ts';
import { serveWork } from '#lib/jobs/serve-work.ts';
import { type BundleWork, doBundleWork } from './provider-tasks/bundle-work.ts';
import { contentHash, type HashWork } from './synchronize/content-hash.ts';

serveWork((given, ask) =>
  createHandler(given, ask, (task, parameters) => {
    const work = task as BundleWork | HashWork;
    return work.kind === 'hash' ? contentHash(work.text).toString('hex') : doBundleWork(work, parameters);
  }),
);
