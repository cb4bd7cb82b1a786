// Filters the codes of a value set by text. For each word of the text some name must have a word with that prefix (the
// parameter filter of $expand).
import {
  addBit,
  andBits,
  type Bitset,
  countBits,
  emptyBitset,
  hasBit,
  members,
  membersAmong,
  membersAt,
  orBits,
} from '../model/bitset.ts';
import type { CodeSystemModel } from '../model/code-system-model.ts';
import { wordsOf } from '../model/word-columns.ts';
import { placesWithPrefix, setWithPrefix } from '../model/word-index.ts';
import { type Content, filterCodes, type KnownPart, type Listed, type Part } from './content.ts';
import type { SystemView } from './system-view.ts';
import { inOwnTurn, type Now, type Steps, startWork, strides } from './unfinished.ts';

/** The result of the last text for each part: a caller that waits for unfinished work repeats its call. */
const lastResults = new WeakMap<Part, { readonly text: string; readonly found: Part }>();

/**
 * The filtered content; the same content for a text without words.
 * @throws UnfinishedWork when a value set lists very many codes
 */
export function filterByText(content: Content, text: string, now: Now = () => performance.now()): Content {
  const beginnings = wordsOf(text);
  if (beginnings.length === 0) return content;
  const steps = filterParts(content, { text, beginnings });
  return startWork({ name: 'the filter', steps, done: () => {} }, now);
}

function* filterParts(
  content: Content,
  { text, beginnings }: { readonly text: string; readonly beginnings: readonly string[] },
): Steps<Content> {
  const all: Part[] = [];
  for (const part of content) {
    if (part.kind === 'known') requireWords(part.view);
    const before = lastResults.get(part);
    const found = before?.text === text ? before.found : yield* filterPart(part, beginnings);
    lastResults.set(part, { text, found });
    all.push(found);
    yield;
  }
  return all;
}

/** Concepts whose words are collected in a turn of their own. */
const MANY = 5_000;

/** @throws UnfinishedWork when the words of many names are not collected yet */
export function requireWords({ model, supplements }: SystemView): void {
  for (const each of [model, ...supplements]) {
    if (each.hasWords || each.size < MANY) continue;
    inOwnTurn(`the search through the names of ${each.meta.url}`, () => void each.words);
  }
}

function* filterPart(part: Part, beginnings: readonly string[]): Steps<Part> {
  if (part.kind === 'known') return yield* filterKnown(part, beginnings);
  return { ...part, codes: yield* filterCodes(part, (_, listed) => hasMatchingName(listed, beginnings)) };
}

function* filterKnown(part: KnownPart, beginnings: readonly string[]): Steps<Part> {
  const few = rareMatches(part, beginnings);
  if (few !== undefined) return few;
  let bits = part.bits;
  for (const beginning of beginnings) bits = andBits(bits, yield* matchingPlaces(part, beginning));
  return { ...part, bits, order: part.order?.filter((place) => hasBit(bits, place)) };
}

/** A word is rare, or a value set small, when less than this part of all concepts has it, or is in it. */
const RARE = 1 / 32;
/** Up to this many concepts are tested one by one, without a set. */
const FEW = 64;

interface Candidates {
  /** Ascending, each once. */
  readonly places: readonly number[];
  /** Words that they are still to be tested for. */
  readonly untested: readonly WordMatches[];
}

interface WordMatches {
  readonly beginning: string;
  readonly places: Int32Array;
}

/**
 * The matches of a rare word or in a small value set: the concepts are tested one by one, without a set of all
 * concepts. Undefined otherwise, and when concepts have names from supplements or the value set.
 */
function rareMatches(part: KnownPart, beginnings: readonly string[]): KnownPart | undefined {
  const { model, supplements } = part.view;
  if (supplements.length > 0 || part.listed.size > 0 || part.order !== undefined) return undefined;
  const candidates = candidatesOf(part, beginnings);
  if (candidates === undefined) return undefined;
  let called = candidates.places;
  for (const word of candidates.untested) called = amongMatches(word, called, model);
  return {
    ...part,
    order: called,
    // Rarely used, so it is computed on demand.
    get bits() {
      const bits = emptyBitset(model.size);
      for (const place of called) addBit(bits, place);
      return bits;
    },
  };
}

function candidatesOf({ view: { model }, bits }: KnownPart, beginnings: readonly string[]): Candidates | undefined {
  const words = beginnings
    .map((beginning) => ({ beginning, places: placesWithPrefix(model, beginning) }))
    .sort((a, b) => a.places.length - b.places.length);
  const [rarest, ...others] = words;
  const most = model.size * RARE;
  if (rarest === undefined) return undefined;
  if (rarest.places.length <= most) return { places: ascending(membersAmong(bits, rarest.places)), untested: others };
  const all = fewMembers(bits, most);
  return all && { places: membersAt(setWithPrefix(model, rarest.beginning), all), untested: others };
}

/** Of one word they are ascending and each once; of several words they are one after the other. */
function ascending(places: number[]): readonly number[] {
  let last = -1;
  for (const place of places) {
    if (place <= last) return [...new Set(Int32Array.from(places).sort())];
    last = place;
  }
  return places;
}

/** Those of the places that the word matches. */
function amongMatches(
  { beginning, places }: WordMatches,
  among: readonly number[],
  model: CodeSystemModel,
): readonly number[] {
  if (places.length < FEW) return among.filter((place) => places.includes(place));
  return membersAt(setWithPrefix(model, beginning), Int32Array.from(among));
}

/** Of sets that do not change any more; null for those with many members. */
const membersOf = new WeakMap<Bitset, Int32Array | null>();

/** The members of a set that has at most so many. */
function fewMembers(bits: Bitset, most: number): Int32Array | undefined {
  const known = membersOf.get(bits);
  if (known !== undefined) return known ?? undefined;
  const found = countBits(bits) <= most ? Int32Array.from(members(bits)) : null;
  membersOf.set(bits, found);
  return found ?? undefined;
}

/** Concepts that have the word in the code system, in a supplement, or in the value set's own designations. */
export function* matchingPlaces({ view: { model, supplements }, listed }: KnownPart, beginning: string): Steps<Bitset> {
  let bits = setWithPrefix(model, beginning);
  for (const supplement of supplements) {
    const added = emptyBitset(model.size);
    for (const place of members(setWithPrefix(supplement, beginning))) {
      const own = model.find(supplement.code(place));
      if (own !== -1) addBit(added, own);
    }
    bits = orBits(bits, added);
  }
  if (listed.size > 0) bits = bits.slice();
  for (const stride of strides(listed)) {
    for (const [place, each] of stride) if (hasMatchingName(each, [beginning])) addBit(bits, place);
    yield;
  }
  return bits;
}

function hasMatchingName({ code, display, designations }: Listed, beginnings: readonly string[]): boolean {
  const words = [code, display ?? '', ...designations.map(({ value }) => value)].flatMap(wordsOf);
  return beginnings.every((beginning) => words.some((word) => word.startsWith(beginning)));
}
