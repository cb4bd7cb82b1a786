// The threads of dispatch: large bodies of FHIR, and work on texts of megabytes (./shared/text-work.ts).
import { createHandler } from '#fhir/rest/threads/handler.ts';
import { serveWork } from '#lib/jobs/serve-work.ts';
import type { NamedWork } from './shared/text-work.ts';
import { doWork } from './works.ts';

serveWork((given, ask) => createHandler(given, ask, (work) => doWork(work as NamedWork)));
