// Patch by JSON Patch or FHIRPath Patch, of the resource at the address or of the one that a condition names
// (hl7.org/fhir/R5/http.html#patch): read, changed, validated and written under the row's lock.
import type { Transaction } from '#lib/db/database.ts';
import { notFound, ServiceError } from '#lib/errors.ts';
import { parseExactJson } from '#lib/fhir/exact-json.ts';
import { applyFhirPathPatch, type FhirPathPatch } from '#lib/fhir/patch/fhirpath-patch.ts';
import { applyJsonPatch, type JsonPatch } from '#lib/fhir/patch/json-patch.ts';
import { isJsonObject, type JsonObject } from '#lib/fhir/patch/json-tree.ts';
import { readResourceText } from '#lib/fhir/resource-text.ts';
import { deletedError, type ResourceAddress } from '#lib/fhir-store/lookup.ts';
import type { StoredVersion } from '#lib/fhir-store/stored-version.ts';
import { requireConditions } from '#lib/fhir-store/version-match.ts';
import { hiddenFailure } from '#lib/fhir-store/write.ts';
import type { RouteContext } from '../context.ts';
import type { FhirTypeOptions } from '../options.ts';
import { readChangeConditions } from '../preferences.ts';
import type { FhirAnswer, FhirCall } from './call.ts';
import { readCondition, resolve } from './condition.ts';
import { completeWrite, writeAnswer } from './writing.ts';

export type Patch =
  | { readonly kind: 'json'; readonly operations: JsonPatch }
  | { readonly kind: 'fhirpath'; readonly operations: FhirPathPatch };

/** @throws ServiceError `not_found`, `deleted`, `unprocessable`, `precondition_failed` */
export async function patch(
  call: FhirCall,
  { address, patch: change }: { readonly address: ResourceAddress; readonly patch: Patch },
  context: RouteContext,
): Promise<FhirAnswer> {
  const version = await call.workplace.transaction((tx) =>
    changeOne(tx, call, { address, change: patching(change), isPatch: true }, context),
  );
  return writeAnswer(seeing(call, address.resourceType, context), { version, isNew: false }, context);
}

/** @throws ServiceError as `patch`; `not_found` when nothing fulfils the condition, `precondition_failed` when several do */
export async function patchByCondition(
  call: FhirCall,
  { type, patch: change }: { readonly type: FhirTypeOptions; readonly patch: Patch },
  context: RouteContext,
): Promise<FhirAnswer> {
  const condition = readCondition(call, call.query, type, context);
  const version = await call.workplace.transaction(async (tx) => {
    const address = await resolve(tx, condition, call, context);
    if (address === undefined) throw notFound(`${type.type} that fulfils the condition`);
    return changeOne(tx, call, { address, change: patching(change), isPatch: true }, context);
  });
  return writeAnswer(call, { version, isNew: false }, context);
}

/** A key that may change a resource and not see it is not shown the rest of it. */
function seeing(call: FhirCall, resourceType: string, { options }: RouteContext): FhirCall {
  const maySee = (['r', 's'] as const).some((action) => options.hasRight(call.principal, resourceType, action));
  const { preferences } = call;
  if (maySee || preferences.result === 'minimal') return call;
  return { ...call, preferences: { ...preferences, result: 'minimal' } };
}

/** A resource as it is to be; undefined when it is that already. */
export type Change = (resource: JsonObject) => JsonObject | undefined;

export interface ChangeRequest {
  readonly address: ResourceAddress;
  readonly change: Change;
  /** It is a patch, and histories say so. */
  readonly isPatch?: boolean;
}

/** Reads, changes, validates and writes a resource under the row's lock. @throws ServiceError as `patch` */
export async function changeOne(
  tx: Transaction,
  call: FhirCall,
  { address: { resourceType, id }, change, isPatch = false }: ChangeRequest,
  context: RouteContext,
): Promise<StoredVersion> {
  const { store, access: accessOf } = context.options;
  const access = accessOf(call.principal, 'patch');
  const conditions = readChangeConditions(call.conditions);
  const current = await lockForChange(tx, call, { address: { resourceType, id }, isPatch }, context);
  if (current.isDeleted) throw deletedError(current);
  const changed = change(resourceOf(current));
  if (changed === undefined) {
    requireConditions(conditions, current);
    return current;
  }
  const source = readResourceText(JSON.stringify(changed));
  if (source.resourceType !== resourceType)
    throw new ServiceError('unprocessable', 'A patch cannot change the resource type');
  const input = { resourceType, id, source, access, organisation: current.organisation, isPatch };
  const { version } = await store.update(tx, { ...input, ...conditions });
  await completeWrite(tx, call, { interaction: 'patch', version, steps: {} }, context);
  return version;
}

/** @throws ServiceError `not_found`; `forbidden` for what the caller may read and not change */
async function lockForChange(
  tx: Transaction,
  { principal }: FhirCall,
  { address, isPatch }: { readonly address: ResourceAddress; readonly isPatch: boolean },
  { options: { store, access } }: RouteContext,
): Promise<StoredVersion> {
  const change = access(principal, 'patch');
  const isSeen = async () => (await store.lock(tx, address, access(principal, 'read'))) !== undefined;
  const missing = () => notFound(`${address.resourceType}/${address.id}`);
  // What is no patch answers with labels that its caller may see.
  if (!isPatch && !(await isSeen())) throw missing();
  const current = await store.lock(tx, address, change);
  if (current !== undefined) return current;
  throw (await isSeen()) ? hiddenFailure(address, change) : missing();
}

/** What leaves the resource as it is, a patch without operations above all, makes no version. */
function patching(change: Patch): Change {
  return (resource) => {
    const changed =
      change.kind === 'json'
        ? applyJsonPatch(resource, change.operations)
        : applyFhirPathPatch(resource, change.operations);
    return JSON.stringify(changed) === JSON.stringify(resource) ? undefined : changed;
  };
}

function resourceOf({ content }: StoredVersion): JsonObject {
  const resource = parseExactJson(content);
  if (!isJsonObject(resource)) throw new TypeError('A stored resource is a JSON object');
  return resource;
}
