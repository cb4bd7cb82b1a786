// The hierarchy of a code system: ancestors and descendants of a concept. A preorder walk of the tree of first parents
// gives each concept a rank, and its descendants the ranks up to an end. Descendants by second parents are further
// ranges of ranks. So subsumption is one comparison and a search among few ranges (Agrawal, Borgida, Jagadish:
// Efficient management of transitive relationships, 1989). ./hierarchy-build.ts builds it.
import { addBit, addRange, type Bitset, hasBit, members } from './bitset.ts';
import type { ColumnArrays } from './columns/columns.ts';
import type { StridedColumn } from './columns/interleaved-columns.ts';
import { type Rows, rowOf } from './int-list.ts';

type HierarchyColumns = Pick<
  ColumnArrays,
  'parentItems' | 'childItems' | 'rank' | 'end' | 'byRank' | 'rangeStarts' | 'rangeItems'
>;

/** The columns of a hierarchy. */
export interface BuiltHierarchy extends HierarchyColumns {
  readonly parentStarts: StridedColumn;
  readonly childStarts: StridedColumn;
  /** Whether every rank equals the place. */
  readonly isInOrder: boolean;
  /** Whether the ranges of second parents are stored. */
  readonly hasRanges: boolean;
}

export class Hierarchy {
  readonly #parents: Links;
  readonly #children: Links;
  readonly #order: Ranks;
  /**
   * Row `i` holds sorted pairs of first and last rank. Undefined for circles, and where there would be too many: then
   * the children are walked.
   */
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
    return linksOf(this.#parents, place);
  }

  childrenOf(place: number): Int32Array {
    return linksOf(this.#children, place);
  }

  /** Calls with each parent, in the order of `parentsOf`. */
  eachParent(place: number, visit: (parent: number) => void): void {
    eachLink(this.#parents, place, visit);
  }

  /** Calls with each child, in the order of `childrenOf`. */
  eachChild(place: number, visit: (child: number) => void): void {
    eachLink(this.#children, place, visit);
  }

  /** Whether the concept is the other or its descendant. */
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

  /** Adds the concept and its descendants. */
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

  /**
   * A page of the set, which has `count` members: at most `limit` after the first `offset`, in preorder of the tree of
   * first parents.
   */
  inOrder(bits: Bitset, { count, offset, limit }: SetPage): readonly number[] {
    const { byRank, isInOrder } = this.#order;
    if (isInOrder) return members(bits, offset, limit);
    if (count * FEW < byRank.length) return Array.from(this.#sorted(bits).subarray(offset, offset + limit));
    const found: number[] = [];
    const last = Math.min(count, offset + limit);
    for (let at = 0, passed = 0; passed < last; at += 1) {
      const place = byRank[at] ?? 0;
      if (!hasBit(bits, place)) continue;
      if (passed >= offset) found.push(place);
      passed += 1;
    }
    return found;
  }

  /** The sorted members are cached as long as the set. */
  #sorted(bits: Bitset): Int32Array {
    const known = sortedBefore.get(bits);
    if (known !== undefined) return known;
    const { rank } = this.#order;
    const sorted = Int32Array.from(members(bits)).sort((a, b) => (rank[a] ?? 0) - (rank[b] ?? 0));
    sortedBefore.set(bits, sorted);
    return sorted;
  }

  /** Adds the concept and its ancestors. */
  addAtOrAbove(place: number, bits: Bitset): void {
    this.#walk(place, this.#parents, bits);
  }

  #addRanks(from: number, to: number, bits: Bitset): void {
    const { byRank, isInOrder } = this.#order;
    if (isInOrder) addRange(bits, from, to);
    else for (let rank = from; rank <= to; rank += 1) addBit(bits, byRank[rank] ?? 0);
  }

  /** Visits each concept once, also in circles. */
  #walk(place: number, along: Links, bits: Bitset): void {
    const seen = new Uint32Array(bits.length);
    const open = [place];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (hasBit(seen, at)) continue;
      addBit(seen, at);
      addBit(bits, at);
      for (const next of linksOf(along, at)) open.push(next);
    }
  }
}

export interface SetPage {
  readonly count: number;
  readonly offset: number;
  readonly limit: number;
}

/** A set with less than this part of all concepts is sorted; for a larger one each rank is tested. */
const FEW = 32;
const sortedBefore = new WeakMap<Bitset, Int32Array>();

/** From each concept to others: those of a concept are the items from its start to the next one's. */
interface Links {
  readonly starts: StridedColumn;
  readonly items: Int32Array;
}

const NO_LINKS = new Int32Array(0);

/** It shares the memory of `items`. */
function linksOf({ starts, items }: Links, place: number): Int32Array {
  const [from, to] = [starts.at(place), starts.at(place + 1)];
  return from === to ? NO_LINKS : items.subarray(from, to);
}

/** Calls with each. Creating the array of a few takes longer than reading them. */
function eachLink({ starts, items }: Links, place: number, visit: (other: number) => void): void {
  const to = starts.at(place + 1);
  for (let at = starts.at(place); at < to; at += 1) visit(items[at] ?? 0);
}

interface Ranks {
  /** By place: its rank in the walk, and the last rank of its descendants in the tree. */
  readonly rank: Int32Array;
  readonly end: Int32Array;
  readonly byRank: Int32Array;
  /** Whether every rank equals the place, as for a nested list of concepts. */
  readonly isInOrder: boolean;
}

/** Whether one of the sorted pairs contains the rank. */
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
