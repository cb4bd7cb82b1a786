// Pushes one page of local resources to the server, in the order of their keys. Each is compared with the server's and
// written with a condition on the compared version. After a crash the resources that have arrived are found to be the
// same. A conflict is reported only after a read, because the server's search index may lag behind.

import { readExportPage } from '#fhir/bulk/export-page.ts';
import { resourceKey } from '#fhir/search/extract/keys.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import { patientsIn } from '#fhir/store/threads.ts';
import { accessOf } from '../shared/policies.ts';
import { restorePrincipal } from '../shared/principal-json.ts';
import type { UpstreamResponse } from '../shared/upstream/call.ts';
import { UpstreamError, type UpstreamProblem } from '../shared/upstream/upstream-error.ts';
import type { Checkpoint } from './checkpoint.ts';
import { type Agreed, type Decision, decide } from './decide.ts';
import { findConflicting, findLinks, linkOf } from './link-store.ts';
import { pushDeletion } from './push-deletion.ts';
import {
  CHUNK,
  findRemote,
  forEachConcurrently,
  RESOURCE_BYTES,
  type RemoteItem,
  readRemote,
  reasonIn,
  storedBy,
} from './remote.ts';
import { startRetries } from './retry-rounds.ts';
import {
  addConflict,
  emptyResult,
  type Step,
  type StepResult,
  type SyncDependencies,
  saveStep,
  siteOf,
} from './step.ts';

/** Whatever is current. */
const NOW = new Date('9999-01-01T00:00:00Z');
/** The server has another version than the compared one. The resource is read and compared again. */
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
  const query = { resourceType, at: NOW, since: justBefore(job.since), filters: [], after: checkpoint.after };
  const page = await readExportPage(deps.store.from(deps.database, [resourceType]), query, {
    access,
    parameters: deps.store.parameters,
    workerThreads: deps.workerThreads,
  });
  let current = step;
  for (let start = 0; start < page.versions.length; start += CHUNK) {
    step.signal.throwIfAborted();
    const chunk = page.versions.slice(start, start + CHUNK);
    const isLast = start + CHUNK >= page.versions.length;
    const after = isLast ? page.last : resourceKey(chunk.at(-1)?.id ?? '');
    const next = { ...withoutSettled(current.checkpoint), after };
    await pushChunk(current, { chunk, next }, deps);
    current = { ...current, checkpoint: next };
  }
  if (page.versions.length > 0) return;
  if (page.last === null) return await startRetries(step, deps);
  await saveStep(step, { next: { ...withoutSettled(checkpoint), after: page.last }, result: emptyResult() }, deps);
}

/**
 * An export leaves out changes made exactly at its `since`. A synchronisation includes them, here and on the server
 * (`ge`).
 */
function justBefore(since: Date | null): Date | undefined {
  return since === null ? undefined : new Date(since.getTime() - 1);
}

interface Deleted {
  readonly version: StoredVersion;
  readonly agreed: Agreed;
}

function withoutSettled({ settled: _, ...checkpoint }: Checkpoint): Checkpoint {
  return checkpoint;
}

/** Outcomes before a failure are stored at once, so that those resources are neither sent nor counted again. */
async function pushChunk(
  step: Step,
  { chunk, next }: { readonly chunk: readonly StoredVersion[]; readonly next: Checkpoint },
  deps: SyncDependencies,
): Promise<void> {
  const result = emptyResult();
  const settled = new Set(step.checkpoint.settled);
  const waiting = chunk.filter(({ id }) => !settled.has(id));
  try {
    await pushVersions(step, { versions: waiting, settled, result }, deps);
  } catch (error) {
    const partly = { ...step.checkpoint, settled: [...settled] };
    if (result.outcomes.length > 0) await saveStep(step, { next: partly, result }, deps);
    throw error;
  }
  await saveStep(step, { next, result }, deps);
}

export interface Versions {
  readonly versions: readonly StoredVersion[];
  /** The ids whose outcomes are in the result. */
  readonly settled: Set<string>;
  readonly result: StepResult;
}

