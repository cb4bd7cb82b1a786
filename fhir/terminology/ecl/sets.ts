// Sets of concepts that expression constraints need: active concepts, and the relatives of a set.
import type { Steps } from '../content/unfinished.ts';
import {
  addBit,
  type Bitset,
  countBits,
  emptyBitset,
  fullBitset,
  hasBit,
  members,
  withoutBits,
} from '../model/bitset.ts';
import type { CodeSystemModel } from '../model/code-system-model.ts';
import type { HierarchyOperator } from './syntax.ts';

/** Words of a set that are read in one step: some tenths of a millisecond. */
const STRIDE = 256;

/** Visits each member; can be suspended. */
export function* eachMember(bits: Bitset, visit: (place: number) => void, stride = STRIDE): Steps<void> {
  for (let at = 0; at < bits.length; at += 1) {
    for (let word = bits[at] ?? 0; word !== 0; word &= word - 1) visit((at << 5) + 31 - Math.clz32(word & -word));
    if (at % stride === stride - 1) yield;
  }
}

const knownActive = new WeakMap<CodeSystemModel, Bitset>();

/** The active concepts. */
export function* activeConcepts(model: CodeSystemModel): Steps<Bitset> {
  const known = knownActive.get(model);
  if (known !== undefined) return known;
  const bits = fullBitset(model.size);
  const inactive = emptyBitset(model.size);
  yield* eachMember(bits, (place) => {
    if (model.isInactive(place)) addBit(inactive, place);
  });
  const found = withoutBits(bits, inactive);
  knownActive.set(model, found);
  return found;
}

type Along = (place: number) => Int32Array;

/** The relatives of a set; of a set of all concepts, too. */
export function relatives(model: CodeSystemModel, operator: HierarchyOperator, of: Bitset): Steps<Bitset> {
  const { hierarchy } = model;
  const up: Along = (place) => hierarchy.parentsOf(place);
  const down: Along = (place) => hierarchy.childrenOf(place);
  switch (operator) {
    case 'childOf':
      return nearest(down, of, false);
    case 'childOrSelfOf':
      return nearest(down, of, true);
    case 'parentOf':
      return nearest(up, of, false);
    case 'parentOrSelfOf':
      return nearest(up, of, true);
    case 'descendantOf':
      return descendants(model, of, false);
    case 'descendantOrSelfOf':
      return descendants(model, of, true);
    case 'ancestorOf':
      return all(up, of, false);
    case 'ancestorOrSelfOf':
      return all(up, of, true);
    case 'top':
      return extremes(of, all(down, of, false));
    case 'bottom':
      return extremes(of, all(up, of, false));
    default:
      return operator satisfies never;
  }
}

function* nearest(along: Along, of: Bitset, withSelf: boolean): Steps<Bitset> {
  const bits = withSelf ? of.slice() : new Uint32Array(of.length);
  yield* eachMember(of, (place) => {
    for (const other of along(place)) addBit(bits, other);
  });
  return bits;
}

/** Up to this many concepts are taken one by one, by the ranges of the hierarchy. */
const FEW = 16;

function* descendants(model: CodeSystemModel, of: Bitset, withSelf: boolean): Steps<Bitset> {
  const { hierarchy, size } = model;
  if (countBits(of) > FEW) return yield* all((place) => hierarchy.childrenOf(place), of, withSelf);
  const bits = emptyBitset(size);
  for (const place of members(of)) {
    if (withSelf) hierarchy.addAtOrBelow(place, bits);
    else for (const child of hierarchy.childrenOf(place)) hierarchy.addAtOrBelow(child, bits);
    yield;
  }
  return bits;
}

/** Concepts that are visited in one step. */
const VISITS = 8_192;

/** All that can be reached from the members; with themselves only where one is reached from another, or `withSelf`. */
function* all(along: Along, of: Bitset, withSelf: boolean): Steps<Bitset> {
  const bits = withSelf ? of.slice() : new Uint32Array(of.length);
  const open: number[] = [];
  const visit = (place: number): void => {
    for (const other of along(place)) {
      if (hasBit(bits, other)) continue;
      addBit(bits, other);
      // Members are visited in any case.
      if (!hasBit(of, other)) open.push(other);
    }
  };
  yield* eachMember(of, visit);
  let visited = 0;
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    visit(place);
    visited += 1;
    if (visited % VISITS === 0) yield;
  }
  return bits;
}

/** The members that cannot be reached from others. */
function* extremes(of: Bitset, reached: Steps<Bitset>): Steps<Bitset> {
  return withoutBits(of, yield* reached);
}
