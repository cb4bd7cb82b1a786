// Plans the writes of a transaction: which entries create resources under which ids, which refer to existing resources,
// and the addresses of their references to each other (hl7.org/fhir/R5/http.html#trules).

import type { ResourceText } from '#fhir/resources/resource-text.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import type { Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import { createSlices } from '#lib/jobs/slices.ts';
import type { RouteContext } from '../context.ts';
import type { FhirCall } from '../interactions/call.ts';
import { readCondition, readNoneExist, readParameters, resolve } from '../interactions/write/condition.ts';
import { relinkedBy, unfulfilled } from '../interactions/write/conditional-references.ts';
import { requireId } from '../interactions/write/update.ts';
import { type EntryAddress, mayBeConditional } from '../links.ts';
import { resolveAllReferences } from './conditional-references.ts';
import { atEntry } from './failure.ts';
import { DanglingReferences, mayHavePlaceholder } from './placeholders.ts';
import type { BundleRequest } from './request.ts';
import { noRoom, type ResponseBudget } from './response-budget.ts';

export interface Plan {
  /** What refers by a condition to something that only this bundle makes is planned when that is made. */
  readonly planLate?: (() => Promise<Plan>) | undefined;
  readonly creates: readonly NewResource[];
  /** Conditional creates of what is there already. */
  readonly found: readonly { readonly request: BundleRequest; readonly version: StoredVersion }[];
  /** Conditional creates with the condition of the entry `as`, which makes the resource. */
  readonly repeated: readonly { readonly request: BundleRequest; readonly as: number }[];
  readonly updates: readonly BundleRequest[];
  readonly patches: readonly BundleRequest[];
}

export interface NewResource {
  readonly request: BundleRequest;
  readonly source: ResourceText;
  readonly id: string;
  /** Every id of a plan's creates is made with the plan. */
  readonly isNewId: true;
  readonly organisation: string | null;
  readonly isPut: boolean;
}

/**
 * What an entry's resource is to be: a new one, one that is there, the one of another entry, or an update of an
 * address.
 */
type Meaning =
  | { readonly kind: 'create'; readonly id: string }
  | { readonly kind: 'found'; readonly version: StoredVersion }
  | { readonly kind: 'repeated'; readonly as: number; readonly id: string }
  | { readonly kind: 'update'; readonly id: string; readonly how?: Partial<BundleRequest> };

/** @throws ServiceError `invalid_request` when two entries are about the same resource or have the same fullUrl */
export function requireDistinctTargets(requests: readonly BundleRequest[]): void {
  const targets = new Map<string, BundleRequest>();
  const claim = (what: string, request: BundleRequest) => {
    const other = targets.get(what);
    if (other !== undefined) throw overlap(request, other.index);
    targets.set(what, request);
  };
  for (const request of requests) {
    const { method, type, id, fullUrl } = request;
    if (method === 'GET' || method === 'HEAD') continue;
    if (id !== undefined) claim(`${type.type}/${id}`, request);
    if (fullUrl !== undefined && method !== 'DELETE' && method !== 'PATCH') claim(`fullUrl ${fullUrl}`, request);
  }
}

/**
 * Decides what each create and update means, puts their references right, and checks them.
 * @throws ServiceError with the entry's place
 */
export async function planWrites(
  tx: Transaction,
  call: FhirCall,
  { requests, room }: { readonly requests: readonly BundleRequest[]; readonly room: ResponseBudget },
  context: RouteContext,
): Promise<Plan> {
  const writes = requests.filter(({ interaction }) => interaction === 'create' || interaction === 'update');
  const meanings = await meaningsOf(tx, call, { writes, room }, context);
  requireDistinctMeanings(writes, meanings);
  const addresses = addressesOf(writes, meanings, context);
  const written = writes.filter(({ index }) => ['create', 'update'].includes(meanings.get(index)?.kind ?? ''));
  const early = await resolveAllReferences(tx, call, written, context);
  const isLate = ({ index }: BundleRequest) => {
    const meaning = meanings.get(index);
    return early.unresolved.has(meaning?.kind === 'repeated' ? meaning.as : index);
  };
  const drafts = { meanings, addresses, conditional: early.resolved };
  const plan = await planFor(
    call,
    writes.filter((request) => !isLate(request)),
    drafts,
    context,
  );
  const late = writes.filter(isLate);
  const planLate = async (): Promise<Plan> => {
    const { resolved, unresolved } = await resolveAllReferences(tx, call, late, context);
    for (const request of late) {
      const reference = unresolved.get(request.index);
      if (reference !== undefined) throw atEntry(unfulfilled(reference), request);
    }
    return planFor(call, late, { ...drafts, conditional: resolved }, context);
  };
  const patches = requests.filter(({ interaction }) => interaction === 'patch');
  return {
    ...plan,
    patches: await relinkedPatches(patches, addresses, context),
    planLate: late.length === 0 ? undefined : planLate,
  };
}

