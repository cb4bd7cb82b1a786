// Element names that are keywords are quoted after a dot, and nowhere else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quoteKeywords } from './keywords.ts';

const CASES: readonly (readonly [given: string, quoted: string])[] = [
  ['Patient.text.div', 'Patient.text.`div`'],
  ['text. div.exists()', 'text. `div`.exists()'],
  ['text.`div`', 'text.`div`'],
  ["name = 'a.div' and text.div.exists()", "name = 'a.div' and text.`div`.exists()"],
  ["'it\\'s .div'", "'it\\'s .div'"],
  ['7 div 2 = 3 and 7.mod.exists()', '7 div 2 = 3 and 7.`mod`.exists()'],
  ['name.divider', 'name.divider'],
];

for (const [given, quoted] of CASES) test(given, () => assert.equal(quoteKeywords(given), quoted));
