// $find-matches: the codes that have the given properties (hl7.org/fhir/R5/codesystem-operation-find-matches.html).
import { wholePart } from '../content/content.ts';
import { designationsOf, type SystemView } from '../content/system-view.ts';
import { matchingPlaces, requireWords } from '../content/text-filter.ts';
import { type Steps, startWork, strides } from '../content/unfinished.ts';
import type { Json } from '../json.ts';
import { addBit, andBits, type Bitset, emptyBitset, hasBit, members } from '../model/bitset.ts';
import { wordsOf } from '../model/word-columns.ts';
import { placesWithWord } from '../model/word-index.ts';
import { TerminologyError } from '../terminology-error.ts';
import {
  contextOf,
  type OperationContext,
  type OperationTarget,
  requireById,
  requireView,
  type TerminologyBase,
} from './context.ts';
import type { Inputs } from './inputs.ts';
import { nameIn } from './languages.ts';
import { parameter, parametersOf, partsOf } from './parameters.ts';
import { eachTargetInSteps, eachValueInSteps, holdersOf } from './property-holders.ts';

/** The most properties in a request, and the most codes in a response. */
const MAX_PROPERTIES = 20;
const MAX_MATCHES = 100;

/** @throws TerminologyError `required`, `not-found`, `too-costly` */
export function findMatches(base: TerminologyBase, inputs: Inputs, target: OperationTarget): Json {
  const context = contextOf(base, inputs, target);
  const view = systemOf(context, inputs, target);
  const wanted = wantedOf(inputs);
  const isExact = inputs.boolean('exact') === true;
  const key = JSON.stringify([isExact, wanted.map(({ code, value, isNested }) => [code, value, isNested])]);
  const found = matched(view, key, wanted, isExact);
  // FHIR has no empty lists.
  if (found.length === 0) return { resourceType: 'Parameters' };
  return { ...parametersOf(...found.map((match) => matchPart(view, match, { context, wanted }))) };
}

function systemOf(context: OperationContext, inputs: Inputs, { id }: OperationTarget): SystemView {
  if (id !== undefined) {
    const { url, version } = requireById(context, 'CodeSystem', id);
    return requireView(context, url, version);
  }
  const system = inputs.text('system');
  if (system === undefined) throw new TerminologyError('required', 'system must say which code system is searched');
  return requireView(context, system, inputs.text('version'));
}

interface Wanted {
  readonly code: string;
  /** The comparable value: of a Coding its code. */
  readonly value: string;
  /** Whether it has subproperties, which no code here has. */
  readonly isNested: boolean;
  /** The parts as they were sent, which an unmatched property repeats. */
  readonly sent: readonly Json[];
}

function wantedOf(inputs: Inputs): readonly Wanted[] {
  const wanted = inputs.parts('property').map((part): Wanted => {
    const code = part.text('code');
    const isCoding = typeof part.value('value') === 'object';
    const value = isCoding ? part.coding('value')?.code : part.text('value');
    const nested = part.parts('subproperty');
    if (code === undefined) inputs.issue('property', 'property must have the part code');
    if (value === undefined && nested.length === 0) inputs.issue('property', 'property must have the part value');
    const sent = part.named('code', 'value', 'subproperty').map(asUnmatched);
    return { code: code ?? '', value: value ?? '', isNested: nested.length > 0, sent };
  });
  if (wanted.length === 0) throw new TerminologyError('required', 'property must say what the codes are to have');
  if (wanted.length > MAX_PROPERTIES) {
    const message = `${wanted.length} properties are more than ${MAX_PROPERTIES}, which may be asked for at once`;
    throw new TerminologyError('too-costly', message);
  }
  return wanted;
}

/** A part of `property` as a part of `unmatched`. */
function asUnmatched(part: Json): Json {
  return part['name'] === 'subproperty' ? { ...part, name: 'property' } : part;
}

