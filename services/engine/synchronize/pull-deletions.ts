// Pulls deletions from the server. A search does not return them, so the ids of the agreed resources are looked up page
// by page. A resource is deleted here only if the server reports it as deleted (410 Gone) and it has not changed here
// since.
import type { Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { accessOf } from '../shared/policies.ts';
import { restorePrincipal } from '../shared/principal-json.ts';
import { afterPhase } from './checkpoint.ts';
import { decideDeletion } from './decide.ts';
import { DELETED, findLinks, listLinked } from './link-store.ts';
import { CHUNK, findRemote, forEachConcurrently, readRemote } from './remote.ts';
import {
  addConflict,
  commitStep,
  lockSide,
  refusalOr,
  type Step,
  type StepResult,
  type SyncDependencies,
  siteOf,
} from './step.ts';

interface Missing {
  readonly id: string;
  /** The status 404 does not say whether the resource ever existed. */
  readonly status: 404 | 410;
}

export async function pullDeletions(step: Step, deps: SyncDependencies): Promise<void> {
  const { checkpoint, job } = step;
  const ids = await listLinked(deps.database, siteOf(step), { after: checkpoint.after, limit: CHUNK });
  const last = ids.at(-1);
  const next = last === undefined ? afterPhase(checkpoint, job.direction) : { ...checkpoint, after: last };
  const missing = await findMissing(step, ids, deps);
  await commitStep(
    step,
    async (tx, result) => {
      await deleteMissing(tx, { step, missing, result }, deps);
      return next;
    },
    deps,
  );
}

/** Returns the missing resources in the order of their ids. @throws UpstreamError */
async function findMissing(step: Step, ids: readonly string[], deps: SyncDependencies): Promise<Missing[]> {
  const there = await findRemote(step, { ids, isForContent: false }, deps);
  const missing: Missing[] = [];
  await forEachConcurrently(
    ids.filter((id) => !there.has(id)),
    async (id) => {
      const status = await readRemote(step, id, deps);
      if (typeof status === 'number') missing.push({ id, status });
    },
  );
  return missing.sort((one, other) => (one.id < other.id ? -1 : 1));
}

async function deleteMissing(
  tx: Transaction,
  { step, missing, result }: { readonly step: Step; readonly missing: readonly Missing[]; readonly result: StepResult },
  deps: SyncDependencies,
): Promise<void> {
  const { job, resourceType } = step;
  const access = accessOf(restorePrincipal(job.principal));
  const ids = missing.map(({ id }) => id);
  const links = await findLinks(tx, siteOf(step), ids);
  for (const { id, status } of missing) {
    const agreed = links.get(id);
    // Another job with the same address may have settled it meanwhile.
    if (typeof agreed !== 'object') continue;
    const to = await lockSide(tx, { resourceType, id }, access, deps);
    const decision = decideDeletion({ to, agreed, direction: 'pull' });
    if (decision.kind === 'same') {
      result.outcomes.push('unchanged');
      result.links.push({ id, hash: DELETED });
    } else if (decision.kind === 'conflict') addConflict(result, step, { id, kind: decision.conflict });
    else if (status === 404) addConflict(result, step, { id, kind: 'deleted_there', detail: UNSURE });
    else if (job.dry_run) result.outcomes.push('deleted');
    else {
      const done = await refusalOr(() => deps.store.delete(tx, { resourceType, id, access }));
      if (done instanceof ServiceError) addConflict(result, step, { id, kind: 'refused_here', detail: done.message });
      else {
        result.outcomes.push('deleted');
        result.links.push({ id, hash: DELETED });
        for (const patient of done?.patients ?? []) result.patients.add(patient);
      }
    }
  }
}

const UNSURE = 'the server answered 404, which does not tell whether it ever was there';
