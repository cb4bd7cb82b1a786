// The references to results that a match has. Each report rewrites the row of the match, so they are bounded.
import { conflict } from '#lib/errors.ts';
import type { Match } from '../../shared/match-store.ts';

/** References of one match: three measurements a day for more than four years. */
export const MAX_RESULTS = 5_000;

/**
 * The references of the match and of a report, each once, in the order in which they came.
 * @throws ServiceError `conflict` for more than {@link MAX_RESULTS}
 */
export function addResults({ results }: Match, reported: readonly string[]): readonly string[] {
  const all = union(results, reported);
  if (all.length > Math.max(MAX_RESULTS, results.length)) {
    const counts = `has ${results.length} results, and takes at most ${MAX_RESULTS}`;
    throw conflict(`The request ${counts}; report them as FHIR resources with basedOn`);
  }
  return all;
}

/**
 * As {@link addResults}, for resources that the engine has stored already. Those above the bound are left out, and are
 * found in the record by `basedOn`.
 */
export function addWrittenResults({ results }: Match, written: readonly string[]): readonly string[] {
  return union(results, written).slice(0, Math.max(MAX_RESULTS, results.length));
}

function union(results: readonly string[], more: readonly string[]): readonly string[] {
  return [...new Set([...results, ...more])];
}
