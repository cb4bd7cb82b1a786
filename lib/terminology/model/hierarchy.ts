// What lies above and below a concept, answered from numbers: a walk through the tree of first parents gives each concept a rank, and what
// lies below it in the tree the ranks up to an end. What lies below it by second parents is kept as further ranges of ranks
// (Agrawal, Borgida, Jagadish: Efficient management of transitive relationships, 1989), so that subsumption is one comparison and a
// search among few ranges.
import { addBit, addRange, type Bitset, hasBit } from './bitset.ts';
import type { ColumnArrays } from './columns.ts';
import { IntList, type Rows, rowOf, rowsOf } from './int-list.ts';

/** More ranges than this for each concept are not kept: only systems made to be costly need them; they are walked instead. */
const MAX_RANGES_EACH = 16;

type HierarchyColumns = Pick<
  ColumnArrays,
  | 'parentStarts'
  | 'parentItems'
  | 'childStarts'
  | 'childItems'
  | 'rank'
  | 'end'
  | 'byRank'
  | 'rangeStarts'
  | 'rangeItems'
>;

/** What a hierarchy is made of, as it is kept with the other columns. */
export interface BuiltHierarchy extends HierarchyColumns {
  /** Whether every rank is the place itself. */
  readonly isInOrder: boolean;
  /** Whether the ranges of second parents are there. */
  readonly hasRanges: boolean;
}

/** The hierarchy in which each of `parentOf` stands above the one of `childOf` at the same index. */
export function buildHierarchy(size: number, parentOf: Int32Array, childOf: Int32Array): BuiltHierarchy {
  const parents = rowsOf(size, childOf, parentOf);
  const children = rowsOf(size, parentOf, childOf);
  const { finished, isAcyclic, ...order } = walkOrder(size, parents, children);
  const ranges = isAcyclic ? furtherRanges(children, order, finished) : undefined;
  return {
    parentStarts: parents.starts,
    parentItems: parents.items,
    childStarts: children.starts,
    childItems: children.items,
    ...order,
    rangeStarts: ranges?.starts ?? new Int32Array(0),
    rangeItems: ranges?.items ?? new Int32Array(0),
    hasRanges: ranges !== undefined,
  };
}

export class Hierarchy {
  readonly #parents: Rows;
  readonly #children: Rows;
  readonly #order: Ranks;
  /** Row `i` holds pairs of first and last rank, in order. Undefined for circles, and where there would be too many: then the children are walked. */
  readonly #further: Rows | undefined;

  constructor(built: BuiltHierarchy) {
    this.#parents = { starts: built.parentStarts, items: built.parentItems };
    this.#children = { starts: built.childStarts, items: built.childItems };
    this.#order = built;
    this.#further = built.hasRanges ? { starts: built.rangeStarts, items: built.rangeItems } : undefined;
  }

  get isFlat(): boolean {
    return this.#children.items.length === 0;
  }

