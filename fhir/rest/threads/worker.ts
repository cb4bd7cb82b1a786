// The thread in which large bodies are read, validated, patched and indexed (./worker-threads.ts).
import { serveWork } from '#lib/jobs/serve-work.ts';
import { createHandler } from './handler.ts';

serveWork(createHandler);
