// The threads of the engine: large bodies of FHIR, and bundles and reports of providers.
import { createHandler } from '#lib/fhir-rest/aside/handler.ts';
import { serveWork } from '#lib/jobs/serve-work.ts';
import { type BundleWork, doBundleWork } from './provider-tasks/bundle-work.ts';

serveWork((given, ask) =>
  createHandler(given, ask, (task, parameters) => doBundleWork(task as BundleWork, parameters)),
);
