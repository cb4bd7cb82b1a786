// Entry point of dispatch's worker threads: large FHIR bodies, and tasks on long texts (./shared/text-tasks.ts).
import { createHandler } from '#fhir/rest/threads/handler.ts';
import { serveWork } from '#lib/jobs/serve-work.ts';
import type { TaskMessage } from './shared/text-tasks.ts';
import { runTextTask } from './text-task-registry.ts';

serveWork((given, ask) => createHandler(given, ask, (work) => runTextTask(work as TaskMessage)));