/** How a concept fulfils one property: wholly, or perhaps. */
interface Fulfilling {
  readonly whole: Bitset;
  readonly possible: Bitset | undefined;
}

interface Match {
  readonly place: number;
  /** By property of the request. */
  readonly fulfilled: readonly ('whole' | 'possible' | 'not')[];
}

interface LastMatches {
  readonly key: string;
  readonly supplements: SystemView['supplements'];
  readonly found: readonly Match[];
}

/** The last matches of a code system: a caller that waits for unfinished work repeats its call. */
const lastMatches = new WeakMap<SystemView['model'], LastMatches>();

/** @throws UnfinishedWork */
function matched(view: SystemView, key: string, wanted: readonly Wanted[], isExact: boolean): readonly Match[] {
  const { model, supplements } = view;
  const before = lastMatches.get(model);
  const isSame = before?.supplements.every((each, at) => each === supplements[at]) === true;
  if (before?.key === key && isSame && before.supplements.length === supplements.length) return before.found;
  const name = `the search for ${wanted.length} properties in ${model.meta.url}`;
  const done = (found: readonly Match[]) => void lastMatches.set(model, { key, supplements, found });
  return startWork({ name, steps: search(view, wanted, isExact), done }, () => performance.now());
}

/** Points of a property that is fulfilled wholly; a possible one has a point less. */
const WHOLE = 2;

function* search(view: SystemView, wanted: readonly Wanted[], isExact: boolean): Steps<readonly Match[]> {
  const { model } = view;
  const points = new Uint8Array(model.size);
  const all: Fulfilling[] = [];
  for (const each of wanted) {
    const fulfilling = yield* fulfil(view, each, isExact);
    all.push(fulfilling);
    yield* addPoints(points, fulfilling);
  }
  const counts = new Uint32Array(WHOLE * wanted.length + 1);
  for (const value of points) counts[value] = (counts[value] ?? 0) + 1;
  yield;
  const found = yield* best(view, points, counts);
  return found.map((place) => ({
    place,
    fulfilled: all.map(({ whole, possible }) => {
      if (hasBit(whole, place)) return 'whole';
      return possible !== undefined && hasBit(possible, place) ? 'possible' : 'not';
    }),
  }));
}

function* addPoints(points: Uint8Array, { whole, possible }: Fulfilling): Steps<void> {
  for (const place of members(whole)) points[place] = (points[place] ?? 0) + WHOLE;
  yield;
  if (possible === undefined) return;
  for (const place of members(possible)) if (!hasBit(whole, place)) points[place] = (points[place] ?? 0) + 1;
  yield;
}

/** The concepts with the most points, and of equal ones the first in the order of the hierarchy. */
function* best({ model }: SystemView, points: Uint8Array, counts: Uint32Array): Steps<readonly number[]> {
  const found: number[] = [];
  for (let score = counts.length - 1; score > 0 && found.length < MAX_MATCHES; score -= 1) {
    const count = counts[score] ?? 0;
    if (count === 0) continue;
    const bits = emptyBitset(model.size);
    for (let place = 0; place < points.length; place += 1) if (points[place] === score) addBit(bits, place);
    yield;
    found.push(...model.hierarchy.inOrder(bits, { count, offset: 0, limit: MAX_MATCHES - found.length }));
    yield;
  }
  return found;
}

/** Names of the property by which a concept is found by its display and designations. */
const NAME_PROPERTIES = new Set(['display', 'designation']);

function* fulfil(view: SystemView, { code, value, isNested }: Wanted, isExact: boolean): Steps<Fulfilling> {
  const none = emptyBitset(view.model.size);
  if (isNested) return { whole: none, possible: undefined };
  if (NAME_PROPERTIES.has(code)) return yield* named(view, value, isExact);
  const whole = yield* holdersOf(view, code, value);
  return { whole, possible: isExact ? undefined : yield* withRelatedValue(view, code, value) };
}

