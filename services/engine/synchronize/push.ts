// What goes to the server: ours in the order of their keys, compared with what the server has, and written there one by one under the
// version that was compared. Whoever is killed on the way, what has arrived is found to be the same when it is compared again.

import { readResourceText } from '#lib/fhir/resource-text.ts';
import { compartmentPatients } from '#lib/fhir/search/extract.ts';
import { resourceKey } from '#lib/fhir/search/keys.ts';
import { readExportPage } from '#lib/fhir-store/bulk/export-page.ts';
import type { StoredVersion } from '#lib/fhir-store/stored-version.ts';
import { accessOf } from '../shared/policies.ts';
import { restorePrincipal } from '../shared/principal-json.ts';
import type { UpstreamAnswer } from '../shared/upstream/call.ts';
import { afterPhase, type Checkpoint } from './checkpoint.ts';
import { contentHash } from './content-hash.ts';
import { type Agreed, type Decision, decide } from './decide.ts';
import { findConflicting, findLinks } from './link-store.ts';
import { pushDeletion } from './push-deletion.ts';
import { CHUNK, findRemote, inTurns, RESOURCE_BYTES, type RemoteItem, readRemote, reasonIn } from './remote.ts';
import {
  addConflict,
  emptyResult,
  noteResult,
  requireJob,
  type Step,
  type StepResult,
  type SyncDependencies,
  siteOf,
  tellMetrics,
} from './step.ts';

/** Whatever is current. */
const NOW = new Date('9999-01-01T00:00:00Z');
/** The server does not take it as it stands; what is there instead is looked at. */
const OVERTAKEN = [404, 405, 409, 410, 412, 428];
const REFUSED = [400, 413, 422];

interface LocalItem {
  readonly id: string;
  readonly text: string;
  readonly hash: Buffer;
}

export async function pushPage(step: Step, deps: SyncDependencies): Promise<void> {
  const { job, checkpoint, resourceType } = step;
  const access = accessOf(restorePrincipal(job.principal));
  const query = { resourceType, at: NOW, since: job.since ?? undefined, filters: [], after: checkpoint.after };
  const page = await readExportPage(deps.database, query, { access, parameters: deps.store.parameters });
  let current = step;
  for (let start = 0; start < page.versions.length; start += CHUNK) {
    step.signal.throwIfAborted();
    const chunk = page.versions.slice(start, start + CHUNK);
    const isLast = start + CHUNK >= page.versions.length;
    const after = isLast ? page.last : resourceKey(chunk.at(-1)?.id ?? '');
    const next = { ...current.checkpoint, after };
    await pushChunk(current, { chunk, next }, deps);
    current = { ...current, checkpoint: next };
  }
  if (page.versions.length > 0) return;
  const next = page.last === null ? afterPhase(checkpoint, job.direction) : { ...checkpoint, after: page.last };
  await note(step, { next, result: emptyResult() }, deps);
}

async function note(
  step: Step,
  { next, result }: { readonly next: Checkpoint; readonly result: StepResult },
  deps: SyncDependencies,
): Promise<void> {
  await deps.database.transaction(async (tx) => {
    const held = await requireJob(tx, step);
    await noteResult(tx, { step, held, next, result }, deps);
  });
  tellMetrics(step, result, deps);
}

async function pushChunk(
  step: Step,
  { chunk, next }: { readonly chunk: readonly StoredVersion[]; readonly next: Checkpoint },
  deps: SyncDependencies,
): Promise<void> {
  const { job, resourceType } = step;
  const result = emptyResult();
  const ids = chunk.map(({ id }) => id);
  const links = await findLinks(deps.database, siteOf(step), ids);
  const named = await findConflicting(deps.database, { job: job.job_guid, type: resourceType }, ids);
  const changed: LocalItem[] = [];
  const deleted: { readonly version: StoredVersion; readonly agreed: Buffer }[] = [];
  for (const version of chunk) {
    const { id, content, isDeleted } = version;
    const agreed = links.get(id);
    if (isDeleted && !Buffer.isBuffer(agreed)) continue;
    if (named.has(id)) result.outcomes.push('skipped');
    else if (isDeleted && Buffer.isBuffer(agreed)) deleted.push({ version, agreed });
    else {
      const hash = contentHash(content);
      if (Buffer.isBuffer(agreed) && agreed.equals(hash)) result.outcomes.push('unchanged');
      else changed.push({ id, text: content, hash });
    }
  }
  const remote = await findRemote(step, { ids: changed.map(({ id }) => id), isForContent: true }, deps);
  await inTurns(changed, (item) =>
    carry(step, { item, remote: remote.get(item.id), agreed: links.get(item.id), result }, deps),
  );
  await inTurns(deleted, (deletion) => pushDeletion(step, { ...deletion, result }, deps));
  await note(step, { next, result }, deps);
}

