// Expression constraints as trees: both forms of the syntax, and errors with the character at which they are.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TerminologyError } from '../terminology-error.ts';
import { parseExpression } from './parser.ts';
import type { Expression } from './syntax.ts';

/** The tree without positions. */
function tree(text: string): unknown {
  return JSON.parse(JSON.stringify(parseExpression(text), (key, value) => (key === 'at' ? undefined : value)));
}

const concept = (id: string) => ({ kind: 'concept', id });
const related = (operator: string, of: unknown) => ({ kind: 'related', operator, of });
const BODY = concept('123037004');
const MANY = { min: 1, max: null };
const attribute = (name: unknown, value: unknown, more: object = {}) => ({
  kind: 'attribute',
  cardinality: MANY,
  isReverse: false,
  name,
  value,
  ...more,
});
const equals = (of: unknown) => ({ kind: 'expression', isNot: false, of });
const refined = (refinement: unknown) => ({ kind: 'refined', of: { kind: 'any' }, refinement });
const described = (...filters: unknown[]) => ({ kind: 'descriptions', of: { kind: 'any' }, filters });
const SITE = concept('363698007');

const SAME: readonly (readonly [brief: string, long: string, tree: unknown])[] = [
  ['123037004 |Body|', ' 123037004 /* a | b */ | Body structure | ', BODY],
  ['*', 'ANY', { kind: 'any' }],
  ['<<123037004', 'descendantOrSelfOf 123037004', related('descendantOrSelfOf', BODY)],
  ['<123037004', 'DESCENDANTOF 123037004', related('descendantOf', BODY)],
  ['<!123037004', 'childOf 123037004', related('childOf', BODY)],
  ['<<!123037004', 'childOrSelfOf 123037004', related('childOrSelfOf', BODY)],
  ['>>123037004', 'ancestorOrSelfOf 123037004', related('ancestorOrSelfOf', BODY)],
  ['> 123037004', 'ancestorOf 123037004', related('ancestorOf', BODY)],
  ['>!123037004', 'parentOf 123037004', related('parentOf', BODY)],
  ['>>!123037004', 'parentOrSelfOf 123037004', related('parentOrSelfOf', BODY)],
  ['!!>(<123037004)', 'top (descendantOf 123037004)', related('top', related('descendantOf', BODY))],
  ['!!<(*)', 'bottom (any)', related('bottom', { kind: 'any' })],
  ['123037004,*', '123037004 AND *', { kind: 'and', parts: [BODY, { kind: 'any' }] }],
  ['123037004 or * OR *', '123037004 Or any oR any', { kind: 'or', parts: [BODY, { kind: 'any' }, { kind: 'any' }] }],
  ['* MINUS 123037004', 'any minus 123037004', { kind: 'minus', from: { kind: 'any' }, without: BODY }],
  [
    '^[targetComponentId]123037004',
    'memberOf [targetComponentId] 123037004',
    { kind: 'members', of: BODY, fields: ['targetComponentId'], filters: [] },
  ],
  [
    '*:363698007=<<123037004',
    'any : 363698007 = descendantOrSelfOf 123037004',
    refined(attribute(SITE, equals(related('descendantOrSelfOf', BODY)))),
  ],
  [
    '*:[0..1]R 363698007!=*',
    'any : [0 to 1] reverseOf 363698007 NOT = any',
    refined(
      attribute(
        SITE,
        { kind: 'expression', isNot: true, of: { kind: 'any' } },
        { cardinality: { min: 0, max: 1 }, isReverse: true },
      ),
    ),
  ],
  [
    '*:[2..*]{363698007=*}',
    'any : [2 to many] { 363698007 = any }',
    refined({ kind: 'group', cardinality: { min: 2, max: null }, of: attribute(SITE, equals({ kind: 'any' })) }),
  ],
  [
    '*:363698007>=#-1.5',
    'any : 363698007 >= #-1.5',
    refined(attribute(SITE, { kind: 'number', comparison: '>=', value: -1.5 })),
  ],
  [
    '*:363698007!=TRUE',
    'any : 363698007 <> true',
    refined(attribute(SITE, { kind: 'boolean', isNot: true, value: true })),
  ],
  [
    '*:(363698007)="a b"',
    'any : (363698007) = match : "a  b"',
    refined(attribute(SITE, { kind: 'text', isNot: false, terms: [{ kind: 'match', words: ['a', 'b'] }] })),
  ],
  [
    '* . 363698007 . (363698007)',
    'any.363698007.363698007',
    { kind: 'dotted', of: { kind: 'dotted', of: { kind: 'any' }, attribute: SITE }, attribute: SITE },
  ],
  [
    '* {{ type = (syn def), language = (sv en) }}',
    '* {{ D type = ( synonym definition ), language = (SV EN) }}',
    described(
      {
        kind: 'type',
        isNot: false,
        of: { kind: 'or', parts: [concept('900000000000013009'), concept('900000000000550004')] },
      },
      { kind: 'language', isNot: false, codes: ['sv', 'en'] },
    ),
  ],
  [
    '* {{ dialect = (sv-se en-gb (accept)) (prefer) }}',
    '* {{ d dialect = ( sv-SE en-gb (acceptable) ) ( 900000000000548007 |Preferred| ) }}',
    described({
      kind: 'dialect',
      isNot: false,
      dialects: [
        { refset: 'sv-se', acceptabilities: ['900000000000548007'] },
        { refset: 'en-gb', acceptabilities: ['900000000000549004'] },
      ],
    }),
  ],
  [
    '* {{ term = wild:"a\\*b*\\"" }}',
    '* {{ D term = WILD : "a\\*b*\\"" }}',
    described({ kind: 'term', isNot: false, terms: [{ kind: 'wild', parts: ['a*b', '"'] }] }),
  ],
  [
    '* {{ C definitionStatus = primitive, active = false, effectiveTime >= "20240131" }}',
    '* {{ c definitionStatusId = 900000000000074008, active != 1, effectiveTime >= "20240131" }}',
    undefined,
  ],
  ['* {{ +HISTORY }}', '* {{ + history-max }}', { kind: 'history', of: { kind: 'any' }, profile: 'maximum' }],
  ['LOINC#54486-6', '"LOINC#54486-6"', { kind: 'alternate', scheme: 'LOINC', code: '54486-6' }],
];

