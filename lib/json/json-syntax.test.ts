import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonIssueIndex } from './json-syntax.ts';

test('the place is the first character that cannot be there', () => {
  const cases: [string, number][] = [
    ['', 0],
    ['{"a":1', 6],
    ['{"a":tru}', 5],
    ['{"a" 1}', 5],
    ['{"a":1,}', 7],
    ['{a:1}', 1],
    ['[1,]', 3],
    ['[1 2]', 3],
    ['[01]', 1],
    ['["a\\x"]', 3],
    ['["a\nb"]', 3],
    ['["open', 6],
    ['{} x', 3],
    ['{"a":[1}', 7],
    ['[}', 1],
    ['\u0000', 0],
  ];
  for (const [text, index] of cases) assert.equal(jsonIssueIndex(text), index, text);
});

test('valid JSON has its error only at its end', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      assert.equal(jsonIssueIndex(text), text.length);
    }),
  );
});

test('a broken text that JSON.parse refuses has an error within it', () => {
  const broken = fc.tuple(fc.json(), fc.nat(), fc.constantFrom('{', '}', '"', ',', ':', 'x', '\\', ']', '\u0001'));
  fc.assert(
    fc.property(broken, ([json, place, char]) => {
      const at = place % (json.length + 1);
      const text = json.slice(0, at) + char + json.slice(at);
      let refused = false;
      try {
        JSON.parse(text);
      } catch {
        refused = true;
      }
      if (!refused) assert.equal(jsonIssueIndex(text), text.length);
      else assert.ok(jsonIssueIndex(text) <= text.length);
    }),
    { numRuns: 1000 },
  );
});
