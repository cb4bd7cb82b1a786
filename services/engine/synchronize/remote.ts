// Reads resources with known ids from the server, with several calls at a time.

import type { UpstreamResponse } from '../shared/upstream/call.ts';
import { pageBelow } from '../shared/upstream/pages.ts';
import {
  type ExpectedResource,
  outcomeIn,
  readPage,
  readResponse,
  shortMember,
  type Threads,
} from '../shared/upstream/response.ts';
import { UpstreamError } from '../shared/upstream/upstream-error.ts';
import { contentHash } from './content-hash.ts';
import type { Step, SyncDependencies } from './step.ts';

/** How many resources are compared and stored together. */
export const CHUNK = 100;
/** How many calls run at the same time. */
const CONCURRENCY = 8;
const PAGE_BYTES = 50 * 1024 * 1024;
export const RESOURCE_BYTES = 10 * 1024 * 1024;
const GONE = [404, 410];

export interface RemoteItem {
  readonly hash: Buffer;
  readonly version: string | undefined;
}

/**
 * Searches the server for these ids, with the contents or only to see whether they exist.
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

/** Whether a version may be sent in a header. */
function isVersion(version: unknown): version is string {
  return typeof version === 'string' && /^[A-Za-z0-9.-]{1,64}$/.test(version);
}

/** Creates the threads of a part of a job. */
export function threadsOf(workerThreads: SyncDependencies['workerThreads']): Threads {
  return workerThreads && { workerThreads, budget: workerThreads.patientBudget(undefined) };
}

/** Reads one resource; returns the status when the server does not have it. @throws UpstreamError */
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
 * Reads the hash of what the server has stored from its response, because a server may rewrite a resource. Undefined
 * when the response has no resource. A later read might return somebody else's change.
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

async function readHashed(
  answer: UpstreamResponse,
  wanted: ExpectedResource,
  workerThreads: SyncDependencies['workerThreads'],
) {
  const { hash = '', versionId } = await readResponse(answer, wanted, {
    threads: threadsOf(workerThreads),
    hash: contentHash,
  });
  return { hash: Buffer.from(hash, 'hex'), versionId };
}

/** Does the work for each item, several at a time, and waits for all. @throws the error of one of them */
export async function forEachConcurrently<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  const results = await Promise.allSettled(Array.from({ length: CONCURRENCY }, worker));
  const failed = results.find((each) => each.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** Returns the error message of the server. */
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
