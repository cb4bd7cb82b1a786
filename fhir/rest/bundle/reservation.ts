// Takes all locks of a transaction at its beginning, in an order that all transactions share. Two bundles about the
// same resources then go one after the other, and never deadlock.

import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import type { SearchQuery } from '#fhir/search/parse/query.ts';
import type { Transaction } from '#lib/db/database.ts';
import type { RouteContext } from '../context.ts';
import type { FhirCall } from '../interactions/call.ts';
import { readCondition, readNoneExist } from '../interactions/write/condition.ts';
import { atEntry } from './failure.ts';
import type { BundleRequest } from './request.ts';

/**
 * Reserves the conditions and the resources of all writes.
 * @throws ServiceError with the entry's place for a condition that cannot be read
 */
export async function reserveTargets(
  tx: Transaction,
  call: FhirCall,
  requests: readonly BundleRequest[],
  context: RouteContext,
): Promise<void> {
  const writes = requests.filter(({ method }) => method !== 'GET' && method !== 'HEAD');
  const conditions = writes.flatMap((request) => conditionOf(call, request, context) ?? []);
  const resources = writes.flatMap(({ type, id }) => (id === undefined ? [] : [{ resourceType: type.type, id }]));
  await context.options.store.reserve(tx, { conditions, resources });
}

/**
 * The order in which resources are reserved. Those that do not exist yet are created in it, so that their locks form no
 * circle either.
 */
export function byAddress(a: BundleRequest, b: BundleRequest): number {
  const byType = nameKey(a.type.type) - nameKey(b.type.type);
  if (byType !== 0) return byType;
  const [left, right] = [resourceKey(a.id ?? ''), resourceKey(b.id ?? '')];
  if (left === right) return a.index - b.index;
  return left < right ? -1 : 1;
}

function conditionOf(call: FhirCall, request: BundleRequest, context: RouteContext): SearchQuery | undefined {
  const { interaction, type, id, query, conditions } = request;
  try {
    if (interaction !== 'create') return id === undefined ? readCondition(call, query, type, context) : undefined;
    return conditions.ifNoneExist === undefined
      ? undefined
      : readNoneExist(call, conditions.ifNoneExist, type, context);
  } catch (error) {
    throw atEntry(error, request);
  }
}
