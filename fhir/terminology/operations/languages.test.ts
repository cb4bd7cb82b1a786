// Of many languages the same name is chosen as by trying them one by one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type ChosenName, chooseName, type Languages, type Names } from './languages.ts';

const NONE: Languages = { given: undefined, tags: [], isExclusive: false };
/** A language that nobody asks for. */
const OTHER = 'zz';

function oneByOne({ tags, isExclusive }: Languages, names: Names): ChosenName | undefined {
  for (const tag of tags) {
    const found = chooseName(
      { ...NONE, tags: [tag], isExclusive: true },
      { ...names, language: names.language ?? OTHER },
    );
    if (found !== undefined) return found;
  }
  return chooseName({ ...NONE, isExclusive }, names);
}

test('a name in the most preferred language of several', () => {
  const tag = fc.constantFrom('sv', 'sv-SE', 'sv-FI', 'en', 'en-GB', 'de', 'fi');
  const designation = fc.record({
    value: fc.constantFrom('a', 'b', 'c', 'd'),
    language: fc.option(tag, { nil: undefined }),
    use: fc.constantFrom(
      undefined,
      { system: 'http://x.org', code: 'display' },
      { system: 'http://x.org', code: 'other' },
    ),
  });
  const names = fc.record({
    display: fc.option(fc.constant('own'), { nil: undefined }),
    language: fc.option(tag, { nil: undefined }),
    designations: fc.array(designation, { maxLength: 5 }),
  });
  const languages = fc.record({
    given: fc.constant('as given'),
    tags: fc.uniqueArray(tag, { minLength: 1, maxLength: 7 }),
    isExclusive: fc.boolean(),
  });
  fc.assert(
    fc.property(languages, names, (asked, of) => assert.deepEqual(chooseName(asked, of), oneByOne(asked, of))),
    { numRuns: 3_000 },
  );
});
