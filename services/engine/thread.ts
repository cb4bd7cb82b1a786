// The entry point of the engine's worker threads. They work on large FHIR bodies, bundles and reports of providers,
// answers to forms, responses of external servers, and hashes for synchronisation.
import { createHandler } from '#fhir/rest/threads/handler.ts';
import { serveWork } from '#lib/jobs/serve-work.ts';
import { type AnswerWork, answerErrors } from './fhir/answer-work.ts';
import { type BundleWork, doBundleWork } from './provider-tasks/bundle-work.ts';
import { type BatchWork, readBatch } from './servers/batch-body.ts';
import { type HeadWork, headOf } from './shared/upstream/resource-head.ts';
import { contentHash, type HashWork } from './synchronize/content-hash.ts';

serveWork((given, ask) =>
  createHandler(given, ask, (task, parameters) => {
    const work = task as BundleWork | HashWork | HeadWork | BatchWork | AnswerWork;
    if (work.kind === 'hash') return contentHash(work.text).toString('hex');
    if (work.kind === 'head') return headOf(work.body, work.isHashed ? contentHash : undefined);
    if (work.kind === 'answers') return answerErrors(work);
    return work.kind === 'batch' ? readBatch(work.body) : doBundleWork(work, parameters);
  }),
);
