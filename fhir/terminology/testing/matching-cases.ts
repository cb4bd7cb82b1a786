// Rules of $related and $find-matches as rows: over the definitions of ./vessels.ts and of this file.
import type { Json } from '../json.ts';

export const FABRICS = 'http://x.org/fabrics';
const STEMS = 'http://x.org/stems';

const code = (name: string, display: string, more: Json = {}): Json => ({ code: name, display, ...more });
const made = (of: string, colour?: string): Json => ({
  property: [
    { code: 'made-of', valueCode: of },
    ...(colour === undefined ? [] : [{ code: 'colour', valueString: colour }]),
  ],
});

const fabrics: Json = {
  resourceType: 'CodeSystem',
  url: FABRICS,
  version: '3',
  status: 'active',
  content: 'complete',
  hierarchyMeaning: 'is-a',
  language: 'en',
  property: [
    { code: 'made-of', type: 'code' },
    { code: 'colour', type: 'string' },
  ],
  concept: [
    code('fibre', 'Fibre', {
      concept: [code('wool', 'Wool', { concept: [code('merino', 'Merino wool')] }), code('flax', 'Flax')],
    }),
    code('tweed', 'Tweed', { ...made('wool', 'brown'), designation: [{ language: 'sv', value: 'Tweedtyg' }] }),
    code('vest', 'Fine vest cloth', made('merino', 'white')),
    code('linen', 'Linen cloth', made('flax', 'white')),
    code('felt', 'Felt', made('wool', 'grey')),
  ],
};

const stems: Json = {
  resourceType: 'CodeSystem',
  url: STEMS,
  status: 'active',
  content: 'fragment',
  concept: [code('bark', 'Bark')],
};

const valueSet = (name: string, compose: Json): Json => ({
  resourceType: 'ValueSet',
  url: `http://x.org/vs/${name}`,
  version: '1',
  status: 'active',
  compose,
});
const listing = (name: string, system: string, ...codes: readonly string[]): Json =>
  valueSet(name, { include: [{ system, concept: codes.map((each) => ({ code: each })) }] });

export const MATCHING_DEFINITIONS: readonly Json[] = [
  fabrics,
  stems,
  valueSet('fabrics', { include: [{ system: FABRICS }] }),
  valueSet('fibres', { include: [{ system: FABRICS, filter: [{ property: 'concept', op: 'is-a', value: 'fibre' }] }] }),
  listing('fibres-listed', FABRICS, 'flax', 'merino', 'wool', 'fibre'),
  listing('cloths', FABRICS, 'tweed', 'linen'),
  listing('wool-and-tweed', FABRICS, 'wool', 'tweed'),
  valueSet('no-fabrics', { include: [{ system: FABRICS }], exclude: [{ system: FABRICS }] }),
  valueSet('no-stems', { include: [{ system: STEMS }], exclude: [{ system: STEMS }] }),
  valueSet('stems', { include: [{ system: STEMS }] }),
  listing('bark', STEMS, 'bark'),
  valueSet('tags', { include: [{ system: 'urn:ietf:bcp:47' }] }),
  listing('tags-sv', 'urn:ietf:bcp:47', 'sv'),
  valueSet('fabric-and-tags', { include: [{ system: FABRICS }, { system: 'urn:ietf:bcp:47' }] }),
  valueSet('of-nothing-known', { include: [{ valueSet: ['http://x.org/vs/none'] }] }),
];

/** The first value set, the second, and their relation. */
export const RELATIONS: readonly (readonly [one: string, other: string, result: string])[] = [
  ['fibres', 'fibres', 'same'],
  ['fibres', 'fibres-listed', 'same'],
  ['fabrics', 'fibres', 'superset'],
  ['fibres', 'fabrics', 'subset'],
  ['fibres', 'wool-and-tweed', 'overlapping'],
  ['fibres', 'cloths', 'disjoint'],
  ['fibres', 'bark', 'disjoint'],
  ['fibres', 'no-fabrics', 'disjoint'],
  ['no-fabrics', 'no-stems', 'empty'],
  // A code system that is known in part may have more codes.
  ['stems', 'stems', 'same'],
  ['stems', 'bark', 'indeterminate'],
  // A grammar has codes without end.
  ['tags', 'tags-sv', 'superset'],
  ['tags-sv', 'tags', 'subset'],
  ['tags', 'tags', 'same'],
  ['fabric-and-tags', 'fabrics', 'superset'],
  // What cannot be evaluated cannot be compared.
  ['of-nothing-known', 'fabrics', 'indeterminate'],
];

export const related = (one: string, other: string, ...more: readonly Json[]): readonly Json[] => [
  { name: 'thisUrl', valueUri: `http://x.org/vs/${one}` },
  { name: 'otherUrl', valueUri: `http://x.org/vs/${other}` },
  ...more,
];

export interface MatchCase {
  readonly name: string;
  readonly properties: readonly Json[];
  readonly isExact?: boolean;
  /** `code`, `code -unmatched,…` and `code ?` for a possible match. */
  readonly found: readonly string[];
}

const property = (name: string, value: Json): Json => ({
  name: 'property',
  part: [
    { name: 'code', valueCode: name },
    { name: 'value', ...value },
  ],
});
const isMadeOf = (of: string): Json => property('made-of', { valueCode: of });
const isColoured = (colour: string): Json => property('colour', { valueString: colour });

export const MATCHES: readonly MatchCase[] = [
  { name: 'one property', properties: [isColoured('white')], found: ['vest', 'linen'] },
  {
    name: 'complete matches come before partial ones',
    properties: [isMadeOf('flax'), isColoured('white')],
    isExact: true,
    found: ['linen', 'vest -made-of'],
  },
  {
    name: 'a value below the given one is a possible match',
    properties: [isMadeOf('wool')],
    found: ['tweed', 'felt', 'vest ?'],
  },
  {
    name: 'an exact search has no possible matches',
    properties: [isMadeOf('wool')],
    isExact: true,
    found: ['tweed', 'felt'],
  },
  {
    name: 'a Coding is compared by its code',
    properties: [property('made-of', { valueCoding: { system: FABRICS, code: 'flax' } })],
    isExact: true,
    found: ['linen'],
  },
  {
    name: 'a name in any language, whatever the case',
    properties: [property('display', { valueString: 'tweedTYG' })],
    isExact: true,
    found: ['tweed'],
  },
  {
    name: 'names that contain the words are possible matches',
    properties: [property('display', { valueString: 'cloth' })],
    found: ['vest ?', 'linen ?'],
  },
  { name: 'the code itself', properties: [property('code', { valueCode: 'felt' })], isExact: true, found: ['felt'] },
  {
    name: 'a parent',
    properties: [property('parent', { valueCode: 'fibre' })],
    isExact: true,
    found: ['wool', 'flax'],
  },
  {
    name: 'a property that no code has is not matched',
    properties: [isColoured('grey'), property('weight', { valueInteger: 4 })],
    found: ['felt -weight'],
  },
  {
    name: 'nested properties are not matched',
    properties: [
      isColoured('grey'),
      {
        name: 'property',
        part: [
          { name: 'code', valueCode: 'group' },
          {
            name: 'subproperty',
            part: [
              { name: 'code', valueCode: 'made-of' },
              { name: 'value', valueCode: 'wool' },
            ],
          },
        ],
      },
    ],
    found: ['felt -group'],
  },
  { name: 'nothing', properties: [isColoured('blue')], found: [] },
];

export const findMatches = ({ properties, isExact = false }: MatchCase): readonly Json[] => [
  { name: 'system', valueUri: FABRICS },
  { name: 'exact', valueBoolean: isExact },
  ...properties,
];
