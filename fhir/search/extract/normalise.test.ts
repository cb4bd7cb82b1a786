// Normalised texts: case, accents, punctuation, words, lengths.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  containsText,
  exactText,
  indexedText,
  laterBeginnings,
  normaliseContact,
  normaliseText,
  startsWithAtAnyWord,
} from './normalise.ts';
import { sortText } from './sort-text.ts';

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

test('marks that are letters of their script stay; accents and vowel points do not', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['हिन्दी', 'हिन्दी'],
    ['ภาษาไทย', 'ภาษาไทย'],
    ['がぎ', 'がぎ'],
    ['한국', '한국'],
    ['தமிழ்', 'தமிழ்'],
    ['שָׁלוֹם', 'שלום'],
    ['مُحَمَّد', 'محمد'],
    ['أحمد', 'أحمد'],
    ['Ἀθῆναι ΟΔΟΣ', 'αθηναι οδοσ'],
    ['Йод Ёлка', 'иод елка'],
    ['Nguyễn', 'nguyen'],
  ];
  for (const [written, normalised] of cases) assert.equal(normaliseText(written), normalised.normalize('NFC'), written);
  assert.notEqual(normaliseText('हिन्दी'), normaliseText('हन्दी'));
  assert.notEqual(normaliseText('が'), normaliseText('か'));
});

test('a text without letters and digits keeps its symbols', () => {
  for (const [written, normalised] of [
    ['😍', '😍'],
    ['%', '%'],
    [' %  ‰ ', '% ‰'],
    ['❤️', '❤'],
    ['％', '%'],
    ['50 %', '50'],
    ['\u200b', ''],
  ] as const) {
    assert.equal(normaliseText(written), normalised);
  }
  assert.ok(containsText('50 % 😍', '😍') && containsText('50 % 😍', '%') && !containsText('50', '%'));
});

test('normalising twice changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      const once = normaliseText(text);
      assert.equal(normaliseText(once), once);
      assert.ok(indexedText(once).length <= 200);
    }),
  );
});

test('a text is found from the beginning of each of its words', () => {
  assert.deepEqual(laterBeginnings('anna karin von essen'), ['karin von essen', 'von essen', 'essen']);
  const many = 'ab '.repeat(2000).trim();
  const beginnings = laterBeginnings(many);
  assert.equal(beginnings.length, 999);
  assert.ok(beginnings.every((beginning) => beginning.length <= 64));
  assert.equal(normaliseText(many), many);
  assert.ok(startsWithAtAnyWord('anna karin von essen', 'von') && !startsWithAtAnyWord('anna', 'nna'));
});

test('texts are sorted in the order of the language, symbols before digits before letters', () => {
  const names = ['Zorn', 'Ärlig', 'Åberg', 'ek', 'Öberg', 'Æsir', 'Über', 'Ydman', 'Éva', '😍', '~', '7', 'Hz', 'Hå'];
  const sorted = (language: string) =>
    names
      .map((name): [string, string] => [name, sortText(name, language) ?? normaliseText(name)])
      .sort(([, a], [, b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      .map(([name]) => name);
  const signs = ['~', '😍', '7'];
  const swedish = [...signs, 'ek', 'Éva', 'Hz', 'Hå', 'Über', 'Ydman', 'Zorn', 'Åberg', 'Ärlig', 'Æsir', 'Öberg'];
  assert.deepEqual(sorted('sv'), swedish);
  const danish = [...signs, 'ek', 'Éva', 'Hz', 'Hå', 'Über', 'Ydman', 'Zorn', 'Ärlig', 'Æsir', 'Öberg', 'Åberg'];
  assert.deepEqual(sorted('da'), danish);
  const german = [...signs, 'Åberg', 'Æsir', 'Ärlig', 'ek', 'Éva', 'Hå', 'Hz', 'Öberg', 'Über', 'Ydman', 'Zorn'];
  assert.deepEqual(sorted('de'), german);
  assert.equal(sortText('Berg', 'sv'), undefined);
});

test('phone numbers lose their separators, mail addresses keep theirs', () => {
  assert.equal(normaliseContact('+46 (0)70-123 45 67'), '+460701234567');
  assert.equal(normaliseContact(' Anna-Lisa.Ek@Example.ORG '), 'anna-lisa.ek@example.org');
});

test('long exact texts stay different from each other', () => {
  const long = 'x'.repeat(1000);
  assert.equal(exactText('x'.repeat(400)), 'x'.repeat(400));
  assert.equal(exactText(long).length, 400);
  assert.notEqual(exactText(`${long}a`), exactText(`${long}b`));
});
