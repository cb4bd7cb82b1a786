// The codes of the value sets that users' profiles ask for, and of the code systems that they have stored, computed from the catalog of the node when validation first asks: a write waits for
// no look-up, and what is stored of terminology is in force as soon as the node has taken it up.
import type { ValueSetLookup } from '#lib/fhir/validation/context.ts';
import type { Catalog } from '#lib/terminology/catalog/catalog.ts';
import type { CodeSelection } from '#lib/terminology/code-selection.ts';
import { UnfinishedWork } from '#lib/terminology/content/unfinished.ts';
import { TerminologyFault } from '#lib/terminology/fault.ts';
import { createValueSetSelector } from '#lib/terminology/terminology.ts';

/** More value sets than this are not kept: their canonicals are named by users. */
const KEPT = 1_000;

export function createBoundValueSets(catalog: Catalog): ValueSetLookup {
  const select = createValueSetSelector(catalog);
  const known = new Map<string, CodeSelection | string>();
  let { generation } = catalog;
  return {
    find: (canonical) => {
      if (catalog.generation !== generation) known.clear();
      generation = catalog.generation;
      const before = known.get(canonical);
      if (before !== undefined) return before;
      const found = selectionOf(select, canonical);
      if (found instanceof UnfinishedWork) {
        // A write waits for nothing: what is not known in time is known later, unless it is too costly altogether.
        found.finish().catch(() => {});
        return found.message;
      }
      if (known.size >= KEPT) known.clear();
      known.set(canonical, found);
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
    if (error instanceof UnfinishedWork) return error;
    if (error instanceof TerminologyFault) return error.message;
    throw error;
  }
}
