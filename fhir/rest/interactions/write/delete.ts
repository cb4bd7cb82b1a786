// Delete, and conditional delete of one resource (hl7.org/fhir/R5/http.html#delete, #cdelete).

import { outcomeOfIssues } from '#fhir/resources/operation-outcome.ts';
import type { ResourceAddress } from '#fhir/store/read/lookup.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import type { DeleteInput } from '#fhir/store/write/write.ts';
import type { Transaction } from '#lib/db/database.ts';
import type { RouteContext } from '../../context.ts';
import { readChangeConditions } from '../../http/preferences.ts';
import type { FhirTypeOptions, WriteSteps } from '../../options.ts';
import { recordRefusals, refusalOptions } from '../../refusals.ts';
import type { FhirCall, FhirResponse } from '../call.ts';
import { readCondition, resolve } from './condition.ts';
import { completeWrite, planWrite } from './writing.ts';

/**
 * Deletes a resource. One that does not exist, and one that is hidden from the caller, get the same 204
 * (docs/adr/0059).
 * @throws ServiceError `precondition_failed`, `forbidden`, and the service's refusals
 */
export async function remove(call: FhirCall, address: ResourceAddress, context: RouteContext): Promise<FhirResponse> {
  const steps = await planWrite(call, { interaction: 'delete', ...address, resource: undefined }, context);
  const version = await call.execution.transaction(async (tx) => {
    await steps.before?.(tx);
    return removeOne(tx, call, { address, steps }, context);
  });
  // A transaction records it at its end.
  if (version === undefined && call.execution.within === undefined) await recordHiddenDeletion(call, address, context);
  return deleteResponse(call, version);
}

/** Records that the caller tried to delete what is there and hidden; of what is not there, nothing. */
export async function recordHiddenDeletion(
  { principal, origin }: FhirCall,
  address: ResourceAddress,
  { options }: RouteContext,
): Promise<void> {
  const refused = { method: 'DELETE', principal, origin, addresses: [address], status: 404 };
  await recordRefusals(refused, refusalOptions(options));
}

/**
 * Deletes the one resource that fulfils the address's query.
 * @throws ServiceError `precondition_failed` when several do
 */
export async function removeByCondition(
  call: FhirCall,
  type: FhirTypeOptions,
  context: RouteContext,
): Promise<FhirResponse> {
  const condition = readCondition(call, call.query, type, context);
  const version = await call.execution.transaction(async (tx) => {
    const found = await resolve(tx, condition, call, context);
    return found && removeOne(tx, call, { address: found, steps: {} }, context);
  });
  return deleteResponse(call, version);
}

/** What the store is to do. @throws ServiceError `invalid_request`, the service's refusals */
export function deleteInput(
  call: FhirCall,
  { resourceType, id }: ResourceAddress,
  { options }: RouteContext,
): DeleteInput {
  const conditions = readChangeConditions(call.conditions);
  return { resourceType, id, access: options.access(call.principal, 'delete'), ...conditions };
}

async function removeOne(
  tx: Transaction,
  call: FhirCall,
  { address, steps }: { readonly address: ResourceAddress; readonly steps: WriteSteps },
  context: RouteContext,
): Promise<StoredVersion | undefined> {
  const version = await context.options.store.delete(tx, deleteInput(call, address, context));
  if (version === undefined) return undefined;
  await completeWrite(tx, call, { interaction: 'delete', version, steps }, context);
  await context.options.deleted?.(tx, call.principal, [version]);
  return version;
}

/** 204, or 200 with the OperationOutcome that is preferred; a deletion has no representation. */
export function deleteResponse({ preferences }: FhirCall, version: StoredVersion | undefined): FhirResponse {
  const tag = version === undefined ? {} : { version };
  if (preferences.result !== 'OperationOutcome') return { status: 204, ...tag };
  return { status: 200, ...tag, text: JSON.stringify(outcomeOfIssues([])) };
}