const INVALID: readonly (readonly [text: string, at: number, expected: string])[] = [
  ['', 1, 'a concept'],
  ['<< ', 4, 'a concept'],
  ['12345', 1, 'an identifier of 6 to 18 digits'],
  ['123037004 |Body', 16, 'the end of the term'],
  ['(123037004', 11, ')'],
  ['123037004)', 10, 'the end'],
  ['* AND * OR *', 9, 'brackets'],
  ['* MINUS * MINUS *', 11, 'brackets'],
  ['* : ', 5, 'a concept'],
  ['* : 363698007', 14, 'a comparison'],
  ['* : [2..1] 363698007 = *', 6, 'a cardinality'],
  ['* : 363698007 = *, 363698007 = * OR 363698007 = *', 34, 'brackets'],
  ['* : { { 363698007 = * } }', 7, 'a concept'],
  ['* {{ colour = "x" }}', 6, 'term, language'],
  ['* {{ term = "x" }', 17, '}}'],
  ['* {{ term < "x" }}', 11, '= or !='],
  ['* {{ D effectiveTime = "20241301" }}', 24, 'a date'],
  ['* {{ + HISTORY-ALL }}', 16, 'MIN, MOD or MAX'],
  ['* {{ C term = "x" }}', 8, 'definitionStatus'],
  ['/* never', 1, 'the end of the comment'],
  ['* : 363698007 = #x', 17, 'a number'],
];

describe('an expression constraint', () => {
  for (const [brief, long, expected] of SAME) {
    it(`has one tree as ${brief} and as ${long}`, () => {
      if (expected !== undefined) assert.deepEqual(tree(brief), expected);
      const isOneStatus = brief.includes('definitionStatus');
      // The token stands for a list of one concept.
      const plain = (each: unknown) =>
        JSON.stringify(each).replaceAll(/\{"kind":"or","parts":\[(\{[^[\]]*\})\]\}/g, '$1');
      if (isOneStatus) assert.equal(plain(tree(brief)), plain(tree(long)));
      else assert.deepEqual(tree(long), tree(brief));
    });
  }

  for (const [text, at, expected] of INVALID) {
    it(`that is not valid names the character: ${text}`, () => {
      assert.throws(
        () => parseExpression(text),
        (error) =>
          error instanceof TerminologyError &&
          error.kind === 'vs-invalid' &&
          error.message.includes(`at character ${at}:`) &&
          error.message.includes(expected),
        text,
      );
    });
  }

  it('has a limited length, and limited levels of brackets', () => {
    const chains = [`*${'.*'.repeat(15_000)}`, `*${'{{C active=1}}'.repeat(2_000)}`];
    for (const text of ['('.repeat(20_000), ' '.repeat(40_000), ...chains]) {
      assert.throws(() => parseExpression(text), { issue: 'too-costly' });
    }
    // Text without an end is no work either.
    for (const piece of ['(|', '("', '/*', '"\\"', '* : (', '*{{', '* : {']) {
      const started = performance.now();
      assert.throws(() => parseExpression(`* : (${piece.repeat(6_000)}`), TerminologyError);
      assert.ok(performance.now() - started < 500, piece);
    }
  });

  it('has the order of its parts, and positions from 1', () => {
    const found = parseExpression(
      '^ 123037004 {{ M active = 0 }} {{ C active = 1 }} {{ +HISTORY-MIN }}',
    ) as Expression & {
      of: { of: { of: { at: number } } };
    };
    assert.deepEqual([found.kind, found.of.of.of.at], ['history', 3]);
  });
});