/** Sends the resources, or reports why not. @throws UpstreamError when the server cannot be used at all */
export async function pushVersions(
  step: Step,
  { versions, settled, result }: Versions,
  deps: SyncDependencies,
): Promise<void> {
  const ids = versions.map(({ id }) => id);
  const links = await findLinks(deps.database, siteOf(step), ids);
  const conflicting = { job: step.job.job_guid, type: step.resourceType };
  const named = result.again === undefined ? await findConflicting(deps.database, conflicting, ids) : new Set<string>();
  const changed: LocalItem[] = [];
  const deleted: Deleted[] = [];
  for (const version of versions) {
    const { id, content, isDeleted } = version;
    const agreed = links.get(id);
    const hash = isDeleted ? undefined : await deps.hash(content);
    const isUnchanged = hash !== undefined && typeof agreed === 'object' && agreed.here.equals(hash);
    if (isDeleted && agreed === 'deleted') continue;
    if (named.has(id) || isUnchanged) {
      result.outcomes.push(named.has(id) ? 'skipped' : 'unchanged');
      settled.add(id);
    } else if (hash === undefined) deleted.push({ version, agreed });
    else changed.push({ id, text: content, hash });
  }
  const remote = await findRemote(step, { ids: changed.map(({ id }) => id), isForContent: true }, deps);
  await forEachConcurrently(changed, async (item) => {
    const carried = { item, remote: remote.get(item.id), agreed: links.get(item.id), result };
    await orConflict(step, { id: item.id, result }, () => pushItem(step, carried, deps));
    settled.add(item.id);
  });
  await pushDeletions(step, { deleted, settled, result }, deps);
}

async function pushDeletions(
  step: Step,
  { deleted, settled, result }: Omit<Versions, 'versions'> & { readonly deleted: readonly Deleted[] },
  deps: SyncDependencies,
): Promise<void> {
  await forEachConcurrently(deleted, async ({ version, agreed }) => {
    if (typeof agreed !== 'object') return;
    await orConflict(step, { id: version.id, result }, () => pushDeletion(step, { version, agreed, result }, deps));
    settled.add(version.id);
  });
  // They never agreed on it. A local deletion then does not permit a deletion on the server, and is no agreement
  // either.
  const unagreed = deleted.filter(({ agreed }) => agreed === undefined).map(({ version }) => version.id);
  const found = await findRemote(step, { ids: unagreed, isForContent: false }, deps);
  const there = unagreed.filter((id) => found.has(id));
  await forEachConcurrently(there, async (id) => {
    if (typeof (await readRemote(step, id, deps)) === 'object') addConflict(result, step, { id, kind: 'deleted_here' });
    settled.add(id);
  });
}

/**
 * An error of one resource says nothing about the others. It is stored as a conflict, and the resource is retried after
 * the others.
 */
async function orConflict(
  step: Step,
  { id, result }: { readonly id: string; readonly result: StepResult },
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof UpstreamError) || !isOfOne(error.problem)) throw error;
    addConflict(result, step, { id, kind: 'failed_there', detail: error.message });
  }
}

/** Errors of one resource: not of the caller (401), of the rate (429), or of the whole server. */
function isOfOne({ reason, status }: UpstreamProblem): boolean {
  return reason === 'timeout' || reason === 'failed' || reason === 'too_large' || status === 403;
}

interface Comparison {
  readonly item: LocalItem;
  /** The server's version: from a search or, after `isRead`, from a read. */
  readonly remote: RemoteItem | 404 | 410 | undefined;
  readonly isRead?: true;
  readonly agreed: Agreed;
  readonly result: StepResult;
}

/** How often a resource that keeps changing on the server is compared and written before it counts as refused. */
const MAX_ATTEMPTS = 4;

