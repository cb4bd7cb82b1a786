// Patch by JSON Patch or FHIRPath Patch, of the resource at the address or of the one that a condition names
// (hl7.org/fhir/R5/http.html#patch). It is read, changed, validated and written under the row's lock.

import { parseExactJson } from '#fhir/json/exact-json.ts';
import { isJsonObject, type JsonObject } from '#fhir/patch/json-tree.ts';
import { type ResourceText, readResourceText } from '#fhir/resources/resource-text.ts';
import { findVisible } from '#fhir/store/read/find-visible.ts';
import { deletedError, type ResourceAddress } from '#fhir/store/read/lookup.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import { requireConditions } from '#fhir/store/read/version-match.ts';
import { isLong } from '#fhir/store/threads.ts';
import { refusedChange, requireNoReport } from '#fhir/store/write/write.ts';
import { REACHED_BY } from '#lib/auth/scopes.ts';
import type { Transaction } from '#lib/db/database.ts';
import { notFound, ServiceError } from '#lib/errors.ts';
import type { RouteContext } from '../../context.ts';
import { readChangeConditions } from '../../http/preferences.ts';
import type { FhirTypeOptions } from '../../options.ts';
import type { FhirCall, FhirResponse } from '../call.ts';
import { ownReport } from './admitted.ts';
import { readCondition, resolve } from './condition.ts';
import { type Change, type Patch, patching } from './patch-change.ts';
import { completeWrite, writeResponse } from './writing.ts';

/** @throws ServiceError `not_found`, `deleted`, `unprocessable`, `precondition_failed` */
export async function patch(
  call: FhirCall,
  { address, patch: change }: { readonly address: ResourceAddress; readonly patch: Patch },
  context: RouteContext,
): Promise<FhirResponse> {
  const patched = patching(change);
  const ready = await changeBefore(call, address, { change: patched, isPatch: true }, context);
  const version = await call.execution.transaction((tx) =>
    changeOne(tx, call, { address, change: patched, isPatch: true, ready }, context),
  );
  return writeResponse(seeing(call, address.resourceType, context), { version, isNew: false }, context);
}

/**
 * @throws ServiceError as `patch`; `not_found` when nothing fulfils the condition, `precondition_failed` when several
 * do
 */
export async function patchByCondition(
  call: FhirCall,
  { type, patch: change }: { readonly type: FhirTypeOptions; readonly patch: Patch },
  context: RouteContext,
): Promise<FhirResponse> {
  const condition = readCondition(call, call.query, type, context);
  const version = await call.execution.transaction(async (tx) => {
    const address = await resolve(tx, condition, call, context);
    if (address === undefined) throw notFound(`${type.type} that fulfils the condition`);
    return changeOne(tx, call, { address, change: patching(change), isPatch: true }, context);
  });
  return writeResponse(call, { version, isNew: false }, context);
}

/** A key that may change a resource and not see it is not shown the rest of it. */
function seeing(call: FhirCall, resourceType: string, { options }: RouteContext): FhirCall {
  const maySee = REACHED_BY.read.some((action) => options.hasRight(call.principal, resourceType, action));
  const { preferences } = call;
  if (maySee || preferences.result === 'minimal') return call;
  return { ...call, preferences: { ...preferences, result: 'minimal' } };
}

/** What a change makes of one version. */
interface ReadyChange {
  readonly version: number;
  readonly source: ResourceText | undefined;
}

export interface ChangeRequest {
  readonly address: ResourceAddress;
  readonly change: Change;
  /** What it makes of a version, when that has been found out. */
  readonly ready?: ReadyChange | undefined;
  /** It is a patch, and histories say so. */
  readonly isPatch?: boolean;
}

/** Reads, changes, validates and writes a resource under the row's lock. @throws ServiceError as `patch` */
export async function changeOne(
  tx: Transaction,
  call: FhirCall,
  { address: { resourceType, id }, change, isPatch = false, ready }: ChangeRequest,
  context: RouteContext,
): Promise<StoredVersion> {
  const { store, access: accessOf } = context.options;
  const access = accessOf(call.principal, 'patch');
  const conditions = readChangeConditions(call.conditions);
  const current = await lockForChange(tx, call, { address: { resourceType, id }, isPatch }, context);
  if (current.isDeleted) throw deletedError(current);
  requireNoReport(access(resourceType), current);
  const source =
    ready?.version === current.version ? ready.source : await changedSource(call, current.content, change, context);
  if (source === undefined) {
    requireConditions(conditions, current);
    return current;
  }
  if (source.resourceType !== resourceType)
    throw new ServiceError('unprocessable', 'A patch cannot change the resource type');
  const report = await ownReport(call, { source, interaction: 'patch', current }, context);
  const owner = report === undefined ? {} : { source: report.source, moveTo: report.organisation };
  const input = { resourceType, id, source, access, organisation: current.organisation, isPatch, ...owner };
  const { version } = await store.update(tx, { ...input, ...conditions });
  await completeWrite(tx, call, { interaction: 'patch', version, steps: {} }, context);
  await report?.written?.(tx, version);
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
  throw (await isSeen()) ? await refusedChange(tx, { ...address, access: change }) : missing();
}

/**
 * The result of a patch that is always costly, on the resource as it is now. It is computed before, so that nobody
 * waits for it with a lock and a connection. Undefined for any other, and where there is nothing to patch, which is
 * then refused.
 */
async function changeBefore(
  call: FhirCall,
  { resourceType, id }: ResourceAddress,
  { change, isPatch }: Pick<ChangeRequest, 'change' | 'isPatch'>,
  context: RouteContext,
): Promise<ReadyChange | undefined> {
  const { workerThreads, store, access } = context.options;
  if (workerThreads === undefined || call.execution.within !== undefined || !change.isCostly(0)) return undefined;
  const allowed = access(call.principal, isPatch === true ? 'patch' : 'read');
  const current = await findVisible(store, call.execution.db, { resourceType, id }, allowed);
  if (current === undefined) return undefined;
  return { version: current.version, source: await changedSource(call, current.content, change, context) };
}

async function changedSource(
  call: FhirCall,
  content: string,
  change: Change,
  { options: { workerThreads } }: RouteContext,
): Promise<ResourceText | undefined> {
  if (workerThreads !== undefined && (isLong({ text: content }) || change.isCostly(content.length))) {
    return workerThreads.patch(
      content,
      change.workerThreads,
      change.workerThreads.budget ?? workerThreads.budget(call.principal.id),
    );
  }
  const changed = change.now(resourceOf(content));
  return changed && readResourceText(JSON.stringify(changed));
}

function resourceOf(content: string): JsonObject {
  const resource = parseExactJson(content);
  if (!isJsonObject(resource)) throw new TypeError('A stored resource is a JSON object');
  return resource;
}