interface Carried {
  readonly item: LocalItem;
  readonly remote: RemoteItem | undefined;
  readonly agreed: Agreed;
  readonly result: StepResult;
}

async function carry(step: Step, carried: Carried, deps: SyncDependencies): Promise<void> {
  const { item, result } = carried;
  const decision = judge(carried);
  if (!isWrite(decision)) return conclude(step, decision, carried);
  const outcome = decision.kind === 'create' ? 'created' : 'updated';
  if (step.job.dry_run) {
    result.outcomes.push(outcome);
    return;
  }
  const answer = await put(step, carried, deps);
  if (answer.status < 300) {
    result.outcomes.push(outcome);
    result.links.push(item);
    const patients = compartmentPatients(readResourceText(item.text).resource, deps.store.parameters);
    for (const patient of patients) result.patients.add(patient);
  } else if (REFUSED.includes(answer.status)) {
    addConflict(result, step, { id: item.id, kind: 'refused_there', detail: reasonIn(answer) });
  } else await lookAgain(step, { carried, status: answer.status }, deps);
}

function judge({ item, remote, agreed }: Carried): Decision {
  return decide({ from: item.hash, to: remote ?? 'nothing', agreed, direction: 'push' });
}

function isWrite(decision: Decision): decision is Extract<Decision, { kind: 'create' | 'update' }> {
  return decision.kind === 'create' || decision.kind === 'update';
}

function conclude(step: Step, decision: Decision, { item, result }: Carried): void {
  if (decision.kind === 'conflict') addConflict(result, step, { id: item.id, kind: decision.conflict });
  else if (decision.kind === 'same') {
    result.links.push(item);
    result.outcomes.push('unchanged');
  } else result.outcomes.push('skipped');
}

function put(
  { server, resourceType, signal }: Step,
  { item, remote }: Carried,
  { upstream }: SyncDependencies,
): Promise<UpstreamAnswer> {
  const condition: Record<string, string> =
    remote === undefined
      ? { 'if-none-match': '*' }
      : remote.version === undefined
        ? {}
        : { 'if-match': `W/"${remote.version}"` };
  return upstream.send(server, {
    method: 'PUT',
    path: `/${resourceType}/${item.id}`,
    body: item.text,
    headers: { prefer: 'return=minimal', ...condition },
    maxBytes: RESOURCE_BYTES,
    takes: [...OVERTAKEN, ...REFUSED],
    signal,
  });
}

/** Somebody changed it there meanwhile, or it is what an attempt before has brought. */
async function lookAgain(
  step: Step,
  { carried, status }: { readonly carried: Carried; readonly status: number },
  deps: SyncDependencies,
): Promise<void> {
  const { item, result } = carried;
  const remote = await readRemote(step, item.id, deps);
  if (typeof remote === 'number') {
    const isGone = remote === 410 || carried.agreed !== undefined;
    const kind = isGone ? 'deleted_there' : 'refused_there';
    return addConflict(result, step, { id: item.id, kind, detail: `the server answered ${status}` });
  }
  const decision = judge({ ...carried, remote });
  // It refused although nothing has changed there: it does not want this version.
  if (isWrite(decision))
    addConflict(result, step, { id: item.id, kind: 'refused_there', detail: `it answered ${status}` });
  else conclude(step, decision, carried);
}
