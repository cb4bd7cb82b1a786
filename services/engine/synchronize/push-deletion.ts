// Pushes a local deletion to the server. The resource is deleted there only if the server still has the agreed content,
// with a condition on the compared version. After a crash the deletion is found to be done.

import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import { patientsIn } from '#fhir/store/threads.ts';
import { decideDeletion, type Pair } from './decide.ts';
import { DELETED } from './link-store.ts';
import { RESOURCE_BYTES, type RemoteItem, readRemote, reasonIn } from './remote.ts';
import { addConflict, type Step, type StepResult, type SyncDependencies } from './step.ts';

/** The server has another version than the compared one. The resource is read and compared again. */
const OVERTAKEN = [404, 410, 412];
/** The server refuses the deletion: something references the resource, or it cannot be deleted. */
const REFUSED = [400, 405, 409, 422, 428];

export interface Deletion {
  /** The version of the deletion. */
  readonly version: StoredVersion;
  readonly agreed: Pair;
  readonly result: StepResult;
}

/** @throws UpstreamError */
export async function pushDeletion(step: Step, deletion: Deletion, deps: SyncDependencies): Promise<void> {
  const { version, result } = deletion;
  const { id } = version;
  const remote = await readRemote(step, id, deps);
  if (!isStillAgreed(step, deletion, remote)) return;
  if (step.job.dry_run) {
    result.outcomes.push('deleted');
    return;
  }
  const { status, reason } = await sendDeletion(step, { id, remote }, deps);
  if (status < 300) {
    result.outcomes.push('deleted');
    result.links.push({ id, hash: DELETED });
    const reading = { parameters: deps.store.parameters, workerThreads: deps.workerThreads };
    for (const patient of await patientsIn(version.content, reading)) result.patients.add(patient);
    return;
  }
  if (OVERTAKEN.includes(status) && !isStillAgreed(step, deletion, await readRemote(step, id, deps))) return;
  addConflict(result, step, { id, kind: 'refused_there', detail: reason });
}

/** Whether to delete it on the server. Any other outcome is stored. */
function isStillAgreed(
  step: Step,
  { version: { id }, agreed, result }: Deletion,
  remote: RemoteItem | 404 | 410,
): remote is RemoteItem {
  const to = typeof remote === 'number' ? 'deleted' : remote;
  const decision = decideDeletion({ to, agreed, direction: 'push' });
  if (decision.kind === 'delete') return true;
  if (decision.kind === 'conflict') addConflict(result, step, { id, kind: decision.conflict });
  else {
    result.outcomes.push('unchanged');
    result.links.push({ id, hash: DELETED });
  }
  return false;
}

async function sendDeletion(
  { server, resourceType, signal }: Step,
  { id, remote: { version } }: { readonly id: string; readonly remote: RemoteItem },
  { upstream }: SyncDependencies,
): Promise<{ readonly status: number; readonly reason: string }> {
  const answer = await upstream.send(server, {
    method: 'DELETE',
    path: `/${resourceType}/${id}`,
    headers: version === undefined ? {} : { 'if-match': `W/"${version}"` },
    maxBytes: RESOURCE_BYTES,
    takes: [...OVERTAKEN, ...REFUSED],
    signal,
  });
  return { status: answer.status, reason: reasonIn(answer) };
}
