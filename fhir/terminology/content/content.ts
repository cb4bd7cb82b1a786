// The content of a value set: its codes by system, in the order of the list. A known code system has a set of its
// concepts. Another one has a list of codes, or all codes except some (LOINC without these three). Operations on two
// contents run in steps, as they may list hundreds of thousands of codes.
import { append } from '#lib/append.ts';
import type { Json } from '../json.ts';
import {
  addBit,
  andBits,
  type Bitset,
  countBits,
  emptyBitset,
  fullBitset,
  hasBit,
  members,
  orBits,
  withoutBits,
} from '../model/bitset.ts';
import type { Designation } from '../model/code-system-model.ts';
import type { SystemView } from './system-view.ts';
import { type Steps, strides } from './unfinished.ts';

/** The value set's own members of a code that it lists. */
export interface Listed {
  readonly code: string;
  readonly display: string | undefined;
  readonly designations: readonly Designation[];
  /** The extensions that are kept (../model/extensions.ts). */
  readonly extensions: readonly Json[];
}

export interface KnownPart {
  readonly kind: 'known';
  readonly system: string;
  readonly view: SystemView;
  readonly bits: Bitset;
  /** The order of the concepts; undefined for preorder of the code system's hierarchy. */
  readonly order: readonly number[] | undefined;
  readonly listed: ReadonlyMap<number, Listed>;
  /** Whether codes that the code system does not list are in it too: a whole system that is known only in part. */
  readonly isOpen: boolean;
  /** Whether it can be shown as a hierarchy: whole systems and their branches. */
  readonly isTree: boolean;
  /** Whether the value set takes the whole code system. */
  readonly isWhole: boolean;
  /** The version of the code system as the value set names it. */
  readonly named: string | undefined;
  /** Inactive concepts that are left out, but would be in it; undefined where none are left out. */
  readonly inactive: Bitset | undefined;
}

export interface LoosePart {
  readonly kind: 'loose';
  /** `''` for no system. */
  readonly system: string;
  readonly version: string | undefined;
  /** The version of the code system as the value set names it. */
  readonly named: string | undefined;
  readonly isAllBut: boolean;
  readonly codes: ReadonlyMap<string, Listed>;
}

export type Part = KnownPart | LoosePart;
export type Content = readonly Part[];

export function knownPart(view: SystemView, bits: Bitset, more: Partial<KnownPart> = {}): KnownPart {
  const system = view.model.meta.url;
  return {
    kind: 'known',
    system,
    view,
    bits,
    order: undefined,
    listed: new Map(),
    isOpen: false,
    isTree: false,
    isWhole: false,
    named: undefined,
    inactive: undefined,
    ...more,
  };
}

export function wholePart(view: SystemView): KnownPart {
  const { model } = view;
  return knownPart(view, fullBitset(model.size), { isOpen: !model.isComplete, isTree: true, isWhole: true });
}

export function loosePart(system: string, version: string | undefined, more: Partial<LoosePart>): LoosePart {
  return { kind: 'loose', system, version, named: undefined, isAllBut: false, codes: new Map(), ...more };
}

export function isInPart(part: Part, code: string): boolean {
  if (part.kind === 'loose') return part.codes.has(code) !== part.isAllBut;
  const place = part.view.model.find(code);
  return place === -1 ? part.isOpen : hasBit(part.bits, place);
}

/** The number of codes that it lists; for all codes except some, the number of these. */
export function sizeOfContent(content: Content): number {
  return content.reduce((sum, part) => sum + sizeOfPart(part), 0);
}

/** Cached counts: value sets are cached, and their pages requested repeatedly. */
const counts = new WeakMap<Bitset, number>();

export function sizeOfPart(part: Part): number {
  if (part.kind === 'loose') return part.codes.size;
  if (part.order !== undefined) return part.order.length;
  const known = counts.get(part.bits) ?? countBits(part.bits);
  counts.set(part.bits, known);
  return known;
}