  parentsOf(place: number): Int32Array {
    return rowOf(this.#parents, place);
  }

  childrenOf(place: number): Int32Array {
    return rowOf(this.#children, place);
  }

  /** Whether the concept is the other, or lies somewhere below it. */
  isAtOrBelow(place: number, above: number): boolean {
    if (place === above) return true;
    const { rank, end } = this.#order;
    const at = rank[place] ?? 0;
    if (at >= (rank[above] ?? 0) && at <= (end[above] ?? 0)) return true;
    if (this.#further !== undefined) return isWithin(rowOf(this.#further, above), at);
    const seen = new Uint32Array((rank.length + 31) >>> 5);
    this.#walk(place, this.#parents, seen);
    return hasBit(seen, above);
  }

  /** Adds the concept and all below it. */
  addAtOrBelow(place: number, bits: Bitset): void {
    if (this.#further === undefined) {
      this.#walk(place, this.#children, bits);
      return;
    }
    const { rank, end } = this.#order;
    this.#addRanks(rank[place] ?? 0, end[place] ?? 0, bits);
    const ranges = rowOf(this.#further, place);
    for (let at = 0; at < ranges.length; at += 2) this.#addRanks(ranges[at] ?? 0, ranges[at + 1] ?? 0, bits);
  }

  /** Adds the concept and all above it. */
  addAtOrAbove(place: number, bits: Bitset): void {
    this.#walk(place, this.#parents, bits);
  }

  #addRanks(from: number, to: number, bits: Bitset): void {
    const { byRank, isInOrder } = this.#order;
    if (isInOrder) addRange(bits, from, to);
    else for (let rank = from; rank <= to; rank += 1) addBit(bits, byRank[rank] ?? 0);
  }

  /** Visits each once, whatever circles there are. */
  #walk(place: number, along: Rows, bits: Bitset): void {
    const seen = new Uint32Array(bits.length);
    const open = [place];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (hasBit(seen, at)) continue;
      addBit(seen, at);
      addBit(bits, at);
      for (const next of rowOf(along, at)) open.push(next);
    }
  }
}

interface Ranks {
  /** By place: when the walk came to it, and the last rank below it in the tree. */
  readonly rank: Int32Array;
  readonly end: Int32Array;
  readonly byRank: Int32Array;
  /** Whether every rank is the place itself, as where a nested list of concepts was read. */
  readonly isInOrder: boolean;
}

interface WalkOrder extends Ranks {
  readonly isAcyclic: boolean;
  /** Places such that whatever is below one comes before it. */
  readonly finished: Int32Array;
}

const OPEN = -2;

function walkOrder(size: number, parents: Rows, children: Rows): WalkOrder {
  const rank = new Int32Array(size).fill(-1);
  const end = new Int32Array(size);
  const byRank = new Int32Array(size);
  const finished = new IntList();
  const walk = { rank, end, byRank, finished, children, ranked: 0, isAcyclic: true };
  for (let place = 0; place < size; place += 1) if (rowOf(parents, place).length === 0) walkFrom(place, walk);
  // What is left lies in circles, or below one.
  for (let place = 0; place < size; place += 1) if (rank[place] === -1) walkFrom(place, walk);
  const isInOrder = byRank.every((place, index) => place === index);
  return { rank, end, byRank, isInOrder, isAcyclic: walk.isAcyclic, finished: finished.finish() };
}

interface Walk {
  readonly rank: Int32Array;
  readonly end: Int32Array;
  readonly byRank: Int32Array;
  readonly finished: IntList;
  readonly children: Rows;
  ranked: number;
  isAcyclic: boolean;
}

/** Depth first; a concept whose `end` is OPEN is above the one looked at. */
function walkFrom(root: number, walk: Walk): void {
  const { rank, end, children } = walk;
  const path: number[] = [];
  const next: number[] = [];
  const enter = (place: number): void => {
    rank[place] = walk.ranked;
    walk.byRank[walk.ranked++] = place;
    end[place] = OPEN;
    path.push(place);
    next.push(children.starts[place] ?? 0);
  };
  enter(root);
  while (path.length > 0) {
    const place = path[path.length - 1] ?? 0;
    const at = next[next.length - 1] ?? 0;
    if (at < (children.starts[place + 1] ?? 0)) {
      next[next.length - 1] = at + 1;
      const child = children.items[at] ?? 0;
      if (rank[child] === -1) enter(child);
      else if (end[child] === OPEN) walk.isAcyclic = false;
    } else {
      end[place] = walk.ranked - 1;
      walk.finished.push(place);
      path.pop();
      next.pop();
    }
  }
}

/** Of each concept the ranks below it that its own range does not hold. */
function furtherRanges(children: Rows, { rank, end }: Ranks, finished: Int32Array): Rows | undefined {
  const size = rank.length;
  const found = new Map<number, number[]>();
  let count = 0;
  for (const place of finished) {
    const ranges: [number, number][] = [];
    for (const child of rowOf(children, place)) {
      addOutside(ranges, [rank[child] ?? 0, end[child] ?? 0], [rank[place] ?? 0, end[place] ?? 0]);
      const inherited = found.get(child) ?? [];
      for (let at = 0; at < inherited.length; at += 2)
        addOutside(ranges, [inherited[at] ?? 0, inherited[at + 1] ?? 0], [rank[place] ?? 0, end[place] ?? 0]);
    }
    if (ranges.length === 0) continue;
    const merged = mergeRanges(ranges);
    count += merged.length / 2;
    if (count > MAX_RANGES_EACH * size) return undefined;
    found.set(place, merged);
  }
  return packRows(size, found);
}

/** Ranges of the tree lie within each other or apart. */
function addOutside(ranges: [number, number][], range: [number, number], own: readonly [number, number]): void {
  if (range[0] < own[0] || range[1] > own[1]) ranges.push(range);
}

function mergeRanges(ranges: [number, number][]): number[] {
  ranges.sort((a, b) => a[0] - b[0]);
  const merged: number[] = [];
  for (const [from, to] of ranges) {
    const last = merged[merged.length - 1];
    if (last === undefined || from > last + 1) merged.push(from, to);
    else merged[merged.length - 1] = Math.max(last, to);
  }
  return merged;
}

function packRows(size: number, rows: ReadonlyMap<number, readonly number[]>): Rows {
  const starts = new Int32Array(size + 1);
  const items = new IntList();
  for (let place = 0; place < size; place += 1) {
    for (const item of rows.get(place) ?? []) items.push(item);
    starts[place + 1] = items.length;
  }
  return { starts, items: items.finish() };
}

/** Pairs in order: whether one of them holds the rank. */
function isWithin(ranges: Int32Array, rank: number): boolean {
  let low = 0;
  let high = ranges.length / 2 - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    if (rank < (ranges[middle * 2] ?? 0)) high = middle - 1;
    else if (rank > (ranges[middle * 2 + 1] ?? 0)) low = middle + 1;
    else return true;
  }
  return false;
}
