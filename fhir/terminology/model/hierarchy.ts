// What lies above and below a concept, answered from numbers: a walk through the tree of first parents gives each
// concept a rank, and what lies below it in the tree the ranks up to an end. What lies below it by second parents is
// kept as further ranges of ranks (Agrawal, Borgida, Jagadish: Efficient management of transitive relationships, 1989),
// so that subsumption is one comparison and a search among few ranges. It is built in ./hierarchy-build.ts.
import { addBit, addRange, type Bitset, hasBit, members } from './bitset.ts';
import type { ColumnArrays } from './columns.ts';
import { type Rows, rowOf } from './int-list.ts';

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

export class Hierarchy {
  readonly #parents: Rows;
  readonly #children: Rows;
  readonly #order: Ranks;
  /**
   * Row `i` holds pairs of first and last rank, in order. Undefined for circles, and where there would be too many:
   * then the children are walked.
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

  /**
   * Of the set, which has `count` members, those after the first `offset` and at most `limit`: each before those below
   * it in the tree of first parents.
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

  /** Kept as long as the set, and no larger than it. */
  #sorted(bits: Bitset): Int32Array {
    const known = sortedBefore.get(bits);
    if (known !== undefined) return known;
    const { rank } = this.#order;
    const sorted = Int32Array.from(members(bits)).sort((a, b) => (rank[a] ?? 0) - (rank[b] ?? 0));
    sortedBefore.set(bits, sorted);
    return sorted;
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

export interface SetPage {
  readonly count: number;
  readonly offset: number;
  readonly limit: number;
}

/**
 * A set of less than one in so many concepts is put in order, of a larger one each rank is asked whether it is in it.
 */
const FEW = 32;
const sortedBefore = new WeakMap<Bitset, Int32Array>();

interface Ranks {
  /** By place: when the walk came to it, and the last rank below it in the tree. */
  readonly rank: Int32Array;
  readonly end: Int32Array;
  readonly byRank: Int32Array;
  /** Whether every rank is the place itself, as where a nested list of concepts was read. */
  readonly isInOrder: boolean;
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