/** The union, with the first content's order first. */
export function* uniteContents(a: Content, b: Content): Steps<Content> {
  const found = [...a];
  for (const part of b) {
    const at = found.findIndex((other) => isSameSystem(other, part));
    const same = found[at];
    if (same === undefined) found.push(part);
    else found[at] = yield* unitePart(same, part);
    yield;
  }
  return found;
}

function isSameSystem(a: Part, b: Part): boolean {
  if (a.kind === 'known' && b.kind === 'known') return a.view.model === b.view.model;
  return a.kind === 'loose' && b.kind === 'loose' && a.system === b.system && a.version === b.version;
}

function* unitePart(a: Part, b: Part): Steps<Part> {
  if (a.kind === 'known' && b.kind === 'known') return yield* uniteKnown(a, b);
  if (a.kind === 'loose' && b.kind === 'loose') return yield* uniteLoose(a, b);
  return a;
}

function* uniteKnown(a: KnownPart, b: KnownPart): Steps<KnownPart> {
  const hasOrder = a.order !== undefined || b.order !== undefined;
  const order = hasOrder ? [...placesOf(a), ...placesOf(b).filter((place) => !hasBit(a.bits, place))] : undefined;
  yield;
  return {
    ...a,
    bits: orBits(a.bits, b.bits),
    order,
    listed: b.listed.size === 0 ? a.listed : yield* merged(b.listed, a.listed),
    isOpen: a.isOpen || b.isOpen,
    isTree: a.isTree && b.isTree,
    isWhole: a.isWhole || b.isWhole,
    named: a.named ?? b.named,
    inactive: a.inactive === undefined || b.inactive === undefined ? a.inactive : orBits(a.inactive, b.inactive),
  };
}

function* uniteLoose(a: LoosePart, b: LoosePart): Steps<LoosePart> {
  if (!a.isAllBut && !b.isAllBut) {
    const added = yield* filterCodes(b, (code) => !a.codes.has(code));
    return { ...a, codes: yield* merged(a.codes, added) };
  }
  if (a.isAllBut && b.isAllBut) return { ...a, codes: yield* filterCodes(a, (code) => b.codes.has(code)) };
  const [whole, some] = a.isAllBut ? [a, b] : [b, a];
  return { ...whole, codes: yield* filterCodes(whole, (code) => !some.codes.has(code)) };
}

/** Codes in both keep their place in the first content and have the members of the second. */
function* merged<K, V>(a: ReadonlyMap<K, V>, b: ReadonlyMap<K, V>): Steps<ReadonlyMap<K, V>> {
  const found = new Map<K, V>();
  for (const some of [a, b]) {
    for (const stride of strides(some)) {
      for (const [key, value] of stride) found.set(key, value);
      yield;
    }
  }
  return found;
}

/** A page of the concepts in their order: at most `limit` after the first `offset`. */
export function placesOf(part: KnownPart, offset = 0, limit = Number.POSITIVE_INFINITY): readonly number[] {
  const { order, view } = part;
  // `bits` is read only here: a part with an order may build its set on demand.
  if (order === undefined) return view.model.hierarchy.inOrder(part.bits, { count: sizeOfPart(part), offset, limit });
  return offset === 0 && limit >= order.length ? order : order.slice(offset, offset + limit);
}

/** The intersection. */
export function intersectContents(a: Content, b: Content): Steps<Content> {
  return restrictAll(a, b, true);
}

/** The difference: codes of the first content that are not in the second; `isVersioned`: in the same version. */
export function* subtractContents(a: Content, b: Content, isVersioned = false): Steps<Content> {
  if (!isVersioned) return yield* restrictAll(a, b, false);
  const found: Part[] = [];
  for (const part of a) {
    append(
      found,
      yield* restrict(
        part,
        b.filter((other) => isSameSystem(part, other)),
        false,
      ),
    );
  }
  return found;
}

function* restrictAll(a: Content, b: Content, isKept: boolean): Steps<Content> {
  const found: Part[] = [];
  for (const part of a) append(found, yield* restrict(part, b, isKept));
  return found;
}

