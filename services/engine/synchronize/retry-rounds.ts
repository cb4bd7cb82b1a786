// When all of ours are sent, the resources at which the server failed are tried again, in a few rounds with ever longer
// pauses. What then still fails stays named, and is sent again by the next job.
import { afterPhase, type Checkpoint } from './checkpoint.ts';
import { listFailed } from './link-store.ts';
import { CHUNK } from './remote.ts';
import { emptyResult, noteStep, type Step, type StepResult, type SyncDependencies } from './step.ts';

/** Before each round. */
const PAUSES_MS = [5_000, 30_000, 120_000];

/** The ids of the next ones to be tried again. */
export function nextFailed({ job, resourceType, checkpoint }: Step, { database }: SyncDependencies): Promise<string[]> {
  const after = checkpoint.retry?.after ?? null;
  return listFailed(database, { job: job.job_guid, type: resourceType }, { after, limit: CHUNK });
}

/** Begins the first round, or ends the phase where nothing has failed. */
export async function startRetries(step: Step, deps: SyncDependencies): Promise<void> {
  await nextRound(step, { round: 0, result: emptyResult() }, deps);
}

/** Begins the round when it is time, or ends the phase: nothing is left to be tried, or it was tried often enough. */
export async function nextRound(
  step: Step,
  { round, result }: { readonly round: number; readonly result: StepResult },
  deps: SyncDependencies,
): Promise<void> {
  const { settled: _, ...checkpoint } = step.checkpoint;
  const pause = PAUSES_MS[round];
  const retry = { round, after: null };
  const begins: Step = { ...step, checkpoint: { ...checkpoint, retry } };
  const isOver = pause === undefined || step.job.dry_run || (await nextFailed(begins, deps)).length === 0;
  const next: Checkpoint = isOver ? afterPhase(checkpoint, step.job.direction) : begins.checkpoint;
  const until = isOver ? undefined : new Date(deps.clock.now() + pause);
  await noteStep(step, { next, result, until }, deps);
}
