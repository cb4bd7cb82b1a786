import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parsePersonnummer } from './personnummer.ts';

const NOW = Date.UTC(2026, 0, 31, 12);

// Numbers that Skatteverket publishes for testing, and its own examples.
const VALID: ReadonlyArray<readonly [string, string]> = [
  ['19121212-1212', '191212121212'],
  ['191212121212', '191212121212'],
  ['121212+1212', '191212121212'],
  ['121212-1212', '201212121212'],
  ['1212121212', '201212121212'],
  ['811228-9874', '198112289874'],
  ['8112289874', '198112289874'],
  ['19811228+9874', '198112289874'],
  [' 811228-9874 ', '198112289874'],
  ['701063-2391', '197010632391'],
  ['19701063-2391', '197010632391'],
  ['200002292399', '200002292399'],
];

const INVALID = [
  '',
  'abc',
  '811228-9875',
  '811228 9874',
  '811228--9874',
  '81-12-28-9874',
  '11811228-9874',
  '198113289873',
  '198112009876',
  '198112929875',
  '198102309872',
  '190002292399',
  '20991231-2395',
  '811228-98744',
  '811228-987',
  '８１１２２８-9874',
  '811228-9874\u0000',
  "811228-9874'--",
];

for (const [text, expected] of VALID) {
  test(`${JSON.stringify(text)} is ${expected}`, () => assert.equal(parsePersonnummer(text, NOW), expected));
}

for (const text of INVALID) {
  test(`${JSON.stringify(text)} is none`, () => assert.equal(parsePersonnummer(text, NOW), undefined));
}

test('a plus sign means a hundred years or more, also on the birthday itself', () => {
  assert.equal(parsePersonnummer('260131+2396', NOW), '192601312396');
  assert.equal(parsePersonnummer('260131-2396', NOW), '202601312396');
  assert.equal(parsePersonnummer('260131-2396', NOW - 86_400_000), '192601312396');
});

test('parsing its own result gives the same number, and no single changed digit passes', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 11 }), fc.integer({ min: 1, max: 9 }), (position, shift) => {
      const digits = [...'198112289874'];
      digits[position] = String((Number(digits[position]) + shift) % 10);
      const changed = parsePersonnummer(digits.join(''), NOW);
      // The century is no part of the check digit.
      return position < 2 || changed === undefined;
    }),
  );
  assert.equal(parsePersonnummer('198112289874', NOW), '198112289874');
});
