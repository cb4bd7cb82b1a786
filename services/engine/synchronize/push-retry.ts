// Pushes again the next resources at which the server failed (./retry-rounds.ts), in their current versions.
import { findCurrent } from '#fhir/store/read/lookup.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import { accessOf } from '../shared/policies.ts';
import { restorePrincipal } from '../shared/principal-json.ts';
import { pushVersions } from './push.ts';
import { nextFailed, nextRound } from './retry-rounds.ts';
import { emptyResult, type Step, type SyncDependencies, saveStep } from './step.ts';

export async function pushRetry(step: Step, deps: SyncDependencies): Promise<void> {
  const { job, checkpoint, resourceType } = step;
  const round = checkpoint.retry?.round ?? 0;
  const ids = await nextFailed(step, deps);
  const last = ids.at(-1);
  if (last === undefined) return nextRound(step, { round: round + 1, result: emptyResult() }, deps);
  const access = accessOf(restorePrincipal(job.principal));
  const known = new Set(checkpoint.settled);
  const versions: StoredVersion[] = [];
  for (const id of ids.filter((each) => !known.has(each))) {
    const version = await findCurrent(deps.database, { resourceType, id }, access);
    if (version !== undefined) versions.push(version);
  }
  const settled = new Set<string>();
  const result = { ...emptyResult(), again: versions.map(({ id }) => id) };
  try {
    await pushVersions(step, { versions, settled, result }, deps);
  } catch (error) {
    // The outcomes of some are stored. The others are tried by the next attempt.
    const partly = { ...checkpoint, settled: [...known, ...settled] };
    if (settled.size > 0) await saveStep(step, { next: partly, result: { ...result, again: [...settled] } }, deps);
    throw error;
  }
  const { settled: _, ...rest } = checkpoint;
  await saveStep(step, { next: { ...rest, retry: { round, after: last } }, result }, deps);
}
