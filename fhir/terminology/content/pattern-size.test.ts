// The size that is estimated before a pattern is compiled is never less than the size of what is compiled.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { patternSize } from './pattern-size.ts';

const MOST = 1_000_000;
/** Instructions that every compiled pattern has. */
const OF_ALL = 4;

function compiledSize(pattern: string): number | undefined {
  try {
    return RE2JS.compile(pattern).programSize();
  } catch {
    return undefined;
  }
}

/** How many times its size a pattern may be estimated to be. */
for (const [pattern, times] of [
  ['', 1],
  ['[A-Z][0-9]{2}(\\.[0-9]{1,4})?', 3],
  ['^[a-zA-Z0-9._-]{1,64}@.{1,255}\\.[a-z]{2,20}$', 3],
  ['(a?b?){500}', 3],
  ['.{1,1000}'.repeat(20), 3],
  ['((a{10}){10}){10}', 3],
  ['[]a-z]{3}', 3],
  ['[^]]{3}', 3],
  ['\\x{41}{3}', 3],
  ['a{,3}', 3],
  ['a{3,}', 4],
] as const) {
  test(`the size of ${pattern.slice(0, 30)}`, () => {
    const [estimated, compiled] = [patternSize(pattern, MOST), compiledSize(pattern)];
    assert.ok(compiled !== undefined);
    assert.ok(estimated + OF_ALL >= compiled, `${estimated} is less than ${compiled}`);
    assert.ok(estimated <= compiled * times, `${estimated} is much more than ${compiled}`);
  });
}

test('it is never less, for any pattern that can be compiled', () => {
  const piece = fc.constantFrom(
    'a',
    '.',
    '\\d',
    '[ab]',
    '[^]-]',
    '(',
    '(?:',
    ')',
    '|',
    '*',
    '+?',
    '{2}',
    '{0,7}',
    '{3,}',
    '{',
    '}',
  );
  const check = fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
    const pattern = pieces.join('');
    const compiled = compiledSize(pattern);
    if (compiled === undefined) return;
    const estimated = patternSize(pattern, MOST);
    assert.ok(estimated + OF_ALL >= compiled, `${pattern}: ${estimated} is less than ${compiled}`);
  });
  fc.assert(check, { numRuns: 5_000 });
});

test('the counting ends above the most', () => {
  for (const pattern of ['('.repeat(1_000_000), 'a'.repeat(1_000_000), '(a{1000}){1000}'])
    assert.ok(patternSize(pattern, 100) < 2_000_000, pattern.slice(0, 20));
  assert.ok(patternSize('\\pL'.repeat(3_000), MOST) > 20_000, 'classes of Unicode');
});
