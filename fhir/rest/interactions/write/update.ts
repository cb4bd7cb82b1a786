// Update, update as create, and conditional update (hl7.org/fhir/R5/http.html#update, #upsert, #cond-update).

import { isAddressableId } from '#fhir/primitives/primitives.ts';
import type { ResourceText } from '#fhir/resources/resource-text.ts';
import type { SearchQuery } from '#fhir/search/parse/query.ts';
import type { UpdateInput, WriteOutcome } from '#fhir/store/write/write.ts';
import type { Transaction } from '#lib/db/database.ts';
import { conflict, ServiceError } from '#lib/errors.ts';
import type { RouteContext } from '../../context.ts';
import { readChangeConditions } from '../../http/preferences.ts';
import type { FhirTypeOptions, Placed, WriteSteps } from '../../options.ts';
import { requireWhole } from '../../subset.ts';
import type { FhirCall, FhirResponse } from '../call.ts';
import { admitted } from './admitted.ts';
import { createCompanions } from './companions.ts';
import { readCondition, resolve } from './condition.ts';
import { resolveReferences } from './conditional-references.ts';
import { completeWrite, guardId, hasNoSteps, planWrite, writeResponse } from './writing.ts';

interface Update {
  readonly type: FhirTypeOptions;
  readonly source: ResourceText;
}

/**
 * Replaces the resource of the address, or makes it there.
 * @throws ServiceError as the store's update, and the service's refusals
 */
export async function update(
  call: FhirCall,
  {
    type,
    source: given,
    id,
    takesIdOfAddress = false,
  }: Update & { readonly id: string; readonly takesIdOfAddress?: boolean },
  context: RouteContext,
): Promise<FhirResponse> {
  const source = await resolveReferences(call, given, context);
  const input = await updateInput(call, { type, source, id, takesIdOfAddress }, context);
  await guardId(call, input, context);
  const write = { interaction: 'update', resourceType: type.type, id, resource: source.resource } as const;
  const steps = await planWrite(call, write, context);
  const { groups } = call.execution;
  const isPlain = input.companion === undefined && input.written === undefined && hasNoSteps(steps);
  const outcome =
    groups !== undefined && isPlain
      ? await groups.update(call, input)
      : await updateAlone(call, { input, steps }, context);
  return responseOf(call, { outcome, input }, context);
}

async function responseOf(
  call: FhirCall,
  { outcome: { version, kind }, input }: { readonly outcome: WriteOutcome; readonly input: PlacedUpdate },
  context: RouteContext,
): Promise<FhirResponse> {
  const answer = await writeResponse(call, { version, isNew: kind === 'created' }, context);
  return input.companion === undefined ? answer : { ...answer, hasCheckedReferences: true };
}

/**
 * What the store is to do for an update of an address.
 * @throws ServiceError `unprocessable`, `invalid_request`, the service's refusals
 */
export async function updateInput(
  call: FhirCall,
  { type, source, id, takesIdOfAddress }: Update & { readonly id: string; readonly takesIdOfAddress: boolean },
  context: RouteContext,
): Promise<UpdateInput & PlacedUpdate> {
  requireId(id);
  return { ...(await inputOf(call, { type, source }, context)), id, takesIdOfAddress };
}

function updateAlone(
  call: FhirCall,
  { input, steps }: { readonly input: UpdateInput & PlacedUpdate; readonly steps: WriteSteps },
  context: RouteContext,
): Promise<WriteOutcome> {
  return call.execution.transaction(async (tx) => {
    await steps.before?.(tx);
    const written = await context.options.store.update(tx, input);
    await completeUpdate(tx, call, { written, steps, input }, context);
    return written;
  });
}

/**
 * Replaces the one resource that fulfils the address's query, or makes one when there is none. The new one has the id
 * of the body, where that has one.
 * @throws ServiceError `precondition_failed` when several fulfil it; `invalid_request` when the body's id is another
 * than the found one's. Also `conflict`, when the body's id belongs to one that does not fulfil it
 */
export async function updateByCondition(
  call: FhirCall,
  { type, source: given }: Update,
  context: RouteContext,
): Promise<FhirResponse> {
  const condition = readCondition(call, call.query, type, context);
  const source = await resolveReferences(call, given, context);
  const input = await inputOf(call, { type, source }, context);
  await guardId(call, { resourceType: type.type, id: source.resource['id'] }, context);
  const outcome = await call.execution.transaction(async (tx) => {
    const written = await writeResolved(tx, { call, condition, input }, context);
    await completeUpdate(tx, call, { written, steps: {}, input }, context);
    return written;
  });
  return responseOf(call, { outcome, input }, context);
}

async function writeResolved(
  tx: Transaction,
  { call, condition, input }: { call: FhirCall; condition: SearchQuery; input: Omit<UpdateInput, 'id'> },
  context: RouteContext,
): Promise<WriteOutcome> {
  const { store } = context.options;
  const { source, organisation, ifMatch } = input;
  const found = await resolve(tx, condition, call, context);
  const givenId = source.resource['id'];
  if (found !== undefined) {
    if (givenId !== undefined && givenId !== found.id) {
      throw new ServiceError('invalid_request', `The resource's id is not that of the one found: ${found.id}`);
    }
    return store.update(tx, { ...input, id: found.id, takesIdOfAddress: true });
  }
  if (givenId === undefined) {
    if (ifMatch !== undefined)
      throw new ServiceError('precondition_failed', 'If-Match names a version, but there is none');
    return { kind: 'created', version: await store.create(tx, { source, organisation, isPut: true }) };
  }
  const id = requireId(givenId);
  const written = await store.update(tx, { ...input, id });
  if (written.kind === 'created') return written;
  throw conflict(`${input.resourceType}/${id} exists and does not fulfil the condition`);
}

async function completeUpdate(
  tx: Transaction,
  call: FhirCall,
  {
    written: { kind, version },
    steps,
    input,
  }: {
    readonly written: WriteOutcome;
    readonly steps: WriteSteps;
    readonly input: Pick<UpdateInput, 'organisation'> & PlacedUpdate;
  },
  context: RouteContext,
): Promise<void> {
  const interaction = kind === 'created' ? 'create' : 'update';
  const hasCheckedReferences = input.companion !== undefined;
  await completeWrite(tx, call, { interaction, version, steps, hasCheckedReferences }, context);
  await createCompanions(tx, call, [{ version, placed: input }], context);
}

/** What the service adds to the update. */
export type PlacedUpdate = Pick<Placed, 'companion' | 'written'>;

async function inputOf(
  call: FhirCall,
  { type, source }: Update,
  context: RouteContext,
): Promise<Omit<UpdateInput, 'id'> & PlacedUpdate> {
  const conditions = readChangeConditions(call.conditions);
  const { access = context.options.access(call.principal, 'update'), ...placed } = await admitted(
    call,
    { source, interaction: 'update' },
    context,
  );
  requireWhole(source);
  return { resourceType: type.type, access, ...placed, ...conditions };
}

/** @throws ServiceError `invalid_request` */
export function requireId(id: unknown): string {
  if (typeof id === 'string' && isAddressableId(id)) return id;
  const message = 'An id has 1 to 64 letters, digits, hyphens and dots, and is neither . nor ..';
  throw new ServiceError('invalid_request', message, { issues: [{ message, field: 'id', code: 'value' }] });
}