/** Concepts with the text as a name; and, possibly, those whose names begin with its words. */
function* named(view: SystemView, value: string, isExact: boolean): Steps<Fulfilling> {
  const { model } = view;
  requireWords(view);
  const words = wordsOf(value);
  const whole = emptyBitset(model.size);
  if (words.length === 0) return { whole, possible: undefined };
  const all = wholePart(view);
  let possible = all.bits;
  for (const word of words) {
    possible = andBits(possible, yield* matchingPlaces(all, word));
    yield;
  }
  const normal = words.join(' ');
  for (const stride of strides(members(yield* withAllWords(view, words)))) {
    for (const place of stride) {
      const names = [model.display(place), ...designationsOf(view, place).map((each) => each.value)];
      if (names.some((name) => name !== undefined && wordsOf(name).join(' ') === normal)) addBit(whole, place);
    }
    yield;
  }
  return { whole, possible: isExact ? undefined : possible };
}

/** Concepts that have each of the words in some name. */
function* withAllWords({ model, supplements }: SystemView, words: readonly string[]): Steps<Bitset> {
  let bits: Bitset | undefined;
  for (const word of words) {
    const holders = emptyBitset(model.size);
    for (const place of placesWithWord(model, word)) addBit(holders, place);
    for (const supplement of supplements) {
      for (const place of placesWithWord(supplement, word)) {
        const own = model.find(supplement.code(place));
        if (own !== -1) addBit(holders, own);
      }
    }
    bits = bits === undefined ? holders : andBits(bits, holders);
    yield;
  }
  return bits ?? emptyBitset(model.size);
}

/** Concepts whose value of the property is a code above or below the given one. */
function* withRelatedValue({ model }: SystemView, property: string, value: string): Steps<Bitset | undefined> {
  const at = model.find(value);
  if (at === -1 || !model.isSubsuming || property === 'code' || property === 'concept') return undefined;
  const near = emptyBitset(model.size);
  model.hierarchy.addAtOrBelow(at, near);
  model.hierarchy.addAtOrAbove(at, near);
  yield;
  const found = emptyBitset(model.size);
  if (model.isAttribute(property)) {
    yield* eachTargetInSteps(model, property, (place, target) => {
      if (target >= 0 && hasBit(near, target)) addBit(found, place);
    });
    return found;
  }
  const verdicts = new Map<string, boolean>();
  yield* eachValueInSteps(model, property, (place, each) => {
    let isNear = verdicts.get(each);
    if (isNear === undefined) {
      const other = model.find(each);
      isNear = other !== -1 && hasBit(near, other);
      if (verdicts.size < MAX_VERDICTS) verdicts.set(each, isNear);
    }
    if (isNear) addBit(found, place);
  });
  return found;
}

const MAX_VERDICTS = 10_000;

interface MatchOptions {
  readonly context: OperationContext;
  readonly wanted: readonly Wanted[];
}

function matchPart(view: SystemView, { place, fulfilled }: Match, { context, wanted }: MatchOptions): Json {
  const { model } = view;
  const { url: system, version, language } = model.meta;
  const names = { display: model.display(place), language, designations: designationsOf(view, place) };
  const display = nameIn(context.languages, names);
  const coding = {
    system,
    ...(version === undefined ? {} : { version }),
    code: model.code(place),
    ...(display === undefined ? {} : { display }),
  };
  const unmatched = wanted.filter((_, at) => fulfilled[at] === 'not');
  const possible = wanted.filter((_, at) => fulfilled[at] === 'possible');
  return partsOf(
    'match',
    parameter('code', 'Coding', coding),
    ...unmatched.map(({ sent }) => partsOf('unmatched', ...sent)),
    parameter('comment', 'String', commentOf(possible)),
  );
}

function commentOf(possible: readonly Wanted[]): string | undefined {
  if (possible.length === 0) return undefined;
  const given = possible.map(({ code, value }) => `${code} ${value}`).join(', ');
  return `A possible match: the code has a name or value close to ${given}`;
}
