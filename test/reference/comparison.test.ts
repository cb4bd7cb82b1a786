// What counts as the answer that a page shows, and what does not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differences, matchesLines, readPattern } from './comparison.ts';

const GUID = '0190a1b2-0000-7000-8000-000000000001';
const compare = (page: string, answer: unknown) => differences(answer, readPattern(page));

test('an answer agrees when every field does, whatever the order', () => {
  const page = '{ "a": "0190…", "b": "x … y", "c": …, "at": "2026-01-31T12:00:00.000Z", "list": [1, …], "none": null }';
  const answer = { none: null, list: [1, 2, 3], at: '2027-12-01T23:59:59.123Z', c: { any: 1 }, b: 'x or y', a: GUID };
  assert.deepEqual(compare(page, answer), []);
  assert.deepEqual(compare(page, { ...answer, list: [1] }), []);
});

test('every difference is named with its place', () => {
  const cases: [page: string, answer: unknown, issue: RegExp][] = [
    ['{ "a": 1 }', {}, /^a is not in the answer$/],
    ['{ "a": 1 }', { a: 1, b: 2 }, /^b is not on the page$/],
    ['{ "a": { "b": [1] } }', { a: { b: [2] } }, /^a\.b\[0\] is 2, the page shows 1$/],
    ['[1, 2]', [1], /^the answer has 1 elements, the page shows 2$/],
    ['[1]', [1, 2], /^the answer has 2 elements, the page shows 1$/],
    ['[1, …]', [], /^the answer has 0 elements, the page shows 1$/],
    ['[]', {}, /^the answer is no list$/],
    ['{}', [], /^the answer is no object$/],
    ['{}', undefined, /^the answer is no object$/],
    ['{ "a": "0190…" }', { a: 'x' }, /^a is "x"/],
    ['{ "a": "0190…" }', { a: `${GUID}0` }, /^a is/],
    ['{ "a": "1" }', { a: 1 }, /^a is 1, the page shows "1"$/],
    ['{ "a": null }', { a: false }, /^a is false/],
    ['{ "a": "a.c" }', { a: 'abc' }, /^a is "abc"/],
    ['{ "a": "2026-01-31T12:00:00.000" }', { a: '2026-01-31T12:00:00.000Z' }, /^a is/],
    ['{ "a": "2026-01-31T12:00:00Z" }', { a: '2026-01-31T12:00:00+01:00' }, /^a is/],
  ];
  for (const [page, answer, issue] of cases) {
    const found = compare(page, answer);
    assert.equal(found.length, 1, `${page} beside ${JSON.stringify(answer)}: ${found.join('; ')}`);
    assert.match(found[0] ?? '', issue);
  }
});

test('text agrees line by line, and a line … stands for any lines', () => {
  assert.ok(matchesLines('a,b\r\n1,2\r\n', 'a,b\n1,…\n'));
  assert.ok(matchesLines('first\nsecond\nthird\nlast', 'first\n…\nlast'));
  assert.ok(matchesLines('first\nlast', 'first\n…\nlast'));
  assert.ok(matchesLines('first\nlast', 'first\n…\n'));
  assert.ok(!matchesLines('first\nsecond\nlast', 'first\nlast'));
  assert.ok(!matchesLines('first\nlast\nmore', 'first\n…\nlast'));
  assert.ok(!matchesLines('axb', 'a.b'));
});