/** The codes of the part that are in the content, or those that are not. */
function* restrict(part: Part, content: Content, isKept: boolean): Steps<Part[]> {
  const others = content.filter(({ system }) => system === part.system);
  yield;
  if (others.length === 0) return isKept ? [] : [part];
  return part.kind === 'known'
    ? yield* restrictKnown(part, others, isKept)
    : yield* restrictLoose(part, others, isKept);
}

function* restrictKnown(part: KnownPart, others: readonly Part[], isKept: boolean): Steps<Part[]> {
  let mask = emptyBitset(part.view.model.size);
  for (const other of others) mask = orBits(mask, yield* maskOf(other, part));
  const isOpenThere = others.some((other) => (other.kind === 'known' ? other.isOpen : other.isAllBut));
  const bits = isKept ? andBits(part.bits, mask) : withoutBits(part.bits, mask);
  return [
    {
      ...part,
      bits,
      order: part.order?.filter((place) => hasBit(bits, place)),
      isOpen: part.isOpen && isOpenThere === isKept,
    },
  ];
}

/** The other part's codes as a set of this part's concepts. */
function* maskOf(other: Part, { view: { model } }: KnownPart): Steps<Bitset> {
  if (other.kind === 'known' && other.view.model === model) return other.bits;
  const bits = emptyBitset(model.size);
  const codes = other.kind === 'loose' ? other.codes.keys() : codesOf(other);
  for (const stride of strides(codes)) {
    for (const code of stride) addCode(bits, model.find(code));
    yield;
  }
  return other.kind === 'loose' && other.isAllBut ? withoutBits(fullBitset(model.size), bits) : bits;
}

function* codesOf({ bits, view: { model } }: KnownPart): Generator<string, void, void> {
  for (const place of members(bits)) yield model.code(place);
}

function addCode(bits: Bitset, place: number): void {
  if (place !== -1) addBit(bits, place);
}

function* restrictLoose(part: LoosePart, others: readonly Part[], isKept: boolean): Steps<Part[]> {
  const isThere = (code: string) => others.some((other) => isInPart(other, code));
  if (!part.isAllBut) return [{ ...part, codes: yield* filterCodes(part, (code) => isThere(code) === isKept) }];
  // A part of all codes except some: its intersection is the others' list, its difference excludes their list.
  if (isKept) {
    const kept: Part[] = [];
    for (const other of others) kept.push(yield* withoutCodes(other, part.codes));
    return kept;
  }
  const isWholeGone = others.some((other) => other.kind === 'loose' && other.isAllBut && other.codes.size === 0);
  if (isWholeGone) return [];
  const loose = others.filter((other) => other.kind === 'loose');
  let back: ReadonlyMap<string, Listed> = new Map();
  for (const { isAllBut, codes } of loose) if (isAllBut) back = yield* merged(back, codes);
  if (back.size > 0) {
    const codes = yield* filterCodes({ codes: back }, (code) => !part.codes.has(code));
    return [{ ...part, isAllBut: false, codes }];
  }
  let gone = part.codes;
  for (const { codes } of loose) gone = yield* merged(gone, codes);
  return [{ ...part, codes: gone }];
}

function* withoutCodes(part: Part, codes: ReadonlyMap<string, Listed>): Steps<Part> {
  if (part.kind === 'loose') {
    if (part.isAllBut) return { ...part, codes: yield* merged(part.codes, codes) };
    return { ...part, codes: yield* filterCodes(part, (code) => !codes.has(code)) };
  }
  const gone = yield* maskOf(loosePart(part.system, undefined, { codes }), part);
  const bits = withoutBits(part.bits, gone);
  return { ...part, bits, order: part.order?.filter((place) => hasBit(bits, place)) };
}

/** The codes that pass the test, in their order. */
export function* filterCodes(
  { codes }: Pick<LoosePart, 'codes'>,
  holds: (code: string, listed: Listed) => boolean,
): Steps<ReadonlyMap<string, Listed>> {
  const found = new Map<string, Listed>();
  for (const stride of strides(codes)) {
    for (const [code, listed] of stride) if (holds(code, listed)) found.set(code, listed);
    yield;
  }
  return found;
}
