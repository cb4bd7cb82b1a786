// The text filter finds what a linear search of all names finds, for rare and for common words, in large value sets and
// in small ones.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { generateConcepts, largeJson, partOf } from '#test/support/engine/large-code-system.ts';
import { addBit, emptyBitset, hasBit, members } from '../model/bitset.ts';
import { readCodeSystem } from '../model/read-code-system.ts';
import { wordsOf } from '../model/word-columns.ts';
import { placesOf, sizeOfContent, wholePart } from './content.ts';
import { filtered } from './filter.ts';
import { filterByText } from './text-filter.ts';

for (const [name, step] of [
  ['large', 1],
  ['small', 40],
] as const) {
  it(`rare words and common ones find in a ${name} value set the same as a search through all names`, () => {
    findsAsSearched(step);
  });
}

/** In a value set of every `step`th severe concept. */
function findsAsSearched(step: number): void {
  const model = readCodeSystem(JSON.parse([...largeJson(4_000)].join('')));
  assert.ok(model !== undefined);
  const view = { model, supplements: [] };
  const severe = filtered(view, { property: 'severity', op: '=', value: 'severe' }, () => 0);
  const bits = emptyBitset(model.size);
  members(severe).forEach((place, index) => {
    if (index % step === 0) addBit(bits, place);
  });
  const part = { ...wholePart(view), bits };
  const made = [...generateConcepts(4_000)];
  const texts = [
    'frac',
    'a',
    partOf(17),
    `${partOf(17)} frac`,
    `frac ${partOf(40).slice(0, 4)} gr`,
    'acute open',
    'nowhere',
    '7',
    '1000 1',
  ];
  let found = 0;
  for (const text of texts) {
    const wanted = wordsOf(text);
    const expected = made.flatMap(({ code, display, swedish, synonym }, place) => {
      const words = [code, display, swedish, synonym].flatMap(wordsOf);
      const isCalled = wanted.every((each) => words.some((word) => word.startsWith(each)));
      return isCalled && hasBit(bits, place) ? [place] : [];
    });
    const content = filterByText([part], text, () => 0);
    const [only] = content;
    assert.ok(only?.kind === 'known');
    assert.deepEqual(
      placesOf(only).toSorted((a, b) => a - b),
      expected,
      text,
    );
    assert.deepEqual(members(only.bits), expected, text);
    assert.equal(sizeOfContent(content), expected.length, text);
    found += expected.length;
  }
  assert.ok(found > 400 / step);
}
