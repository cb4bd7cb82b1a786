// Comparable texts: case, accents, punctuation, words, lengths.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { exactText, normaliseContact, normaliseText, wordBeginnings } from './normalise.ts';

test('case, accents and punctuation make no difference', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['Åsa-Märta  ÖBERG', 'asa marta oberg'],
    ["O'Neill, Jr.", 'o neill jr'],
    ['Søren Łukasz ß', 'soren lukasz ss'],
    ['ﬁne ①', 'fine 1'],
    ['李 小龙', '李 小龙'],
    ['İstanbul', 'istanbul'],
    ['  ', ''],
  ];
  for (const [written, normalised] of cases) assert.equal(normaliseText(written), normalised);
});

test('normalising twice changes nothing, and no text gets too long', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      const once = normaliseText(text);
      assert.equal(normaliseText(once), once);
      assert.ok(once.length <= 200);
    }),
  );
});

test('a text is found from the beginning of each of its first words', () => {
  assert.deepEqual(wordBeginnings('anna karin von essen'), [
    'anna karin von essen',
    'karin von essen',
    'von essen',
    'essen',
  ]);
  assert.equal(wordBeginnings('a '.repeat(100).trim()).length, 16);
});

test('phone numbers lose their dividing signs, mail addresses keep theirs', () => {
  assert.equal(normaliseContact('+46 (0)70-123 45 67'), '+460701234567');
  assert.equal(normaliseContact(' Anna-Lisa.Ek@Example.ORG '), 'anna-lisa.ek@example.org');
});

test('long exact texts stay different from each other', () => {
  const long = 'x'.repeat(1000);
  assert.equal(exactText('x'.repeat(400)), 'x'.repeat(400));
  assert.equal(exactText(long).length, 400);
  assert.notEqual(exactText(`${long}a`), exactText(`${long}b`));
});
