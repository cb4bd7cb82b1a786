// The worker loop of synchronisations. Jobs take turns, one step at a time. A server that cannot be reached is retried
// with longer and longer pauses. After many attempts the job is stopped, and a person must resume it.
import { decide } from '#lib/auth/permissions.ts';
import { ServiceError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import { createWorkerLoop, releasedOnStop, type WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import { restorePrincipal } from '../shared/principal-json.ts';
import { UpstreamError } from '../shared/upstream/upstream-error.ts';
import { readCheckpoint } from './checkpoint.ts';
import { claimJob, endHeldJob, postponeJob, releaseJobs, type SyncJob } from './job-store.ts';
import { pullPage } from './pull.ts';
import { pullDeletions } from './pull-deletions.ts';
import { pushPage } from './push.ts';
import { pushRetry } from './push-retry.ts';
import { LostJob, type SyncDependencies } from './step.ts';

const INTERVAL_MS = 1_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** Failures in a row before the job stops: about an hour and a half. */
const MAX_FAILURES = 100;

export function createSyncWorker(deps: SyncDependencies & { readonly log: Logger }): WorkerLoop {
  const { database, clock, log } = deps;
  const holder = newGuid();
  const loop = createWorkerLoop({
    name: 'synchronize',
    intervalMs: INTERVAL_MS,
    log,
    step: async (signal) => {
      const job = await claimJob(database, holder, new Date(clock.now()));
      if (job === undefined) return false;
      try {
        await workOn(job, { holder, signal }, deps);
      } catch (error) {
        if (!signal.aborted) await afterFailure({ job, holder }, error, deps);
      }
      return true;
    },
  });
  return releasedOnStop(loop, log, () => releaseJobs(database, holder));
}

async function workOn(
  job: SyncJob,
  own: { readonly holder: string; readonly signal: AbortSignal },
  deps: SyncDependencies,
): Promise<void> {
  const checkpoint = readCheckpoint(job);
  const resourceType = job.resource_types[checkpoint.type];
  if (resourceType === undefined) {
    await endHeldJob(deps.database, job, { holder: own.holder, state: 'done', at: new Date(deps.clock.now()) });
    return;
  }
  await requireRightsNow(job, deps);
  const server = await deps.servers.definition(job.server);
  const step = { job, ...own, server, checkpoint, resourceType };
  if (checkpoint.retry !== undefined) await pushRetry(step, deps);
  else if (checkpoint.phase === 'push') await pushPage(step, deps);
  else await (checkpoint.isSweep === true ? pullDeletions(step, deps) : pullPage(step, deps));
}

/**
 * Checks the rights of the requester again, because a job of hours must not outlive them (decision G8).
 * @throws ServiceError `forbidden`
 */
async function requireRightsNow(job: SyncJob, { rights }: SyncDependencies): Promise<void> {
  const principal = await rights(restorePrincipal(job.principal));
  if (principal !== undefined && decide('server:administer', principal) === 'allowed') return;
  throw new ServiceError('forbidden', 'Whoever asked for this synchronization may no longer have it');
}

async function afterFailure(
  { job, holder }: { readonly job: SyncJob; readonly holder: string },
  error: unknown,
  { database, clock, log }: SyncDependencies & { readonly log: Logger },
): Promise<void> {
  if (error instanceof LostJob) return;
  const at = new Date(clock.now());
  if (error instanceof UpstreamError) {
    const fault = error.message;
    if (job.failures + 1 >= MAX_FAILURES) return endHeldJob(database, job, { holder, state: 'stopped', at, fault });
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(job.failures, 10), LONGEST_PAUSE_MS);
    const until = new Date(clock.now() + Math.max(pause, (error.retryAfterSeconds ?? 0) * 1000));
    return postponeJob(database, job, { holder, until, fault });
  }
  // The database is away. The job waits for it.
  if (error instanceof ServiceError && error.status === 503) throw error;
  const isRefused = error instanceof ServiceError && error.code === 'forbidden';
  if (isRefused) log.warn({ event: 'synchronize.rights-lost', job: job.job_guid });
  else log.error({ event: 'synchronize.failed', job: job.job_guid, err: error });
  const fault =
    error instanceof ServiceError ? error.message : 'An unexpected error ended the job; the log tells which';
  await endHeldJob(database, job, { holder, state: 'failed', at, fault });
}
