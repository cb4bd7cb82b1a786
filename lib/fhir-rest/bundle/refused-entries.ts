// Entries of bundles that are refused are recorded as requests by themselves are (../refusals.ts).
import type { RouteContext } from '../context.ts';
import type { FhirCall } from '../interactions/call.ts';
import { isRefusal, recordRefusals, refusalOptions } from '../refusals.ts';
import { recordRefusedSearch } from '../refused-searches.ts';
import type { BundleRequest } from './request.ts';

/** Outside of transactions; `onFailure` hears when it cannot be recorded: what was refused stays refused. */
export async function recordRefusedEntries(
  { principal, origin }: FhirCall,
  entries: readonly BundleRequest[],
  { status, onFailure }: { readonly status: number; readonly onFailure: (error: unknown) => void },
  { options }: RouteContext,
): Promise<void> {
  if (!isRefusal(status)) return;
  for (const { method, type, id, interaction, query, compartment } of entries) {
    if (status === 403 && interaction === 'search-type') {
      const { aliases } = type.search ?? {};
      const search = { query, resourceType: type.type, compartment, ...(aliases === undefined ? {} : { aliases }) };
      await recordRefusedSearch({ principal, origin, ...search }, options).catch(onFailure);
    }
    if (id === undefined) continue;
    const addresses = [{ resourceType: type.type, id }];
    await recordRefusals({ method, principal, origin, addresses, status }, refusalOptions(options)).catch(onFailure);
  }
}
