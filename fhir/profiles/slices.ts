// Checks the slices of an element: the slice of each value, cardinality, order, and values outside every slice
// (hl7.org/fhir/R5/profiling.html#slicing).
import type { Item } from './items.ts';
import { matchesSlice } from './matching.ts';
import type { ProfileNode, Slicing } from './profile.ts';
import { atItem, countStep, type Run, report } from './run.ts';

interface Placed {
  readonly item: Item;
  /** The index of its slice; -1 for no slice. */
  readonly slice: number;
  /** Whether it may belong to a slice, but its reference cannot be resolved. */
  readonly isUncertain: boolean;
}

/** Checks the values of a sliced element. */
export function checkSlices(run: Run, node: ProfileNode, items: readonly Item[]): void {
  const { slicing, slices = [] } = node;
  if (slicing === undefined) return;
  const placed = items.map((item, index) => place(run, { slicing, slices }, item, index));
  checkOthers(run, slicing, slices, placed);
  if (slicing.isOrdered === true) checkOrder(run, slices, placed);
  const isUncertain = placed.some((each) => each.isUncertain);
  const bySlice = Map.groupBy(placed, ({ slice }) => slice);
  for (const [index, slice] of slices.entries()) {
    const own = (bySlice.get(index) ?? []).map(({ item }) => item);
    const { min: _min, ...withoutMinimum } = slice;
    const inSlice = { ...run, slice: slice.slice };
    run.checkElement(inSlice, isUncertain && own.length < (slice.min ?? 0) ? withoutMinimum : slice, own);
  }
}

function place(
  run: Run,
  { slicing, slices }: { slicing: Slicing; slices: readonly ProfileNode[] },
  item: Item,
  index: number,
): Placed {
  let isUncertain = false;
  let own = -1;
  for (const [sliceIndex, slice] of slices.entries()) {
    countStep(run);
    const candidate = { item, index, sliceIndex };
    const { match, isDecided } = matchesSlice({ ...run, slice: slice.slice }, slicing.by, slice, candidate);
    if (match === undefined) isUncertain = true;
    if (match !== true) continue;
    // Where no discriminator decides, a value belongs to the first slice whose rules it keeps.
    if (own < 0) own = sliceIndex;
    else if (isDecided) reportSecond(run, item, [slices[own]?.slice, slice.slice]);
    if (own !== sliceIndex || !isDecided) break;
  }
  return { item, slice: own, isUncertain: own < 0 && isUncertain };
}

/**
 * Reports a value that matches two slices: discriminators must distinguish all slices
 * (hl7.org/fhir/R5/profiling.html#discriminator).
 */
function reportSecond(run: Run, item: Item, names: readonly (string | undefined)[]): void {
  const message = `belongs to the slices ${names.join(' and ')}, and may belong to one only`;
  atItem(run, item, () => report(run, { code: 'structure', message }));
}

/** Checks the values outside every slice. */
function checkOthers(run: Run, { rules }: Slicing, slices: readonly ProfileNode[], placed: readonly Placed[]): void {
  if (rules === 'open') return;
  const last = placed.findLastIndex(({ slice }) => slice >= 0);
  const names = slices.map(({ slice }) => slice).join(', ');
  for (const [index, { item, slice, isUncertain }] of placed.entries()) {
    if (slice >= 0 || isUncertain || (rules === 'openAtEnd' && index > last)) continue;
    const where = rules === 'openAtEnd' ? 'others may stand at the end only' : 'there may be no others';
    atItem(run, item, () =>
      report(run, { code: 'structure', message: `belongs to none of the slices ${names}, and ${where}` }),
    );
  }
}

function checkOrder(run: Run, slices: readonly ProfileNode[], placed: readonly Placed[]): void {
  let highest = -1;
  for (const { item, slice } of placed) {
    if (slice < 0) continue;
    if (slice < highest) {
      const message = `must stand before the entries of the slice ${slices[highest]?.slice}`;
      atItem(run, item, () => report({ ...run, slice: slices[slice]?.slice }, { code: 'structure', message }));
    }
    highest = Math.max(highest, slice);
  }
}
