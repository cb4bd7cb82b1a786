// The concepts that have a value of a property (find-matches.ts). They are found in steps; half a million concepts are
// no work for one turn of the event loop.
import type { SystemView } from '../content/system-view.ts';
import type { Steps } from '../content/unfinished.ts';
import { addBit, type Bitset, emptyBitset } from '../model/bitset.ts';
import type { CodeSystemModel } from '../model/code-system-model.ts';
import { concreteValue } from '../model/snomed/relations.ts';

/** Concepts that are read in one step. */
const RANGE = 4_096;

/** Empty for a property or a value that no concept has. */
export function* holdersOf({ model, supplements }: SystemView, property: string, value: string): Steps<Bitset> {
  const bits = emptyBitset(model.size);
  switch (property) {
    case 'code':
    case 'concept':
      for (const place of found(model, value)) addBit(bits, place);
      return bits;
    case 'parent':
      for (const place of found(model, value))
        for (const child of model.hierarchy.childrenOf(place)) addBit(bits, child);
      return bits;
    case 'child':
      for (const place of found(model, value))
        for (const above of model.hierarchy.parentsOf(place)) addBit(bits, above);
      return bits;
    case 'definition':
      yield* eachPlace(model, (place) => model.definition(place) === value && addBit(bits, place));
      return bits;
    case 'inactive':
      yield* eachPlace(model, (place) => String(model.isInactive(place)) === value && addBit(bits, place));
      return bits;
    case 'notSelectable':
      if (value === 'true') yield* eachPlace(model, (place) => model.isAbstract(place) && addBit(bits, place));
  }
  if (model.isAttribute(property)) yield* addHoldersOfAttribute(model, property, { value, bits });
  else {
    yield* eachValueInSteps(model, property, (place, each) => {
      if (each === value) addBit(bits, place);
    });
  }
  for (const supplement of supplements) {
    yield* eachValueInSteps(supplement, property, (place, each) => {
      const own = each === value ? model.find(supplement.code(place)) : -1;
      if (own !== -1) addBit(bits, own);
    });
  }
  return bits;
}

function found(model: CodeSystemModel, code: string): readonly number[] {
  const place = model.find(code);
  return place === -1 ? [] : [place];
}

function* eachPlace({ size }: CodeSystemModel, visit: (place: number) => unknown): Steps<void> {
  for (let from = 0; from < size; from += RANGE) {
    for (let place = from; place < Math.min(size, from + RANGE); place += 1) visit(place);
    yield;
  }
}

function* addHoldersOfAttribute(
  model: CodeSystemModel,
  type: string,
  { value, bits }: { readonly value: string; readonly bits: Bitset },
): Steps<void> {
  const wanted = model.find(value);
  const verdicts = new Map<number, boolean>();
  yield* eachTargetInSteps(model, type, (place, target) => {
    if (target >= 0) {
      if (target === wanted) addBit(bits, place);
      return;
    }
    const verdict = verdicts.get(target) ?? concreteValue(model.text(~target)).value === value;
    verdicts.set(target, verdict);
    if (verdict) addBit(bits, place);
  });
}

/** Calls with each target of the attribute: a place, or `~` of the offset of a concrete value. */
export function* eachTargetInSteps(
  { relations, size }: CodeSystemModel,
  type: string,
  visit: (place: number, target: number) => void,
): Steps<void> {
  const wanted = relations.types.indexOf(type);
  const { starts, targets } = relations;
  for (let from = 0; from < size; from += RANGE) {
    for (let place = from; place < Math.min(size, from + RANGE); place += 1) {
      const end = starts[place + 1] ?? 0;
      for (let at = starts[place] ?? 0; at < end; at += 1)
        if (relations.typeOf(at) === wanted) visit(place, targets[at] ?? 0);
    }
    yield;
  }
}

/** Calls with each value of the property. */
export function* eachValueInSteps(
  model: CodeSystemModel,
  property: string,
  visit: (place: number, value: string) => void,
): Steps<void> {
  if (!model.hasProperty(property)) return;
  for (let from = 0; from < model.size; from += RANGE) {
    model.eachValue(property, visit, from, Math.min(model.size, from + RANGE));
    yield;
  }
}