/** Whether an entry makes a new resource whatever there is. */
export function isNew({ interaction, conditions, source }: BundleRequest): boolean {
  return (
    interaction === 'create' &&
    conditions.ifNoneExist === undefined &&
    source !== undefined &&
    !mayBeConditional(source.text)
  );
}

/** What entries of which each {@link isNew} come to. @throws ServiceError with the entry's place */
export async function planNew(
  call: FhirCall,
  requests: readonly BundleRequest[],
  context: RouteContext,
): Promise<readonly NewResource[]> {
  const meanings = new Map(requests.map(({ index }) => [index, { kind: 'create', id: newGuid() } as const]));
  const addresses = addressesOf(requests, meanings, context);
  return (await planFor(call, requests, { meanings, addresses, conditional: new Map() }, context)).creates;
}

interface Drafts {
  readonly meanings: ReadonlyMap<number, Meaning>;
  readonly addresses: ReadonlyMap<string, EntryAddress>;
  readonly conditional: ReadonlyMap<string, string>;
}

async function planFor(
  call: FhirCall,
  writes: readonly BundleRequest[],
  { meanings, addresses, conditional }: Drafts,
  context: RouteContext,
): Promise<Plan> {
  const dangling = new DanglingReferences();
  const relinkedSource = async (request: BundleRequest): Promise<ResourceText> => {
    const { source, fullUrl } = request;
    if (source === undefined) throw new TypeError('A write has a resource');
    const isUnlinked = addresses.size === 0 && conditional.size === 0;
    if (isUnlinked && !mayHavePlaceholder(source.text)) return source;
    const found = await relinkedBy(source, { fullUrl, addresses, conditional }, context);
    dangling.note(request, found.dangling);
    return found.source;
  };
  const slices = createSlices();
  const plan = {
    creates: [] as NewResource[],
    found: [] as Plan['found'][number][],
    repeated: [] as Plan['repeated'][number][],
    updates: [] as BundleRequest[],
    patches: [],
  };
  for (const request of writes) {
    const meaning = meanings.get(request.index);
    if (meaning === undefined) continue;
    await slices.rest();
    if (meaning.kind === 'found') plan.found.push({ request, version: meaning.version });
    else if (meaning.kind === 'repeated') plan.repeated.push({ request, as: meaning.as });
    else if (meaning.kind === 'update')
      plan.updates.push({ ...request, ...meaning.how, id: meaning.id, source: await relinkedSource(request) });
    else {
      const source = await relinkedSource(request);
      plan.creates.push(await newResource(call, { request, source, id: meaning.id }, context));
    }
  }
  dangling.requireNone();
  return plan;
}

async function newResource(
  call: FhirCall,
  { request, source, id }: { readonly request: BundleRequest; readonly source: ResourceText; readonly id: string },
  { options }: RouteContext,
): Promise<NewResource> {
  try {
    options.access(call.principal, 'create');
    await options.store.check(source);
    const organisation = options.ownerOrganisation(source.resource, call.principal);
    return { request, source, id, isNewId: true, organisation, isPut: request.interaction === 'update' };
  } catch (error) {
    throw atEntry(error, request);
  }
}

/** By the entries' places. Entries with the same condition are looked at one after the other. */
async function meaningsOf(
  tx: Transaction,
  call: FhirCall,
  { writes, room }: { readonly writes: readonly BundleRequest[]; readonly room: ResponseBudget },
  context: RouteContext,
): Promise<ReadonlyMap<number, Meaning>> {
  const meanings = new Map<number, Meaning>();
  /**
   * What is found is held until it is answered, and so takes its room at once; its text only when that is to be sent,
   * or judged.
   */
  const holdFor = (request: BundleRequest, version: StoredVersion): StoredVersion => {
    const kept = call.preferences.result === 'minimal' ? { ...version, content: '' } : version;
    if (!room.take({ status: 200, text: kept.content })) throw atEntry(noRoom(), request);
    return kept;
  };
  const makers = new Map<string, { readonly index: number; readonly id: string; readonly isUpdate: boolean }>();
  for (const { request, key } of byCondition(writes)) {
    const { index, interaction, id } = request;
    if (interaction === 'update' && id !== undefined) meanings.set(index, { kind: 'update', id });
    else if (key === '') meanings.set(index, { kind: 'create', id: newGuid() });
    else {
      const maker = makers.get(key);
      if (maker !== undefined && (interaction === 'update' || maker.isUpdate)) throw overlap(request, maker.index);
      const meaning: Meaning =
        maker === undefined
          ? await meaningOfCondition(tx, call, request, context)
          : { kind: 'repeated', as: maker.index, id: maker.id };
      if (meaning.kind === 'create') makers.set(key, { index, id: meaning.id, isUpdate: interaction === 'update' });
      meanings.set(
        index,
        meaning.kind === 'found' ? { ...meaning, version: holdFor(request, meaning.version) } : meaning,
      );
    }
  }
  return meanings;
}

