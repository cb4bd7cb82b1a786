// Reads and checks responses of external servers: the content type and the content must be JSON, and the resource must
// have the requested type. Long responses are read in threads (docs/adr/0042).

import {
  entryResources,
  type ResourceText,
  readEntryResource,
  readResourceText,
} from '#fhir/resources/resource-text.ts';
import { sourceOf } from '#fhir/rest/threads/lazy-source.ts';
import type { ReadEntry } from '#fhir/rest/threads/tasks.ts';
import type { RequestBudget, WorkerThreads } from '#fhir/rest/threads/worker-threads.ts';
import { LONG } from '#fhir/store/threads.ts';
import { ServiceError } from '#lib/errors.ts';
import { decodeUtf8 } from '#lib/json/utf8.ts';
import type { UpstreamResponse } from './call.ts';
import { type HashOf, type HeadWork, headOf, MAX_URL, type ResourceHead } from './resource-head.ts';
import { UpstreamError } from './upstream-error.ts';

const JSON_TYPE = /^application\/(?:fhir\+)?json(?:\s*;|\s*$)/i;
/** As many as in the engine's own Bundles. */
const MAX_ENTRIES = 5000;

export interface ExpectedResource {
  /** The name of the server, for error messages. */
  readonly name: string;
  /** The permitted types; any when left out. */
  readonly types?: readonly string[];
  readonly id?: string;
}

/** The threads for long texts; all are read on the event loop when undefined. */
export type Threads = { readonly workerThreads: WorkerThreads; readonly budget: RequestBudget } | undefined;

/**
 * Reads the head of the resource in a response, and checks it.
 * @throws UpstreamError `not_fhir`, `too_large`; ServiceError `unavailable`
 */
export async function readResponse(
  answer: UpstreamResponse,
  { name, types, id }: ExpectedResource,
  { threads, hash }: { readonly threads: Threads; readonly hash?: HashOf },
): Promise<ResourceHead> {
  requireJson(answer, name);
  const head = await readChecked(answer, name, () => readHead(answer.body, threads, hash));
  if (types !== undefined && !types.includes(head.resourceType)) throw notFhir(answer, name, wrongType(types));
  if (id !== undefined && head.id !== id) throw notFhir(answer, name, 'it has another id');
  return head;
}

/**
 * Reads the head of any body.
 * @throws ServiceError `invalid_request` as `readResourceText`; as for all work in threads
 */
export async function readHead(body: Uint8Array, threads: Threads, hash?: HashOf): Promise<ResourceHead> {
  if (threads?.workerThreads.isLongBody(body.length, false) !== true) return headOf(body, hash);
  const work: HeadWork = { kind: 'head', body, isHashed: hash !== undefined };
  return (await threads.workerThreads.perform(work, threads.budget)) as ResourceHead;
}

/** A Bundle as a page of a search. */
export interface UpstreamPage {
  /** The entries with a resource. */
  readonly entries: readonly UpstreamEntry[];
  /** The URL of the next page, as received. */
  readonly next: string | undefined;
  readonly total: number | undefined;
}

export interface UpstreamEntry {
  /** The parsed entry; another value when it is not an object, or is too long. */
  readonly entry: unknown;
  /** @throws ServiceError `invalid_request` for a value that is not a resource */
  read(): ResourceText;
}

/** @throws UpstreamError `not_fhir`, `too_large`; ServiceError `unavailable` */
export async function readPage(answer: UpstreamResponse, name: string, threads: Threads): Promise<UpstreamPage> {
  requireJson(answer, name);
  const { body } = answer;
  const isLong = threads?.workerThreads.isLongBody(body.length, true) === true;
  const { entries, head } = await readChecked(answer, name, async () =>
    isLong ? readLongPage(body, threads) : readShortPage(body),
  );
  if (head.resourceType !== 'Bundle') throw notFhir(answer, name, wrongType(['Bundle']));
  if (entries.length > MAX_ENTRIES) throw notFhir(answer, name, `it has more than ${MAX_ENTRIES} entries`);
  const { total, link } = head.resource;
  return { entries, next: nextOf(link), total: typeof total === 'number' ? total : undefined };
}

interface ReadPage {
  readonly entries: readonly UpstreamEntry[];
  readonly head: ResourceText;
}

function readShortPage(body: Buffer): ReadPage {
  const head = readResourceText(decodeUtf8(body));
  const list: unknown = head.resource['entry'];
  const entries = entryResources(head).flatMap((given, place) =>
    given === undefined
      ? []
      : [{ entry: Array.isArray(list) ? list[place] : undefined, read: () => readEntryResource(head, given) }],
  );
  return { entries, head };
}

async function readLongPage(body: Buffer, { workerThreads, budget }: NonNullable<Threads>): Promise<ReadPage> {
  const entries: UpstreamEntry[] = [];
  const head = await workerThreads.readBundle(body, budget, (piece) => {
    for (const { entry, resource } of piece)
      if (resource !== undefined) entries.push({ entry, read: () => readSource(resource) });
  });
  return { entries, head: sourceOf(head) };
}

function readSource(resource: NonNullable<ReadEntry['resource']>): ResourceText {
  if (!('issue' in resource)) return sourceOf(resource);
  throw new ServiceError('invalid_request', resource.issue);
}

function nextOf(link: unknown): string | undefined {
  const list = Array.isArray(link) ? (link as ({ relation?: unknown; url?: unknown } | null)[]) : [];
  const url = list.find((each) => each?.relation === 'next')?.url;
  return typeof url === 'string' && url.length <= MAX_URL ? url : undefined;
}

/** Returns a member of a resource that may be long; undefined when the member itself is long. */
export function shortMember({ members, resource }: ResourceText, key: string): unknown {
  const member = members.find((each) => each.key === key);
  return member === undefined || member.end - member.valueStart > LONG ? undefined : resource[key];
}

/** Reads the OperationOutcome of an error response, which is short; undefined when there is none. */
export function outcomeIn(answer: UpstreamResponse): object | undefined {
  if (!JSON_TYPE.test(answer.headers['content-type'] ?? '') || isEncoded(answer)) return undefined;
  try {
    const source = readResourceText(decodeUtf8(answer.body));
    return source.resourceType === 'OperationOutcome' ? source.resource : undefined;
  } catch {
    return undefined;
  }
}

function requireJson(answer: UpstreamResponse, name: string): void {
  const type = answer.headers['content-type'] ?? '';
  if (!JSON_TYPE.test(type)) throw notFhir(answer, name, 'its content type is not JSON');
  if (isEncoded(answer)) throw notFhir(answer, name, 'its body is compressed, which was not asked for');
}

/** An invalid body is the server's error. */
async function readChecked<T>(answer: UpstreamResponse, name: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.code === 'unprocessable') throw new UpstreamError(name, { reason: 'too_large', status: answer.status });
    throw error.code === 'invalid_request' ? notFhir(answer, name, 'its body is no FHIR resource') : error;
  }
}

function notFhir({ status }: UpstreamResponse, name: string, detail: string): UpstreamError {
  return new UpstreamError(name, { reason: 'not_fhir', status, detail });
}

function wrongType(types: readonly string[]): string {
  return `it is no ${types.join(' or ')}`;
}

function isEncoded({ headers }: UpstreamResponse): boolean {
  return (headers['content-encoding'] ?? 'identity') !== 'identity';
}
