// Records the entries of a bundle that were refused, as single requests are recorded (../refusals.ts).
import type { ResourceAddress } from '#fhir/store/read/lookup.ts';
import type { RouteContext } from '../context.ts';
import type { FhirCall } from '../interactions/call.ts';
import { readParameters } from '../interactions/write/condition.ts';
import { isRefusal, recordRefusals, refusalOptions } from '../refusals.ts';
import { type RequestedSearch, recordRefusedSearch } from '../refused-searches.ts';
import { type EntryRequest, isOperation } from './request.ts';

/**
 * Writes outside of transactions. `onFailure` gets the error when nothing can be recorded: the entry is refused all the
 * same.
 */
export async function recordRefusedEntries(
  { principal, origin }: FhirCall,
  entries: readonly EntryRequest[],
  { status, onFailure }: { readonly status: number; readonly onFailure: (error: unknown) => void },
  { options }: RouteContext,
): Promise<void> {
  if (!isRefusal(status)) return;
  for (const entry of entries) {
    const search = status === 403 ? searchOf(entry) : undefined;
    if (search !== undefined) await recordRefusedSearch({ principal, origin, ...search }, options).catch(onFailure);
    const address = addressOf(entry);
    if (address === undefined) continue;
    const refused = { method: entry.method, principal, origin, addresses: [address], status };
    await recordRefusals(refused, refusalOptions(options)).catch(onFailure);
  }
}

function addressOf(entry: EntryRequest): ResourceAddress | undefined {
  if (isOperation(entry)) return entry.operation.instance;
  return entry.id === undefined ? undefined : { resourceType: entry.type.type, id: entry.id };
}

/** The search of an entry: its own, or the condition of its write. */
function searchOf(entry: EntryRequest): RequestedSearch | undefined {
  if (isOperation(entry)) {
    const { operation, query } = entry;
    return operation.searched && { query, resourceType: undefined, ...operation.searched };
  }
  const { interaction, type, id, query, compartment, conditions } = entry;
  const { aliases } = type.search ?? {};
  const asked = { resourceType: type.type, compartment, ...(aliases === undefined ? {} : { aliases }) };
  if (interaction === 'search-type') return { ...asked, query };
  if (interaction === 'create') {
    return conditions.ifNoneExist === undefined
      ? undefined
      : { ...asked, interaction, query: readParameters(conditions.ifNoneExist) };
  }
  // The history of a type, or a write by a condition.
  return id === undefined ? { ...asked, interaction, query } : undefined;
}