/** A conflict needs a read, because the search index of the server may lag behind. */
async function pushItem(step: Step, given: Comparison, deps: SyncDependencies): Promise<void> {
  let carried = given;
  for (let attempt = 1; ; attempt += 1) {
    const decision = compare(carried);
    const read = async (): Promise<Comparison> => {
      const remote = await readRemote(step, carried.item.id, deps);
      return { ...carried, remote, isRead: true };
    };
    if (isWrite(decision)) {
      const refusal = await write(step, { carried, decision }, deps);
      if (refusal === undefined) return;
      // Somebody has changed it on the server meanwhile, or an earlier attempt has written it.
      const seen = refusal.isOvertaken && attempt < MAX_ATTEMPTS ? await read() : carried;
      if (isWrite(compare(seen)) && !hasMoved(carried, seen)) return refuse(step, carried, refusal.reason);
      carried = seen;
    } else if (decision.kind === 'conflict' && carried.isRead === undefined) carried = await read();
    else return addOutcome(step, decision, carried);
  }
}

type WriteDecision = Extract<Decision, { kind: 'create' | 'update' }>;

interface Refusal {
  /** Whether the server may have another version than the compared one. */
  readonly isOvertaken: boolean;
  readonly reason: string;
}

/** Writes it; undefined on success, and in a dry run. */
async function write(
  step: Step,
  { carried, decision }: { readonly carried: Comparison; readonly decision: WriteDecision },
  deps: SyncDependencies,
): Promise<Refusal | undefined> {
  const { item, result } = carried;
  const outcome = decision.kind === 'create' ? 'created' : 'updated';
  if (!step.job.dry_run) {
    const answer = await put(step, carried, deps);
    if (answer.status >= 300) return { isOvertaken: OVERTAKEN.includes(answer.status), reason: reasonIn(answer) };
    const there = await storedBy(step, { id: item.id, answer }, deps);
    result.links.push({ id: item.id, hash: linkOf({ here: item.hash, there: there ?? item.hash }) });
    const reading = { parameters: deps.store.parameters, workerThreads: deps.workerThreads };
    for (const patient of await patientsIn(item.text, reading)) result.patients.add(patient);
  }
  result.outcomes.push(outcome);
  return undefined;
}

function compare({ item, remote, agreed }: Comparison): Decision {
  const to = remote === 410 ? 'deleted' : remote === undefined || remote === 404 ? 'nothing' : remote;
  return decide({ from: item.hash, to, agreed, direction: 'push' });
}

function isWrite(decision: Decision): decision is WriteDecision {
  return decision.kind === 'create' || decision.kind === 'update';
}

function versionOf({ remote }: Comparison): string | undefined {
  return typeof remote === 'object' ? remote.version : undefined;
}

/** Whether the server has another version than the compared one, though with the same content. */
function hasMoved(before: Comparison, after: Comparison): boolean {
  if (typeof after.remote !== 'object') return false;
  return typeof before.remote !== 'object' || versionOf(before) !== versionOf(after);
}

function refuse(step: Step, { item, result }: Comparison, detail: string): void {
  addConflict(result, step, { id: item.id, kind: 'refused_there', detail });
}

function addOutcome(step: Step, decision: Decision, { item, result }: Comparison): void {
  if (decision.kind === 'conflict') addConflict(result, step, { id: item.id, kind: decision.conflict });
  else if (decision.kind === 'same') {
    result.links.push(item);
    result.outcomes.push('unchanged');
  } else result.outcomes.push(decision.kind === 'settled' ? 'unchanged' : 'skipped');
}

function put(
  { server, resourceType, signal }: Step,
  carried: Comparison,
  { upstream }: SyncDependencies,
): Promise<UpstreamResponse> {
  const version = versionOf(carried);
  const isNew = typeof carried.remote !== 'object';
  const condition: Record<string, string> = isNew
    ? { 'if-none-match': '*' }
    : version === undefined
      ? {}
      : { 'if-match': `W/"${version}"` };
  return upstream.send(server, {
    method: 'PUT',
    path: `/${resourceType}/${carried.item.id}`,
    body: carried.item.text,
    // The server may store another text than it received.
    headers: { prefer: 'return=representation', ...condition },
    maxBytes: RESOURCE_BYTES,
    takes: [...OVERTAKEN, ...REFUSED],
    signal,
  });
}
