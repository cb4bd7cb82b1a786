// The worker loops of bulk jobs. Exports take turns of a second. Imports run one after the other. A third loop
// deletes old jobs.
import type { BackPressure } from '#lib/audit/back-pressure.ts';
import { DAY_MS } from '#lib/clock.ts';
import { type ErrorCode, ServiceError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import { createPeriodicLoop, createWorkerLoop, releasedOnStop, type WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import { exportTurn } from './export-job.ts';
import { workOnImport } from './import-job.ts';
import { claimJob, finishJob, type JobKind, type JobRow, releaseJobs, sweepJobs } from './jobs.ts';
import type { BulkDependencies } from './service.ts';

const INTERVAL_MS = 1_000;
const SWEEP_EVERY_MS = 60_000;
/** How long finished jobs are kept. */
const KEPT_MS = DAY_MS;

export function createBulkWorkers(deps: BulkWorkerDependencies): readonly WorkerLoop[] {
  const { database, clock, log } = deps;
  const run = () => sweepJobs(database, new Date(clock.now() - KEPT_MS));
  const sweep = createPeriodicLoop({ name: 'bulk-sweep', intervalMs: SWEEP_EVERY_MS, log, run });
  return [
    jobLoop('export', deps, (job, holder, signal) => {
      return exportTurn(job, holder, { ...deps, signal, pause: deps.backlog?.pause });
    }),
    jobLoop('import', deps, (job, holder, signal) => workOnImport(job, deps, { holder, signal })),
    sweep,
  ];
}

export interface BulkWorkerDependencies extends BulkDependencies {
  readonly log: Logger;
  /** Jobs pause while the record of what they access is behind; they never do when it is left out. */
  readonly backlog?: BackPressure;
}

type Work = (job: JobRow, holder: string, signal: AbortSignal) => Promise<void>;

function jobLoop(kind: JobKind, { database, clock, log }: BulkWorkerDependencies, work: Work): WorkerLoop {
  const holder = newGuid();
  const loop = createWorkerLoop({
    name: `bulk-${kind}`,
    intervalMs: INTERVAL_MS,
    log,
    step: async (signal) => {
      const now = new Date(clock.now());
      const job = await claimJob(database, { kind, holder, now });
      if (job === undefined) return false;
      try {
        await work(job, holder, signal);
      } catch (error) {
        if (error instanceof ServiceError && error.status === 503) throw error;
        // Another attempt would fail in the same way.
        const isRefused = error instanceof ServiceError && error.code === 'forbidden';
        if (isRefused) log.warn({ event: 'bulk.rights-lost', job: job.job_guid, kind });
        else log.error({ event: 'bulk.failed', job: job.job_guid, kind, err: error });
        await finishJob(database, job.job_guid, { at: now, fault: issueOf(error) });
      }
      return true;
    },
  });
  return releasedOnStop(loop, log, () => releaseJobs(database, holder));
}

function issueOf(error: unknown): { readonly code: ErrorCode; readonly message: string } {
  if (error instanceof ServiceError) return error;
  return { code: 'internal_error', message: 'An unexpected error ended the job; the log tells which' };
}
