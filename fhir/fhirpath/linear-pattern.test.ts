// Users' regular expressions run in linear time, have the results of the platform's engine, and are refused when they
// cannot (docs/adr/0043).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linearPattern, UnusablePattern } from './linear-pattern.ts';
import { expressionIssues } from './pattern-calls.ts';

const SAME: readonly (readonly [pattern: string, texts: readonly string[]])[] = [
  ['^(a+)+$', ['aaa', 'aab', '']],
  ['^[A-Z]([A-Za-z0-9_]){1,254}$', ['Ab', 'ab', 'A']],
  ['\\bfoo\\b', ['a foo b', 'afoo', 'foo']],
  ['^\\s+$', [' ', '\u00a0\u2003', 'a']],
  ['^[^\\s|]+$', ['a\u00a0b', 'ab', 'a|b']],
  ['^\\S+$', ['ab', 'a\u3000b']],
  ['^.$', ['\u{1f600}', '\n', 'ab']],
  ['^(?<year>\\d{4})-\\d\\d$', ['2026-11', '26-11']],
  ['\\u00e5|\\x41|\\/', ['å', 'A', '/', 'b']],
  ['a$', ['a\n', 'ba']],
  ['\\p{Lu}', ['Å', 'å']],
];

test('a pattern matches what the engine of the platform matches', () => {
  for (const [pattern, texts] of SAME) {
    for (const text of texts)
      assert.equal(linearPattern(pattern).matches(text), new RegExp(pattern, 'us').test(text), `${pattern} ${text}`);
  }
});

test('flags and substitutions are those of FHIRPath', () => {
  assert.equal(linearPattern('^ab$', 'i').matches('AB'), true);
  assert.equal(linearPattern('^b$', 'm').matches('a\nb'), true);
  assert.equal(linearPattern('^b$').matches('a\nb'), false);
  assert.throws(() => linearPattern('a', 'g'), UnusablePattern);
  assert.equal(linearPattern('(a)(b)').replaceAll('xaby', '[$2$1]'), 'x[ba]y');
  assert.throws(() => linearPattern('a').replaceAll('a'.repeat(10_000), 'b'.repeat(10_000)), UnusablePattern);
});

test('a pattern of exponential time elsewhere runs at once', { timeout: 20_000 }, () => {
  for (const pattern of ['^(a+)+$', '(x+x+)+y', '^(a|aa)+$', '(.*a){20}$', '^(([a-z])+.)+[A-Z]([a-z])+$'])
    assert.equal(linearPattern(pattern).matches(`${'a'.repeat(50_000)}!`), /[.]\*a/.test(pattern) && false);
});

test('backreferences, lookaround and too large patterns are refused with the reason', () => {
  for (const pattern of [
    '(a)\\1',
    '(?<n>a)\\k<n>',
    '(?=a)b',
    '(?!a)b',
    '(?<=a)b',
    'a{1,2000}',
    '[',
    `${'a?'.repeat(6_000)}`,
  ])
    assert.throws(() => linearPattern(pattern), UnusablePattern, pattern);
  assert.throws(
    () => linearPattern('^(a|aa|aaa|b){1,400}$').matches('a'.repeat(100_000)),
    /too costly for a text of 100000/,
  );
});

test('literal patterns are found in function calls, and nowhere else', () => {
  assert.deepEqual(expressionIssues("matches('^a+$') and name.given.all(matchesFull('b|c'))"), []);
  assert.deepEqual(expressionIssues("display = 'matches(\\'(?=a)\\')' // matches('(?=a)')"), []);
  assert.deepEqual(expressionIssues("`matches`.exists() /* matches('(?=a)') */"), []);
  for (const call of [
    "matches('(?=a)')",
    "matches ( '(?=a)' , 'i')",
    "replaceMatches('(?=a)', 'b')",
    "matchesFull('(?=a)')",
  ])
    assert.match(expressionIssues(`given.all(${call})`)[0] ?? '', /\(\?=a\) cannot be run in linear time/, call);
  assert.match(expressionIssues(`'${'a'.repeat(20_000)}' = 'b'`)[0] ?? '', /more than 20000 characters/);
});
