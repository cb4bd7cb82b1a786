// The OperationOutcome entry of a searchset that is incomplete (hl7.org/fhir/R5/search.html#entrymode).
import { outcomeOfIssues } from '#fhir/resources/operation-outcome.ts';
import { type IncludeCut, MAX_ROUNDS } from '#fhir/store/search/include.ts';
import { newGuid } from '#lib/guid.ts';
import type { BundleEntry } from '../http/bundle-text.ts';

const MESSAGES: Readonly<Record<IncludeCut, string>> = {
  size: 'More is included than one answer holds, and some is left out: ask for fewer matches with _count',
  depth: `:iterate follows ${MAX_ROUNDS} references one after the other, and what lies behind them is left out: search on from the last included`,
};

/** Says why some of what would be included is left out. */
export function cutEntry(cut: IncludeCut): BundleEntry {
  const outcome = outcomeOfIssues([{ message: MESSAGES[cut], severity: 'warning', code: 'incomplete' }]);
  return { fullUrl: `urn:uuid:${newGuid()}`, resource: JSON.stringify(outcome), search: { mode: 'outcome' } };
}
