// Bit sets of the concepts of one code system: 62 KB for half a million.

export type Bitset = Uint32Array;

export function emptyBitset(size: number): Bitset {
  return new Uint32Array((size + 31) >>> 5);
}

export function fullBitset(size: number): Bitset {
  const bits = emptyBitset(size).fill(0xff_ff_ff_ff);
  const rest = size & 31;
  if (rest !== 0) bits[bits.length - 1] = (1 << rest) - 1;
  return bits;
}

export function addBit(bits: Bitset, index: number): void {
  bits[index >>> 5] = (bits[index >>> 5] ?? 0) | (1 << (index & 31));
}

export function removeBit(bits: Bitset, index: number): void {
  bits[index >>> 5] = (bits[index >>> 5] ?? 0) & ~(1 << (index & 31));
}

export function hasBit(bits: Bitset, index: number): boolean {
  return (((bits[index >>> 5] ?? 0) >>> (index & 31)) & 1) === 1;
}

/** By block of 64 places: whether the set has a member there. */
const blocksOf = new WeakMap<Bitset, Bitset>();

function blocksWithMembers(bits: Bitset): Bitset {
  const known = blocksOf.get(bits);
  if (known !== undefined) return known;
  const blocks = emptyBitset((bits.length + 1) >>> 1);
  for (let at = 0; at < bits.length; at += 1) if ((bits[at] ?? 0) !== 0) addBit(blocks, at >>> 1);
  blocksOf.set(bits, blocks);
  return blocks;
}

/**
 * The given places that are in the set, in their order. The set must not change any more. A small set has members in
 * few blocks: nearly every place is ruled out by 1 kB that stays in the processor's nearest cache.
 */
export function membersAmong(bits: Bitset, places: Int32Array): number[] {
  const blocks = blocksWithMembers(bits);
  const found: number[] = [];
  // Inlined: of many thousand places few are in the set, and a call for each would take several times as long.
  for (let at = 0; at < places.length; at += 1) {
    const place = places[at] ?? 0;
    if ((((blocks[place >>> 11] ?? 0) >>> ((place >>> 6) & 31)) & 1) === 0) continue;
    if ((((bits[place >>> 5] ?? 0) >>> (place & 31)) & 1) === 1) found.push(place);
  }
  return found;
}

/** The given places that are in the set, in their order: for sets of which nearly every block has members. */
export function membersAt(bits: Bitset, places: Int32Array): number[] {
  const found: number[] = [];
  for (let at = 0; at < places.length; at += 1) {
    const place = places[at] ?? 0;
    if ((((bits[place >>> 5] ?? 0) >>> (place & 31)) & 1) === 1) found.push(place);
  }
  return found;
}

/** Adds `from`, `from + 1` … `to`. */
export function addRange(bits: Bitset, from: number, to: number): void {
  let index = from;
  while (index <= to && (index & 31) !== 0) addBit(bits, index++);
  const words = (to + 1) >>> 5;
  if (index >>> 5 < words) {
    bits.fill(0xff_ff_ff_ff, index >>> 5, words);
    index = words << 5;
  }
  while (index <= to) addBit(bits, index++);
}

export function andBits(a: Bitset, b: Bitset): Bitset {
  const found = new Uint32Array(a.length);
  for (let at = 0; at < a.length; at += 1) found[at] = (a[at] ?? 0) & (b[at] ?? 0);
  return found;
}

export function orBits(a: Bitset, b: Bitset): Bitset {
  const found = new Uint32Array(a.length);
  for (let at = 0; at < a.length; at += 1) found[at] = (a[at] ?? 0) | (b[at] ?? 0);
  return found;
}

/** The difference: members of the first set that are not in the second. */
export function withoutBits(a: Bitset, b: Bitset): Bitset {
  const found = new Uint32Array(a.length);
  for (let at = 0; at < a.length; at += 1) found[at] = (a[at] ?? 0) & ~(b[at] ?? 0);
  return found;
}

export function countBits(bits: Bitset): number {
  let count = 0;
  for (let at = 0; at < bits.length; at += 1) count += countWord(bits[at] ?? 0);
  return count;
}

function countWord(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55_55_55_55);
  const fours = (pairs & 0x33_33_33_33) + ((pairs >>> 2) & 0x33_33_33_33);
  return Math.imul((fours + (fours >>> 4)) & 0x0f_0f_0f_0f, 0x01_01_01_01) >>> 24;
}

/** The members in order, after the first `offset` of them and at most `limit`. */
export function members(bits: Bitset, offset = 0, limit = Number.POSITIVE_INFINITY): number[] {
  const found: number[] = [];
  let skip = offset;
  for (let at = 0; at < bits.length && found.length < limit; at += 1) {
    let word = bits[at] ?? 0;
    if (word === 0) continue;
    const count = skip === 0 ? 0 : countWord(word);
    if (skip > 0 && count <= skip) {
      skip -= count;
      continue;
    }
    for (; word !== 0 && found.length < limit; word &= word - 1) {
      if (skip > 0) skip -= 1;
      else found.push((at << 5) + 31 - Math.clz32(word & -word));
    }
  }
  return found;
}
