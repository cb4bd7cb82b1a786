// Carries out the planned creates, updates and deletes of a transaction in few statements.

import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import type { WriteOutcome } from '#fhir/store/write/write.ts';
import type { Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { createSlices } from '#lib/jobs/slices.ts';
import type { RouteContext } from '../context.ts';
import { recordAccess, recordChange } from '../interactions/access-records.ts';
import type { FhirCall, FhirResponse } from '../interactions/call.ts';
import { createCompanions } from '../interactions/write/companions.ts';
import { deleteInput, deleteResponse } from '../interactions/write/delete.ts';
import { updateInput } from '../interactions/write/update.ts';
import { writeResponse } from '../interactions/write/writing.ts';
import { atEntry, atEntryOf } from './failure.ts';
import type { BundleRequest } from './request.ts';
import { byAddress } from './reservation.ts';
import type { Plan } from './transaction-plan.ts';

export interface Writing {
  readonly tx: Transaction;
  readonly call: FhirCall;
  readonly plan: Plan;
  readonly answers: Map<number, FhirResponse>;
  /** Sets the response of an entry. @throws ServiceError when the response of the bundle would exceed its budget */
  readonly answer: (request: BundleRequest, answer: FhirResponse) => void;
}

export async function createAll({ tx, call, plan, answers, answer }: Writing, context: RouteContext): Promise<void> {
  const { store } = context.options;
  const created = await store.createMany(tx, plan.creates);
  const slices = createSlices();
  for (const [place, { request, source, id }] of plan.creates.entries()) {
    // In the order given, since a new id is never taken.
    const version = created[place];
    if (version?.id !== id) throw new Error(`${source.resourceType}/${id} was not created`);
    // Together they are no larger than the bundle of the request, so the budget need not bound them.
    answers.set(request.index, await writeResponse(call, { version, isNew: true }, context));
    await slices.rest();
  }
  await recordAll(tx, call, { kind: 'created', versions: created }, context);
  const withCompanions = plan.creates.flatMap((placed, place) => {
    const version = created[place];
    const hasMore = placed.companion !== undefined || placed.written !== undefined;
    return version === undefined || !hasMore ? [] : [{ version, placed }];
  });
  await createCompanions(tx, call, withCompanions, context);
  for (const { request, as } of plan.repeated) {
    const version = answers.get(as)?.version;
    if (version !== undefined) answer(request, await writeResponse(call, { version, isNew: false }, context));
    await slices.rest();
  }
}

/** Responds to conditional creates that have found a resource. Their budget was spent when it was found. */
export async function respondFound({ call, plan, answers }: Writing, context: RouteContext): Promise<void> {
  const versions = plan.found.map(({ version }) => version);
  for (const [resourceType, seen] of Map.groupBy(versions, (version) => version.resourceType)) {
    await recordAccess(call, { action: 'R', interaction: 'read', resourceType, versions: seen }, context);
  }
  const slices = createSlices();
  for (const { request, version } of plan.found) {
    answers.set(request.index, await writeResponse(call, { version, isNew: false }, context));
    await slices.rest();
  }
}

/** Updates resources together. Returns the requests that must run one by one, in their order. */
export async function updateAll(
  { tx, call, plan, answer }: Writing,
  context: RouteContext,
): Promise<readonly BundleRequest[]> {
  const updates = plan.updates.toSorted(byAddress);
  const inputs = [];
  for (const request of updates) {
    const { type, source, id = '', query, conditions, isIdResolved = false } = request;
    if (source === undefined) throw new TypeError('An update has a resource');
    const given = { type, source, id, takesIdOfAddress: isIdResolved };
    inputs.push(await atEntryOf(request, () => updateInput({ ...call, query, conditions }, given, context)));
  }
  const outcomes = inputs.length === 0 ? [] : await context.options.store.updateMany(tx, inputs, { busy: 'wait' });
  const left: BundleRequest[] = [];
  const done: WriteOutcome[] = [];
  const slices = createSlices();
  for (const [place, request] of updates.entries()) {
    const outcome = outcomes[place];
    if (outcome instanceof ServiceError) throw atEntry(outcome, request);
    if (outcome === undefined) {
      left.push(request);
      continue;
    }
    done.push(outcome);
    const placed = inputs[place];
    if (placed !== undefined) await createCompanions(tx, call, [{ version: outcome.version, placed }], context);
    answer(
      request,
      await writeResponse(call, { version: outcome.version, isNew: outcome.kind === 'created' }, context),
    );
    await slices.rest();
  }
  for (const [kind, of] of Map.groupBy(done, (outcome) => outcome.kind)) {
    await recordAll(tx, call, { kind, versions: of.map(({ version }) => version) }, context);
  }
  return left;
}

/** Deletes resources by their address together. Returns the requests that must run one by one. */
export async function deleteAll(
  { tx, call, answer }: Omit<Writing, 'plan' | 'answers'>,
  deletes: readonly BundleRequest[],
  context: RouteContext,
): Promise<readonly BundleRequest[]> {
  const named = deletes.flatMap((request) => (request.id === undefined ? [] : [{ ...request, id: request.id }]));
  if (named.length === 0) return deletes;
  const inputs = [];
  for (const request of named) {
    const { type, id, query, conditions } = request;
    const given = { resourceType: type.type, id };
    inputs.push(await atEntryOf(request, () => deleteInput({ ...call, query, conditions }, given, context)));
  }
  const outcomes = await context.options.store.deleteMany(tx, inputs);
  const deleted: StoredVersion[] = [];
  const done = new Set<number>();
  for (const [place, request] of named.entries()) {
    const outcome = outcomes[place];
    if (outcome instanceof ServiceError) throw atEntry(outcome, request);
    if (outcome === undefined) continue;
    done.add(request.index);
    if (outcome !== 'nothing') deleted.push(outcome);
    answer(request, deleteResponse(call, outcome === 'nothing' ? undefined : outcome));
  }
  await recordAll(tx, call, { kind: 'deleted', versions: deleted }, context);
  if (deleted.length > 0) await context.options.deleted?.(tx, call.principal, deleted);
  return deletes.filter(({ index }) => !done.has(index));
}

const HOW = {
  created: { action: 'C', interaction: 'create' },
  updated: { action: 'U', interaction: 'update' },
  deleted: { action: 'D', interaction: 'delete' },
} as const;

/** Records the changes by type: the audit then has one event for each patient and type. */
async function recordAll(
  tx: Transaction,
  call: FhirCall,
  { kind, versions }: { readonly kind: keyof typeof HOW; readonly versions: readonly StoredVersion[] },
  context: RouteContext,
): Promise<void> {
  const byType = [...Map.groupBy(versions, (version) => version.resourceType)];
  const changes = byType.map(([resourceType, of]) => ({ ...HOW[kind], resourceType, versions: of }));
  await recordChange(tx, call, changes, context);
}
