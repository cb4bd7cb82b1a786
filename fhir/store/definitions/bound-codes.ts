// Computes the codes of value sets that users' profiles bind, and of stored code systems, when validation first needs
// them. They come from the catalog of the node alone, so that stored terminology applies as soon as the node has loaded
// it. Long computations run in steps, for which threads can wait.

import type { Catalog } from '#fhir/terminology/catalog/catalog.ts';
import type { CodeSelection } from '#fhir/terminology/code-selection.ts';
import { finished, UnfinishedWork } from '#fhir/terminology/content/unfinished.ts';
import { createValueSetSelector } from '#fhir/terminology/terminology.ts';
import { TerminologyError } from '#fhir/terminology/terminology-error.ts';
import type { ComputedValueSets } from '#fhir/validation/context.ts';
import { createConcurrencyLimit } from '#lib/jobs/concurrency-limit.ts';

/** More value sets than this are not kept: their canonicals are named by users. */
const KEPT = 1_000;
/** So many are computed in steps at the same time: each step holds up the event loop for 10 ms. */
const AT_ONCE = 2;
/** So many more wait for their turn, and each for so long. */
const WAITING = 100;
const PATIENCE_MS = 60_000;

/** @param select throws a TerminologyError where the codes are not known, and UnfinishedWork where they take long */
export function createBoundValueSets(
  catalog: Catalog,
  select: (canonical: string) => CodeSelection = createValueSetSelector(catalog),
): ComputedValueSets {
  const known = new Map<string, CodeSelection | string>();
  const underWay = new Map<string, Promise<void>>();
  const timeoutError = (): Error => new Error('Too many value sets are computed');
  const inTurn = createConcurrencyLimit({ atOnce: AT_ONCE, patienceMs: PATIENCE_MS, timeoutError });
  let { generation } = catalog;
  const renew = (): void => {
    if (catalog.generation !== generation) known.clear();
    generation = catalog.generation;
  };
  const keep = (canonical: string, found: CodeSelection | string): void => {
    if (known.size >= KEPT) known.clear();
    known.set(canonical, found);
  };
  const compute = async (canonical: string, begun: UnfinishedWork): Promise<void> => {
    let of = generation;
    let first: UnfinishedWork | undefined = begun;
    const again = (): CodeSelection => {
      const goingOn = first;
      first = undefined;
      if (goingOn !== undefined) throw goingOn;
      of = catalog.generation;
      return select(canonical);
    };
    const found = await inTurn(() => finished(again)).catch(reasonOf);
    renew();
    if (of === generation) keep(canonical, found);
  };
  return {
    underWay: (canonical) => underWay.get(canonical),
    find: (canonical) => {
      renew();
      const before = known.get(canonical);
      if (before !== undefined) return before;
      if (underWay.has(canonical) || underWay.size >= WAITING) return `the value set ${canonical} takes too long`;
      const found = selectionOf(select, canonical);
      if (found instanceof UnfinishedWork) {
        // What fails is asked for again.
        const ending = compute(canonical, found)
          .catch(() => {})
          .finally(() => underWay.delete(canonical));
        underWay.set(canonical, ending);
        return found.message;
      }
      keep(canonical, found);
      return found;
    },
    hasCode: (system, code) =>
      catalog.codeSystems(system).some((edition) => {
        const model = edition.model();
        return model.find(code) >= 0 || model.findFolded(code) >= 0;
      }),
  };
}

/** The codes, or why they are not known. */
function selectionOf(
  select: (address: string) => CodeSelection,
  canonical: string,
): CodeSelection | string | UnfinishedWork {
  try {
    return select(canonical);
  } catch (error) {
    return error instanceof UnfinishedWork ? error : reasonOf(error);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof TerminologyError) return error.message;
  throw error;
}
