// Retries the resources at which the server failed after all others are sent, in a few rounds with longer and longer
// pauses. Those that still fail stay conflicts, and the next job sends them again.
import { afterPhase, type Checkpoint } from './checkpoint.ts';
import { listFailed } from './link-store.ts';
import { CHUNK } from './remote.ts';
import { emptyResult, type Step, type StepResult, type SyncDependencies, saveStep } from './step.ts';

/** The pause before each round. */
const PAUSES_MS = [5_000, 30_000, 120_000];

/** Returns the next ids to retry. */
export function nextFailed({ job, resourceType, checkpoint }: Step, { database }: SyncDependencies): Promise<string[]> {
  const after = checkpoint.retry?.after ?? null;
  return listFailed(database, { job: job.job_guid, type: resourceType }, { after, limit: CHUNK });
}

/** Begins the first round, or ends the phase when nothing has failed. */
export async function startRetries(step: Step, deps: SyncDependencies): Promise<void> {
  await nextRound(step, { round: 0, result: emptyResult() }, deps);
}

/** Begins the next round at its time, or ends the phase when nothing is left to retry or all rounds are done. */
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
  await saveStep(step, { next, result, until }, deps);
}
