// Builds the columns of ./hierarchy.ts from pairs of concepts. It holds at most six integers for each concept in
// memory, in any column store.

import { addBit, type Bitset, emptyBitset, hasBit } from './bitset.ts';
import type { ColumnStore } from './columns/column-store.ts';
import { type Ints, type PairBlocks, type Rows, rowOf, rowsOf } from './int-list.ts';

/**
 * The most ranges for each concept; only systems that are made to be costly have more, and these are walked instead.
 */
const MAX_RANGES_EACH = 16;

/** Pairs of a concept and its parent, and the same pairs the other way round. */
export interface Links {
  readonly parents: PairBlocks;
  readonly children: PairBlocks;
}

export interface HierarchyShape {
  /** Whether every rank equals the place. */
  readonly isInOrder: boolean;
  /** Whether the ranges of second parents are stored. */
  readonly hasRanges: boolean;
  /** Whether no concept is its own ancestor. */
  readonly isAcyclic: boolean;
}

/** Writes the hierarchy's columns to the store, as a generator whose steps leave the event loop free. */
export function* buildHierarchy(size: number, links: Links, store: ColumnStore): Generator<void, HierarchyShape> {
  const hasParents = storeParents(rowsOf(size, links.parents), store);
  yield;
  const children = rowsOf(size, links.children);
  yield;
  const { isAcyclic, ...order } = walkOrder(size, hasParents, children);
  yield;
  const hasRanges = isAcyclic && (yield* storeRanges(children, order, store));
  const { rank, end, byRank } = order;
  const isInOrder = byRank.every((place, index) => place === index);
  const { starts: childStarts, items: childItems } = children;
  for (const [name, items] of Object.entries({ childStarts, childItems, rank, end, byRank }))
    store.put(name as 'rank', items);
  return { isInOrder, hasRanges, isAcyclic };
}

/** The concepts that have a parent. */
function storeParents(parents: Rows, store: ColumnStore): Bitset {
  const size = parents.starts.length - 1;
  const hasParents = emptyBitset(size);
  for (let place = 0; place < size; place += 1) if (rowOf(parents, place).length > 0) addBit(hasParents, place);
  store.put('parentStarts', parents.starts);
  store.put('parentItems', parents.items);
  return hasParents;
}

interface Ranks {
  readonly rank: Int32Array;
  readonly end: Int32Array;
  readonly byRank: Int32Array;
}

interface WalkOrder extends Ranks {
  readonly isAcyclic: boolean;
}

const OPEN = -2;

function walkOrder(size: number, hasParents: Bitset, children: Rows): WalkOrder {
  const rank = new Int32Array(size).fill(-1);
  const end = new Int32Array(size);
  const byRank = new Int32Array(size);
  const walk = { rank, end, byRank, children, ranked: 0, isAcyclic: true };
  for (let place = 0; place < size; place += 1) if (!hasBit(hasParents, place)) walkFrom(place, walk);
  // The remaining concepts are in circles, or below one.
  for (let place = 0; place < size; place += 1) if (rank[place] === -1) walkFrom(place, walk);
  return { rank, end, byRank, isAcyclic: walk.isAcyclic };
}

interface Walk extends Ranks {
  readonly children: Rows;
  ranked: number;
  isAcyclic: boolean;
}

/** Depth first; a concept whose `end` is OPEN is an ancestor of the current one. */
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
      path.pop();
      next.pop();
    }
  }
}

/** Places in postorder: every descendant comes before its ancestors. */
function* finishedOrder({ byRank, end }: Ranks): Generator<number> {
  const open: number[] = [];
  for (let rank = 0; rank < byRank.length; rank += 1) {
    for (let last = open.at(-1); last !== undefined && (end[last] ?? 0) < rank; last = open.at(-1)) {
      yield last;
      open.pop();
    }
    open.push(byRank[rank] ?? 0);
  }
  yield* open.reverse();
}

/** Whether there are few enough of them to be stored. */
function* storeRanges(children: Rows, ranks: Ranks, store: ColumnStore): Generator<void, boolean> {
  const found = new FoundRanges(ranks.rank.length, store.list());
  let isKept = true;
  for (const place of finishedOrder(ranks)) {
    found.add(place, furtherRanges(place, { children, ranks, found }));
    isKept = found.count <= MAX_RANGES_EACH * ranks.rank.length;
    if (!isKept) break;
  }
  yield;
  if (isKept) found.storeIn(store);
  store.drop(found.list);
  return isKept;
}

/** The ranges of each concept's descendants outside its own range. */
class FoundRanges {
  readonly list: Ints;
  /** The index in the list of a place's ranges, which follow their count. */
  readonly #starts: Int32Array;
  count = 0;

  constructor(size: number, list: Ints) {
    this.#starts = new Int32Array(size);
    this.list = list;
    // No row is at index 0, which means none.
    list.push(0);
  }

  /** @param ranges pairs of first and last rank, in order */
  add(place: number, ranges: readonly number[]): void {
    if (ranges.length === 0) return;
    this.#starts[place] = this.list.length;
    this.count += ranges.length / 2;
    this.list.push(ranges.length);
    for (const each of ranges) this.list.push(each);
  }

  of(place: number): readonly number[] {
    const start = this.#starts[place] ?? 0;
    if (start === 0) return NONE;
    return Array.from({ length: this.list.at(start) }, (_, at) => this.list.at(start + 1 + at));
  }

  storeIn(store: ColumnStore): void {
    const [starts, items] = [store.ints('rangeStarts'), store.ints('rangeItems')];
    starts.push(0);
    for (let place = 0; place < this.#starts.length; place += 1) {
      for (const item of this.of(place)) items.push(item);
      starts.push(items.length);
    }
  }
}

const NONE: readonly number[] = [];

function furtherRanges(
  place: number,
  { children, ranks, found }: { readonly children: Rows; readonly ranks: Ranks; readonly found: FoundRanges },
): readonly number[] {
  const { rank, end } = ranks;
  const own = [rank[place] ?? 0, end[place] ?? 0] as const;
  const ranges: [number, number][] = [];
  const last = children.starts[place + 1] ?? 0;
  for (let at = children.starts[place] ?? 0; at < last; at += 1) {
    const child = children.items[at] ?? 0;
    addOutside(ranges, own, [rank[child] ?? 0, end[child] ?? 0]);
    const inherited = found.of(child);
    for (let each = 0; each < inherited.length; each += 2)
      addOutside(ranges, own, [inherited[each] ?? 0, inherited[each + 1] ?? 0]);
  }
  return ranges.length === 0 ? NONE : mergeRanges(ranges);
}

/** Ranges of the tree are nested or disjoint. */
function addOutside(ranges: [number, number][], own: readonly [number, number], range: [number, number]): void {
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
