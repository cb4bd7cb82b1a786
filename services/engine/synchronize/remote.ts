// What the server has of resources whose ids are known, and many calls to it at the same time.
import { entryResources, readEntryResource } from '#lib/fhir/resource-text.ts';
import { outcomeIn, readAnswer } from '../shared/upstream/answer.ts';
import type { UpstreamAnswer } from '../shared/upstream/call.ts';
import { pageBelow } from '../shared/upstream/pages.ts';
import { UpstreamError } from '../shared/upstream/upstream-error.ts';
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

/** What a search of the server finds of these, with the contents, or to tell whether they are there alone. @throws UpstreamError */
export async function findRemote(
  step: Step,
  { ids, isForContent }: { readonly ids: readonly string[]; readonly isForContent: boolean },
  { upstream, hash }: SyncDependencies,
): Promise<ReadonlyMap<string, RemoteItem>> {
  const { server, resourceType, signal } = step;
  const found = new Map<string, RemoteItem>();
  if (ids.length === 0) return found;
  const query = new URLSearchParams({ _id: ids.join(','), _count: String(ids.length) });
  if (!isForContent) query.set('_elements', 'id');
  let path: string | undefined = `/${resourceType}?${query}`;
  for (let pages = 0; path !== undefined && pages <= ids.length; pages += 1) {
    const answer: UpstreamAnswer = await upstream.send(server, { method: 'GET', path, maxBytes: PAGE_BYTES, signal });
    const bundle = readAnswer(answer, { name: server.name, types: ['Bundle'] });
    for (const given of entryResources(bundle)) {
      if (given === undefined) continue;
      const { text, resource, resourceType: type } = readEntryResource(bundle, given);
      const { id, meta } = resource as { id?: unknown; meta?: { versionId?: unknown } };
      if (type !== resourceType || typeof id !== 'string') continue;
      const version = meta?.versionId;
      found.set(id, { hash: await hash(text), version: isVersion(version) ? version : undefined });
    }
    path = nextOf(bundle.resource['link'], step);
  }
  return found;
}

/** As a header may hold it. */
function isVersion(version: unknown): version is string {
  return typeof version === 'string' && /^[A-Za-z0-9.-]{1,64}$/.test(version);
}

function nextOf(links: unknown, { server, resourceType }: Step): string | undefined {
  const list = Array.isArray(links) ? (links as { relation?: unknown; url?: unknown }[]) : [];
  const next = list.find((link) => link?.relation === 'next');
  return typeof next?.url === 'string' ? pageBelow(server, resourceType, next.url) : undefined;
}

/** Reads one resource; the status of the answer when the server says that it is not there. @throws UpstreamError */
export async function readRemote(
  { server, resourceType, signal }: Step,
  id: string,
  { upstream, hash }: SyncDependencies,
): Promise<RemoteItem | 404 | 410> {
  const path = `/${resourceType}/${id}`;
  const answer = await upstream.send(server, { method: 'GET', path, maxBytes: RESOURCE_BYTES, takes: GONE, signal });
  if (answer.status >= 300) return answer.status === 410 ? 410 : 404;
  const { text, resource } = readAnswer(answer, { name: server.name, types: [resourceType], id });
  const { meta } = resource as { meta?: { versionId?: unknown } };
  return { hash: await hash(text), version: isVersion(meta?.versionId) ? meta.versionId : undefined };
}

/**
 * What the server says that it has stored: a server may rewrite what it takes. Undefined where it answers nothing of it; to ask afterwards would take
 * somebody's later change for it.
 */
export async function storedBy(
  { resourceType, server }: Step,
  { id, answer }: { readonly id: string; readonly answer: UpstreamAnswer },
  { hash }: SyncDependencies,
): Promise<Buffer | undefined> {
  try {
    return await hash(readAnswer(answer, { name: server.name, types: [resourceType], id }).text);
  } catch (error) {
    if (error instanceof UpstreamError) return undefined;
    throw error;
  }
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
export function reasonIn(answer: UpstreamAnswer): string {
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
