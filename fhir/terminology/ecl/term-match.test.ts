import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wordsOf } from '../model/word-columns.ts';
import { beginningsOfWild, termTest } from './term-match.ts';

/** A pattern with `*`, and the beginnings of words that the index is asked for. */
const ROWS: readonly (readonly [pattern: string, beginnings: readonly string[]])[] = [
  ['acute*', ['acut']],
  ['acute *', ['acute']],
  ['Acute heart*', ['acute', 'hear']],
  ['*heart', []],
  ['* heart', ['heart']],
  ['*failure of heart', ['of', 'heart']],
  ['a*b', []],
  ['*, form 1', ['form', '1']],
  ['(left) knee*', ['left', 'kne']],
  ['*-x*', []],
  ['*', []],
  // The letter after `hj` may have another form in the index, and `hj` with it.
  ['hjärt*', ['h']],
  ['är fel*', ['fe']],
  ['*🫀heart', []],
];

test('the index is asked for the words of a pattern whose beginnings are known', () => {
  for (const [pattern, beginnings] of ROWS) assert.deepEqual(beginningsOfWild(pattern.split('*')), beginnings, pattern);
});

/** Texts with marks, ligatures and letters of several forms. */
const TEXTS = [
  'Acute heart failure',
  'acute, left',
  'a\u0301cute\u0301 heart',
  'ÀCUTE Hjärtfel',
  'heart\u0301s (left) knee',
  'İstanbul heart of gold',
  'Knee \u212a form 1',
  'ﬁne straße x-ray',
  'अ acute\u093c heart',
  '',
];
const PIECES = [
  'acute',
  'a',
  'heart',
  ' heart',
  'heart ',
  'hj',
  'left) kne',
  'of gold',
  'i',
  'k',
  ' form 1',
  'x-ray',
  '',
];

test('a text that matches has words with each of these beginnings', () => {
  let matched = 0;
  for (const first of PIECES) {
    for (const second of PIECES) {
      for (const parts of [
        [first, second],
        ['', first, second],
        [first, second, ''],
        ['', first, ''],
      ]) {
        const matches = termTest([{ kind: 'wild', parts }]);
        const beginnings = beginningsOfWild(parts);
        for (const text of TEXTS.filter(matches)) {
          matched += 1;
          const words = wordsOf(text);
          for (const beginning of beginnings)
            assert.ok(
              words.some((word) => word.startsWith(beginning)),
              `${parts.join('*')} in ${text}: ${beginning}`,
            );
        }
      }
    }
  }
  assert.ok(matched > 500);
});
