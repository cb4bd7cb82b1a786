// Finds circles in the hierarchy of a code system: concepts that are their own ancestors, for which subsumption is
// undefined.
import type { ColumnArrays } from '../model/columns/columns.ts';
import { type Rows, rowOf } from '../model/int-list.ts';

type Links = Pick<ColumnArrays, 'parentStarts' | 'parentItems' | 'childStarts' | 'childItems'>;

/** The circles of a code system whose columns are in files. */
export function circlesIn(columns: { read(name: keyof Links): Int32Array }): number[][] {
  const [parentStarts, parentItems] = [columns.read('parentStarts'), columns.read('parentItems')];
  const [childStarts, childItems] = [columns.read('childStarts'), columns.read('childItems')];
  return circlesOf({ parentStarts, parentItems, childStarts, childItems });
}

const SHOWN_OF_CIRCLE = 10;

/** The error of a circle. */
export function circleMessage(circle: readonly number[], codeAt: (place: number) => string): string {
  const code = codeAt(circle[0] ?? 0);
  const some = circle.slice(0, SHOWN_OF_CIRCLE).map(codeAt);
  const way = [...some, ...(circle.length > some.length ? ['…'] : []), code];
  return `the code ${code} stands above itself: ${way.join(' → ')}`;
}

/** The circles, each as the places of its concepts from child to parent; at least one of several connected circles. */
function circlesOf({ parentStarts, parentItems, childStarts, childItems }: Links): number[][] {
  const parents = { starts: parentStarts, items: parentItems };
  const children = { starts: childStarts, items: childItems };
  const size = parentStarts.length - 1;
  const left = new Uint8Array(size).fill(1);
  // Removes concepts that are not below a circle, then those not above one. The rest is in circles, or between them.
  peel(left, parents, children);
  peel(left, children, parents);
  const circles: number[][] = [];
  const walkedBy = new Int32Array(size);
  for (let start = 0; start < size; start += 1) {
    if (left[start] !== 1 || walkedBy[start] !== 0) continue;
    const circle = walkUp(start, { parents, left, walkedBy });
    if (circle !== undefined) circles.push(circle);
  }
  return circles;
}

/** Removes concepts without remaining links on one side, until there are none. */
function peel(left: Uint8Array, before: Rows, behind: Rows): void {
  const waitsFor = Int32Array.from(left, (is, place) =>
    is === 1 ? rowOf(before, place).reduce((sum, each) => sum + (left[each] ?? 0), 0) : -1,
  );
  const open: number[] = [];
  for (const [place, count] of waitsFor.entries()) if (count === 0) open.push(place);
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    left[place] = 0;
    for (const next of rowOf(behind, place)) {
      if (left[next] !== 1) continue;
      const count = (waitsFor[next] ?? 0) - 1;
      waitsFor[next] = count;
      if (count === 0) open.push(next);
    }
  }
}

interface Walk {
  readonly parents: Rows;
  readonly left: Uint8Array;
  /** The walk that reached each concept: its first place plus one; 0 for none. */
  readonly walkedBy: Int32Array;
}

/** The circle that a walk upwards finds; undefined when it reaches a concept of an earlier walk. */
function walkUp(start: number, { parents, left, walkedBy }: Walk): number[] | undefined {
  const path: number[] = [];
  let place = start;
  while (walkedBy[place] === 0) {
    walkedBy[place] = start + 1;
    path.push(place);
    place = rowOf(parents, place).find((each) => left[each] === 1) ?? place;
  }
  return walkedBy[place] === start + 1 ? path.slice(path.indexOf(place)) : undefined;
}
