// Pulls one page of a type from the server, sorted by time. Its resources are compared under the locks of the local
// ones. They are written together with the checkpoint of the next page. After a crash the page is read again, and
// resources that are the same by then are left unchanged.

import { isAddressableId } from '#fhir/primitives/primitives.ts';
import type { ResourceText } from '#fhir/resources/resource-text.ts';
import type { UpdateInput } from '#fhir/store/write/write.ts';
import type { Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { DEFINITION_TYPES } from '../shared/definition-types.ts';
import { accessOf, ownerOf } from '../shared/policies.ts';
import { restorePrincipal } from '../shared/principal-json.ts';
import { pageBelow } from '../shared/upstream/pages.ts';
import { readPage, shortMember, type UpstreamEntry, type UpstreamPage } from '../shared/upstream/response.ts';
import { UpstreamError } from '../shared/upstream/upstream-error.ts';
import { afterPages, type Checkpoint } from './checkpoint.ts';
import type { ContentHasher } from './content-hash.ts';
import { decide } from './decide.ts';
import { findLinks } from './link-store.ts';
import { threadsOf } from './remote.ts';
import {
  addConflict,
  commitStep,
  emptyResult,
  lockSide,
  refusalOr,
  type Step,
  type StepResult,
  type SyncDependencies,
  saveStep,
  siteOf,
} from './step.ts';

const PAGE = 200;
const PAGE_BYTES = 50 * 1024 * 1024;
const MAX_RESTARTS = 20;

interface RemoteItem {
  readonly id: string;
  readonly source: ResourceText;
  readonly hash: Buffer;
}

interface RemotePage {
  /** The resources by id; the last one of each id. */
  readonly items: ReadonlyMap<string, RemoteItem>;
  readonly unreadable: readonly string[];
  readonly next: string | undefined;
  readonly total: number | undefined;
  /** The time of the last entry; undefined when the entries are not sorted by time. */
  readonly lastUpdated: string | undefined;
  readonly entries: number;
}

export async function pullPage(step: Step, deps: SyncDependencies): Promise<void> {
  const page = await fetchPage(step, deps);
  if (page === 'lost') return restart(step, deps);
  await commitStep(
    step,
    async (tx, result) => {
      for (const [place, detail] of page.unreadable.entries())
        addConflict(result, step, { id: `?${step.checkpoint.seen + place}`, kind: 'unreadable', detail });
      await applyItems(tx, { step, items: [...page.items.values()], result }, deps);
      return nextOf(step, page);
    },
    deps,
  );
}

/** @throws UpstreamError; a page that the server no longer knows is `lost` */
async function fetchPage(
  step: Step,
  { upstream, hash, workerThreads }: SyncDependencies,
): Promise<RemotePage | 'lost'> {
  const { server, checkpoint, resourceType } = step;
  try {
    const path = checkpoint.page ?? firstPage(step);
    const answer = await upstream.send(server, { method: 'GET', path, maxBytes: PAGE_BYTES, signal: step.signal });
    return await readItems(await readPage(answer, server.name, threadsOf(workerThreads)), step, hash);
  } catch (error) {
    const isGone = error instanceof UpstreamError && error.problem.reason === 'refused';
    const isDenied = isGone && [401, 403, 429].includes(error.problem.status ?? 0);
    if (isGone && !isDenied && checkpoint.page !== null && checkpoint.restarts < MAX_RESTARTS) return 'lost';
    if (isGone && !isDenied && checkpoint.page === null)
      throw new ServiceError('unprocessable', `${resourceType}: ${error.message}`);
    throw error;
  }
}

function firstPage({ job, checkpoint, resourceType }: Step): string {
  const query = new URLSearchParams({ _sort: '_lastUpdated', _count: String(PAGE) });
  const from = checkpoint.from ?? job.since?.toISOString();
  if (from !== undefined) query.set('_lastUpdated', `ge${from}`);
  return `/${resourceType}?${query}`;
}

async function restart(step: Step, deps: SyncDependencies): Promise<void> {
  const { checkpoint } = step;
  const next = { ...checkpoint, page: null, restarts: checkpoint.restarts + 1 };
  await saveStep(step, { next, result: emptyResult() }, deps);
}

/** @throws ServiceError `unprocessable` when the pages never end */
function nextOf(step: Step, page: RemotePage): Checkpoint {
  const { checkpoint, resourceType } = step;
  const seen = checkpoint.seen + page.entries;
  const total = page.total ?? checkpoint.total;
  if (page.next === undefined) return afterPages(checkpoint);
  const isEndless =
    page.next === checkpoint.page || (total !== null && seen > (total + 1000) * (checkpoint.restarts + 3));
  if (isEndless || page.entries === 0)
    throw new ServiceError('unprocessable', `${resourceType}: the pages of the server do not end`);
  const isSorted = checkpoint.isSorted && page.lastUpdated !== undefined;
  return { ...checkpoint, page: page.next, from: isSorted ? (page.lastUpdated ?? null) : null, isSorted, seen, total };
}

async function readItems(page: UpstreamPage, step: Step, hash: ContentHasher): Promise<RemotePage> {
  const items = new Map<string, RemoteItem>();
  const unreadable: string[] = [];
  const times: (string | undefined)[] = [];
  for (const given of page.entries) {
    if (!isMatch(given.entry)) continue;
    const item = await readItem(given, { resourceType: step.resourceType, hash });
    if ('problem' in item) unreadable.push(item.problem);
    else {
      items.set(item.id, item);
      times.push(timeOf(item.source));
    }
  }
  return {
    items,
    unreadable,
    next: nextLink(page, step),
    total: page.total,
    lastUpdated: isAscending(times) ? times.at(-1) : undefined,
    entries: items.size + unreadable.length,
  };
}

/** Whether the entry is a match: not an included resource, and not an outcome of the search. */
function isMatch(entry: unknown): boolean {
  const mode: unknown = objectOf(objectOf(entry)['search'])['mode'];
  return mode === undefined || mode === 'match';
}

async function readItem(
  given: UpstreamEntry,
  { resourceType, hash }: { readonly resourceType: string; readonly hash: ContentHasher },
): Promise<RemoteItem | { readonly problem: string }> {
  try {
    const source = given.read();
    if (source.resourceType !== resourceType) return { problem: `it is a ${source.resourceType.slice(0, 64)}` };
    const id = shortMember(source, 'id');
    if (typeof id !== 'string' || !isAddressableId(id)) return { problem: 'it has no id by which it could be read' };
    return { id, source, hash: await hash(source.text) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'it cannot be read' };
  }
}

function timeOf(source: ResourceText): string | undefined {
  const time = objectOf(shortMember(source, 'meta'))['lastUpdated'];
  return typeof time === 'string' && !Number.isNaN(Date.parse(time)) ? new Date(time).toISOString() : undefined;
}

function isAscending(times: readonly (string | undefined)[]): boolean {
  return times.every((time, place) => time !== undefined && (place === 0 || time >= (times[place - 1] ?? time)));
}

function nextLink({ next }: UpstreamPage, { server, resourceType }: Step): string | undefined {
  if (next === undefined) return undefined;
  const page = pageBelow(server, resourceType, next);
  if (page !== undefined) return page;
  throw new UpstreamError(server.name, { reason: 'not_fhir', detail: 'its next page lies elsewhere' });
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

interface Applied {
  readonly step: Step;
  readonly items: readonly RemoteItem[];
  readonly result: StepResult;
}

async function applyItems(tx: Transaction, { step, items, result }: Applied, deps: SyncDependencies): Promise<void> {
  const { job, resourceType } = step;
  const access = accessOf(restorePrincipal(job.principal));
  const ids = items.map(({ id }) => id);
  const links = await findLinks(tx, siteOf(step), ids);
  const wanted: { readonly item: RemoteItem; readonly outcome: 'created' | 'updated' }[] = [];
  // Sorted, so that transactions that lock several resources do not deadlock.
  for (const item of items.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
    const to = await lockSide(tx, { resourceType, id: item.id }, access, deps);
    const decision = decide({ from: item.hash, to, agreed: links.get(item.id), direction: 'pull' });
    if (decision.kind === 'conflict') addConflict(result, step, { id: item.id, kind: decision.conflict });
    else if (decision.kind === 'newer') result.outcomes.push('skipped');
    else if (decision.kind === 'settled') result.outcomes.push('unchanged');
    else if (decision.kind === 'same') {
      result.outcomes.push('unchanged');
      result.links.push(item);
    } else wanted.push({ item, outcome: decision.kind === 'create' ? 'created' : 'updated' });
  }
  if (job.dry_run) result.outcomes.push(...wanted.map(({ outcome }) => outcome));
  else await writeItems(tx, { step, wanted, result }, deps);
}

async function writeItems(
  tx: Transaction,
  {
    step,
    wanted,
    result,
  }: Omit<Applied, 'items'> & { readonly wanted: readonly { item: RemoteItem; outcome: 'created' | 'updated' }[] },
  { store }: SyncDependencies,
): Promise<void> {
  const principal = restorePrincipal(step.job.principal);
  const access = accessOf(principal);
  const inputs = wanted.map(({ item: { id, source } }): UpdateInput => {
    const organisation = ownerOf(source.resource, principal);
    return { resourceType: step.resourceType, id, source, organisation, access };
  });
  const isSingly = DEFINITION_TYPES.has(step.resourceType);
  const outcomes = isSingly ? [] : await store.updateMany(tx, inputs, { busy: 'wait' });
  for (const [place, { item, outcome }] of wanted.entries()) {
    const input = inputs[place];
    if (input === undefined) continue;
    const done = outcomes[place] ?? (await refusalOr(() => store.update(tx, input)));
    if (done instanceof ServiceError) {
      addConflict(result, step, { id: item.id, kind: 'refused_here', detail: done.message });
      continue;
    }
    result.outcomes.push(outcome);
    result.links.push(item);
    for (const patient of done.version.patients ?? []) result.patients.add(patient);
  }
}
