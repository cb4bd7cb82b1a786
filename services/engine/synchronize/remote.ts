// What the server has of resources whose ids are known, and many calls to it at the same time.

import type { UpstreamResponse } from '../shared/upstream/call.ts';
import { pageBelow } from '../shared/upstream/pages.ts';
import {
  outcomeIn,
  readAnswer,
  readPage,
  shortMember,
  type Threads,
  type Wanted,
} from '../shared/upstream/response.ts';
import { UpstreamError } from '../shared/upstream/upstream-error.ts';
import { contentHash } from './content-hash.ts';
import type { Step, SyncDependencies } from './step.ts';

/** So many are compared, and noted, together. */
export const CHUNK = 100;
/** So many are on their way to the server at the same time. */
const AT_ONCE = 8;
const PAGE_BYTES = 50 * 1024 * 1024;
export const RESOURCE_BYTES = 10 * 1024 * 1024;
const GONE = [404, 410];

export interface RemoteItem {
  readonly hash: Buffer;
  readonly version: string | undefined;
}

/**
 * What a search of the server finds of these, with the contents, or to tell whether they are there alone.
 * @throws UpstreamError
 */
export async function findRemote(
  step: Step,
  { ids, isForContent }: { readonly ids: readonly string[]; readonly isForContent: boolean },
  { upstream, hash, workerThreads }: SyncDependencies,
): Promise<ReadonlyMap<string, RemoteItem>> {
  const { server, resourceType, signal } = step;
  const found = new Map<string, RemoteItem>();
  if (ids.length === 0) return found;
  const query = new URLSearchParams({ _id: ids.join(','), _count: String(ids.length) });
  if (!isForContent) query.set('_elements', 'id');
  let path: string | undefined = `/${resourceType}?${query}`;
  for (let pages = 0; path !== undefined && pages <= ids.length; pages += 1) {
    const answer: UpstreamResponse = await upstream.send(server, { method: 'GET', path, maxBytes: PAGE_BYTES, signal });
    const page = await readPage(answer, server.name, threadsOf(workerThreads));
    for (const entry of page.entries) {
      const source = entry.read();
      const [id, meta] = [shortMember(source, 'id'), shortMember(source, 'meta')];
      if (source.resourceType !== resourceType || typeof id !== 'string') continue;
      const version = (meta as { versionId?: unknown } | null | undefined)?.versionId;
      found.set(id, { hash: await hash(source.text), version: isVersion(version) ? version : undefined });
    }
    path = page.next === undefined ? undefined : pageBelow(server, resourceType, page.next);
  }
  return found;
}

/** As a header may hold it. */
function isVersion(version: unknown): version is string {
  return typeof version === 'string' && /^[A-Za-z0-9.-]{1,64}$/.test(version);
}

/** For a piece of a job. */
export function threadsOf(workerThreads: SyncDependencies['workerThreads']): Threads {
  return workerThreads && { workerThreads, budget: workerThreads.patientBudget(undefined) };
}

/** Reads one resource; the status of the answer when the server says that it is not there. @throws UpstreamError */
export async function readRemote(
  { server, resourceType, signal }: Step,
  id: string,
  { upstream, workerThreads }: SyncDependencies,
): Promise<RemoteItem | 404 | 410> {
  const path = `/${resourceType}/${id}`;
  const answer = await upstream.send(server, { method: 'GET', path, maxBytes: RESOURCE_BYTES, takes: GONE, signal });
  if (answer.status >= 300) return answer.status === 410 ? 410 : 404;
  const { hash, versionId } = await readHashed(answer, { name: server.name, types: [resourceType], id }, workerThreads);
  return { hash, version: isVersion(versionId) ? versionId : undefined };
}

/**
 * What the server says that it has stored: a server may rewrite what it takes. Undefined where it answers nothing of
 * it; to ask afterwards would take somebody's later change for it.
 */
export async function storedBy(
  { resourceType, server }: Step,
  { id, answer }: { readonly id: string; readonly answer: UpstreamResponse },
  { workerThreads }: SyncDependencies,
): Promise<Buffer | undefined> {
  try {
    return (await readHashed(answer, { name: server.name, types: [resourceType], id }, workerThreads)).hash;
  } catch (error) {
    if (error instanceof UpstreamError) return undefined;
    throw error;
  }
}

async function readHashed(answer: UpstreamResponse, wanted: Wanted, workerThreads: SyncDependencies['workerThreads']) {
  const { hash = '', versionId } = await readAnswer(answer, wanted, {
    threads: threadsOf(workerThreads),
    hash: contentHash,
  });
  return { hash: Buffer.from(hash, 'hex'), versionId };
}

/** Does the work for each, several at the same time; all have ended when it does. @throws what one of them threw */
export async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  const results = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
  const failed = results.find((each) => each.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** What the server says is wrong. */
export function reasonIn(answer: UpstreamResponse): string {
  const outcome = outcomeIn(answer) as
    | { issue?: { details?: { text?: unknown }; diagnostics?: unknown }[] }
    | undefined;
  const texts = (Array.isArray(outcome?.issue) ? outcome.issue : [])
    .map((issue) => issue?.details?.text ?? issue?.diagnostics)
    .filter((text) => typeof text === 'string');
  return [`it answered ${answer.status}`, ...texts]
    .join('; ')
    .replace(/\p{Cc}/gu, ' ')
    .toWellFormed();
}