/** What a create with If-None-Exist, or an update by a condition, comes to. */
async function meaningOfCondition(
  tx: Transaction,
  call: FhirCall,
  request: BundleRequest,
  context: RouteContext,
): Promise<Meaning> {
  const { type, conditions, query, interaction, source } = request;
  try {
    if (interaction === 'create') {
      const condition = readNoneExist(call, conditions.ifNoneExist ?? '', type, context);
      const version = await resolve(tx, condition, call, context);
      return version === undefined ? { kind: 'create', id: newGuid() } : { kind: 'found', version };
    }
    const found = await resolve(tx, readCondition(call, query, type, context), call, context);
    if (found !== undefined) return { kind: 'update', id: found.id, how: { isIdResolved: true } };
    if (conditions.ifMatch !== undefined) {
      throw new ServiceError('precondition_failed', 'If-Match names a version, but there is none');
    }
    const givenId = source?.resource['id'];
    if (givenId === undefined) return { kind: 'create', id: newGuid() };
    // One that is there does not fulfil the condition, and so is not the one that is meant.
    return { kind: 'update', id: requireId(givenId), how: { conditions: { ...conditions, ifNoneMatch: '*' } } };
  } catch (error) {
    throw atEntry(error, request);
  }
}

/** The condition that decides what the entry means, the same however it is written; empty when there is none. */
function conditionKey({ type, conditions: { ifNoneExist }, interaction, id, query }: BundleRequest): string {
  if (interaction === 'create' && ifNoneExist === undefined) return '';
  if (interaction !== 'create' && id !== undefined) return '';
  const parameters = interaction === 'create' ? readParameters(ifNoneExist ?? '') : new URLSearchParams(query);
  parameters.sort();
  return `${type.type}?${parameters}`;
}

function overlap(request: BundleRequest, other: number): unknown {
  const message = `is about the same resource as entry ${other + 1}`;
  return atEntry(new ServiceError('invalid_request', message), request);
}

/** @throws ServiceError `invalid_request` when two entries have written the same resource, by whatever condition */
export function requireWrittenOnce(
  requests: readonly BundleRequest[],
  written: ReadonlyMap<number, StoredVersion>,
): void {
  const targets = new Map<string, number>();
  for (const request of requests) {
    // What a create makes has an id that was made with it.
    const version = request.interaction === 'create' ? undefined : written.get(request.index);
    if (version === undefined) continue;
    const address = `${version.resourceType}/${version.id}`;
    const other = targets.get(address);
    if (other !== undefined) throw overlap(request, other);
    targets.set(address, request.index);
  }
}

interface KeyedRequest {
  readonly request: BundleRequest;
  readonly key: string;
}

/** In the order of their conditions; those with the same, or with none, as they were given. */
function byCondition(writes: readonly BundleRequest[]): KeyedRequest[] {
  const keyed = writes.map((request) => ({ request, key: conditionKey(request) }));
  if (keyed.every(({ key }) => key === '')) return keyed;
  return keyed.sort((a, b) => {
    if (a.key === b.key) return a.request.index - b.request.index;
    return a.key < b.key ? -1 : 1;
  });
}

/** Conditions may turn out to mean what another entry writes. */
function requireDistinctMeanings(writes: readonly BundleRequest[], meanings: ReadonlyMap<number, Meaning>): void {
  requireDistinctTargets(
    writes.flatMap((request) => {
      const meaning = meanings.get(request.index);
      return meaning?.kind === 'update' ? [{ ...request, id: meaning.id, fullUrl: undefined }] : [];
    }),
  );
}

/** A FHIRPath Patch may hold references; the text of a JSON Patch is nobody's resource. */
async function relinkedPatches(
  requests: readonly BundleRequest[],
  addresses: ReadonlyMap<string, EntryAddress>,
  context: RouteContext,
): Promise<readonly BundleRequest[]> {
  const dangling = new DanglingReferences();
  const patches: BundleRequest[] = [];
  for (const request of requests) {
    const { source, fullUrl } = request;
    if (source?.resourceType !== 'Parameters') {
      patches.push(request);
      continue;
    }
    const found = await relinkedBy(source, { fullUrl, addresses, conditional: new Map() }, context);
    dangling.note(request, found.dangling);
    patches.push({ ...request, source: found.source });
  }
  dangling.requireNone();
  return patches;
}

/** What the resource of each fullUrl is called on the server. */
function addressesOf(
  writes: readonly BundleRequest[],
  meanings: ReadonlyMap<number, Meaning>,
  { options }: RouteContext,
): ReadonlyMap<string, EntryAddress> {
  return new Map(
    writes.flatMap(({ fullUrl, index, type, source }) => {
      const meaning = meanings.get(index);
      if (fullUrl === undefined || meaning === undefined) return [];
      const isFound = meaning.kind === 'found';
      const address = `${type.type}/${isFound ? meaning.version.id : meaning.id}`;
      const version = isFound ? meaning.version.version : meaning.kind === 'update' ? undefined : 1;
      const url = source?.resource['url'];
      const canonical = typeof url === 'string' ? url : `${options.baseUrl}/${address}`;
      return [[fullUrl, { address, version, canonical }]];
    }),
  );
}
