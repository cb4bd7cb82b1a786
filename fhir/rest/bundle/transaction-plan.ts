// Plans the writes of a transaction. It decides which entries create resources under which ids, which refer to existing
// resources, and the addresses of their references to each other (hl7.org/fhir/R5/http.html#trules).

import type { ResourceText } from '#fhir/resources/resource-text.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import type { Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import { createSlices } from '#lib/jobs/slices.ts';
import type { RouteContext } from '../context.ts';
import type { FhirCall } from '../interactions/call.ts';
import { admitted } from '../interactions/write/admitted.ts';
import { readCondition, readNoneExist, readParameters, resolve } from '../interactions/write/condition.ts';
import { relinkedBy, unfulfilled } from '../interactions/write/conditional-references.ts';
import { requireId } from '../interactions/write/update.ts';
import { type EntryAddress, mayBeConditional } from '../links.ts';
import type { Placed } from '../options.ts';
import { resolveAllReferences } from './conditional-references.ts';
import { atEntry } from './failure.ts';
import { DanglingReferences, mayHavePlaceholder } from './placeholders.ts';
import type { BundleRequest } from './request.ts';
import { overBudget, type ResponseBudget } from './response-budget.ts';

export interface Plan {
  /**
   * Plans the writes whose conditional references only this bundle's own creates can fulfil. It is called after those
   * creates.
   */
  readonly planLate?: (() => Promise<Plan>) | undefined;
  readonly creates: readonly NewResource[];
  /** Conditional creates whose condition has found a stored resource. */
  readonly found: readonly { readonly request: BundleRequest; readonly version: StoredVersion }[];
  /** Conditional creates with the same condition as the entry `as`, which creates the resource. */
  readonly repeated: readonly { readonly request: BundleRequest; readonly as: number }[];
  readonly updates: readonly BundleRequest[];
  readonly patches: readonly BundleRequest[];
}

export interface NewResource {
  readonly request: BundleRequest;
  readonly source: ResourceText;
  readonly id: string;
  /** Every id of a plan's creates is generated with the plan. */
  readonly isNewId: true;
  readonly organisation: string | null;
  readonly companion?: Placed['companion'];
  readonly written?: Placed['written'];
  readonly isPut: boolean;
}

/** What an entry comes to: a new resource, a stored one, the resource of another entry, or an update at an address. */
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
 * Decides what each create and update comes to, rewrites their references and validates them.
 * @throws ServiceError with the entry's place
 */
export async function planWrites(
  tx: Transaction,
  call: FhirCall,
  { requests, budget }: { readonly requests: readonly BundleRequest[]; readonly budget: ResponseBudget },
  context: RouteContext,
): Promise<Plan> {
  const writes = requests.filter(({ interaction }) => interaction === 'create' || interaction === 'update');
  const meanings = await meaningsOf(tx, call, { writes, budget }, context);
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

/** Whether an entry creates a resource whatever is stored. */
export function isNew({ interaction, conditions, source }: BundleRequest): boolean {
  return (
    interaction === 'create' &&
    conditions.ifNoneExist === undefined &&
    source !== undefined &&
    !mayBeConditional(source.text)
  );
}

/** Plans entries of which each {@link isNew}. @throws ServiceError with the entry's place */
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
  context: RouteContext,
): Promise<NewResource> {
  try {
    context.options.access(call.principal, 'create');
    const placed = await admitted(call, { source, interaction: 'create' }, context);
    return {
      request,
      source: placed.source,
      id,
      isNewId: true,
      organisation: placed.organisation,
      companion: placed.companion,
      written: placed.written,
      isPut: request.interaction === 'update',
    };
  } catch (error) {
    throw atEntry(error, request);
  }
}

/** The meanings by the place of the entry. Entries with the same condition are resolved one after the other. */
async function meaningsOf(
  tx: Transaction,
  call: FhirCall,
  { writes, budget }: { readonly writes: readonly BundleRequest[]; readonly budget: ResponseBudget },
  context: RouteContext,
): Promise<ReadonlyMap<number, Meaning>> {
  const meanings = new Map<number, Meaning>();
  /**
   * A found version is held until its response is written, so its length is spent at once. Its text is kept only when
   * the response or the validation needs it.
   */
  const holdFor = (request: BundleRequest, version: StoredVersion): StoredVersion => {
    const kept = call.preferences.result === 'minimal' ? { ...version, content: '' } : version;
    if (!budget.take({ status: 200, text: kept.content })) throw atEntry(overBudget(), request);
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

/** Resolves a create with If-None-Exist, or an update by a condition. */
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
    // A stored resource with this id does not fulfil the condition, so it is not the one to update.
    return { kind: 'update', id: requireId(givenId), how: { conditions: { ...conditions, ifNoneMatch: '*' } } };
  } catch (error) {
    throw atEntry(error, request);
  }
}

/** The condition of the entry in one form, however it is written; empty when there is none. */
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
    // A create has a new id, and so cannot meet another entry.
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

/** Sorts by condition; entries with the same condition, or with none, stay in their order. */
function byCondition(writes: readonly BundleRequest[]): KeyedRequest[] {
  const keyed = writes.map((request) => ({ request, key: conditionKey(request) }));
  if (keyed.every(({ key }) => key === '')) return keyed;
  return keyed.sort((a, b) => {
    if (a.key === b.key) return a.request.index - b.request.index;
    return a.key < b.key ? -1 : 1;
  });
}

/** Two entries may turn out to update the same resource once their conditions are resolved. */
function requireDistinctMeanings(writes: readonly BundleRequest[], meanings: ReadonlyMap<number, Meaning>): void {
  requireDistinctTargets(
    writes.flatMap((request) => {
      const meaning = meanings.get(request.index);
      return meaning?.kind === 'update' ? [{ ...request, id: meaning.id, fullUrl: undefined }] : [];
    }),
  );
}

/** Rewrites the references in FHIRPath Patches. A JSON Patch is left as it is: its text is no resource. */
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

/** The address on the server of the resource of each fullUrl. */
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
