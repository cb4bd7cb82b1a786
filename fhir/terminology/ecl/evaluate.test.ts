// The evaluation on columns finds what a plain one over objects finds, for random expressions over random code systems.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { members } from '../model/bitset.ts';
import { allOf } from '../model/steps.ts';
import { evaluateExpression } from './evaluate.ts';
import { parseExpression } from './parser.ts';
import type {
  Attribute,
  Cardinality,
  ComparedValue,
  ConceptFilter,
  DescriptionFilter,
  Expression,
  MemberFilter,
  Refinement,
  SearchTerm,
} from './syntax.ts';
import { modelOf, type TestConcept, type TestRefset, type TestSystem } from './testing/concepts.ts';
import { naively } from './testing/naive.ts';
import { written } from './testing/write.ts';

const SIZE = 14;
const CODES: readonly string[] = Array.from({ length: SIZE }, (_, at) => `${100_001 + at}`);
const TYPES = CODES.slice(0, 3);
const MODULES = CODES.slice(3, 5);
const REFSETS = CODES.slice(5, 8);
const DIALECTS = ['900000000000509007', '46011000052107'];
const DESCRIPTION_TYPES = ['900000000000003001', '900000000000013009', '900000000000550004'];
const TIMES = ['20250101', '20250701', '20260101'];
const WORDS = ['heart', 'Heartache', 'HAND', 'hjärta', 'of', 'att*ck'];

const places = fc.nat(SIZE - 1);
const code = fc.constantFrom(...CODES);
const moduleId = fc.constantFrom(...MODULES);
const time = fc.constantFrom(...TIMES);
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 });
const concrete = fc.constantFrom('#1', '#2.5', '#-3', '"heart attack"', '"hand"', 'true', 'FALSE');

const description = fc.record({
  term: words.map((list) => list.join(' ')),
  language: fc.constantFrom('en', 'sv'),
  type: fc.constantFrom(...DESCRIPTION_TYPES),
  moduleId,
  effectiveTime: time,
  dialects: fc.uniqueArray(fc.record({ refset: fc.constantFrom(...DIALECTS), isPreferred: fc.boolean() }), {
    selector: ({ refset }) => refset,
    maxLength: 2,
  }),
});

const relation = fc.record({
  type: fc.constantFrom(...TYPES),
  group: fc.nat(3),
  target: fc.oneof({ weight: 4, arbitrary: places }, { weight: 1, arbitrary: concrete }),
});

function conceptAt(place: number): fc.Arbitrary<TestConcept> {
  return fc
    .record({
      isActive: fc.integer({ min: 0, max: 5 }).map((chance) => chance > 0),
      isDefined: fc.boolean(),
      moduleId,
      effectiveTime: time,
      // A parent comes before or behind its children, by a fixed order: there are no circles.
      parents: place === 0 ? fc.constant([]) : fc.uniqueArray(fc.nat(place - 1), { maxLength: 3 }),
      relations: fc.uniqueArray(relation, { maxLength: 6, selector: (each) => JSON.stringify(each) }),
      descriptions: fc.array(description, { maxLength: 3 }),
    })
    .map(({ isActive, parents, relations, ...rest }) => ({
      ...rest,
      code: CODES[place] ?? '',
      isActive,
      parents: isActive ? parents : [],
      relations: isActive ? relations : [],
    }));
}

const refset = (id: string, fields: readonly string[]): fc.Arbitrary<TestRefset> =>
  fc
    .array(
      fc.record({
        concept: places,
        moduleId,
        effectiveTime: time,
        values: fc.tuple(
          ...fields.map(
            (name): fc.Arbitrary<number | string> =>
              name === 'mapTarget' ? fc.constantFrom('J45.9', 'J45.0') : places,
          ),
        ),
      }),
      { maxLength: 5 },
    )
    .map((members) => ({ code: id, fields, members }));

const systems: fc.Arbitrary<TestSystem> = fc
  .record({
    concepts: fc.tuple(...CODES.map((_, place) => conceptAt(place))),
    refsets: fc.tuple(
      refset(REFSETS[0] ?? '', []),
      refset(REFSETS[1] ?? '', ['targetComponentId']),
      refset(REFSETS[2] ?? '', ['mapTarget']),
    ),
  })
  // An inactive concept is above none.
  .map(({ concepts, refsets }) => ({
    refsets: refsets.filter(({ members }) => members.length > 0),
    concepts: concepts.map((concept) => ({
      ...concept,
      parents: concept.parents.filter((parent) => concepts[parent]?.isActive === true),
    })),
  }));

const isNot = fc.boolean();
const cardinality: fc.Arbitrary<Cardinality> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ min: 1, max: Number.POSITIVE_INFINITY }) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.nat(2), fc.constantFrom(0, 1, Number.POSITIVE_INFINITY))
      .map(([min, more]) => ({ min, max: min + more })),
  },
);
const comparison = fc.constantFrom(
  '=' as const,
  '!=' as const,
  '<' as const,
  '<=' as const,
  '>' as const,
  '>=' as const,
);
const searchTerm: fc.Arbitrary<SearchTerm> = fc.oneof(
  words.map((list) => ({ kind: 'match' as const, words: list.map((word) => word.slice(0, 3)) })),
  fc
    .array(fc.constantFrom('', 'h', 'ha', 'art', '*', ' '), { minLength: 1, maxLength: 3 })
    .map((parts) => ({ kind: 'wild' as const, parts })),
);
const terms = fc.array(searchTerm, { minLength: 1, maxLength: 2 });
const concept = code.map((id): Expression => ({ kind: 'concept', id, at: 0 }));
const timeFilter = fc.record({
  kind: fc.constant('time' as const),
  comparison,
  values: fc.array(time, { minLength: 1, maxLength: 2 }),
});
const moduleFilter = fc.record({ kind: fc.constant('module' as const), isNot, of: concept });
const statuses = fc
  .constantFrom('900000000000074008', '900000000000073002')
  .map((id): Expression => ({ kind: 'concept', id, at: 0 }));

const conceptFilter: fc.Arbitrary<ConceptFilter> = fc.oneof(
  timeFilter,
  moduleFilter,
  fc.record({ kind: fc.constant('active' as const), isActive: fc.boolean() }),
  fc.record({ kind: fc.constant('definitionStatus' as const), isNot, of: statuses }),
);

const dialect = fc.record({
  refset: fc.constantFrom('en-us', 'sv-se'),
  acceptabilities: fc.subarray(['900000000000548007', '900000000000549004']),
  at: fc.constant(0),
});

const descriptionFilter: fc.Arbitrary<DescriptionFilter> = fc.oneof(
  fc.record({ kind: fc.constant('term' as const), isNot, terms }),
  fc.record({ kind: fc.constant('language' as const), isNot, codes: fc.subarray(['en', 'sv'], { minLength: 1 }) }),
  fc.record({
    kind: fc.constant('type' as const),
    isNot,
    of: fc.constantFrom(...DESCRIPTION_TYPES).map((id): Expression => ({ kind: 'concept', id, at: 0 })),
  }),
  fc.record({
    kind: fc.constant('dialect' as const),
    isNot,
    dialects: fc.array(dialect, { minLength: 1, maxLength: 2 }),
  }),
  timeFilter,
  moduleFilter,
);

const operator = fc.constantFrom(
  'childOf' as const,
  'childOrSelfOf' as const,
  'descendantOf' as const,
  'descendantOrSelfOf' as const,
  'parentOf' as const,
  'parentOrSelfOf' as const,
  'ancestorOf' as const,
  'ancestorOrSelfOf' as const,
  'top' as const,
  'bottom' as const,
);

const some = <T>(item: fc.Arbitrary<T>, maxLength = 3) => fc.array(item, { minLength: 1, maxLength });

interface Rules {
  readonly expression: Expression;
  readonly attribute: Attribute;
  readonly inGroup: Refinement;
  readonly refinement: Refinement;
}

const { expression: expressions } = fc.letrec<Rules>((tie: fc.LetrecTypedTie<Rules>) => {
  const inner = tie('expression');
  const value: fc.Arbitrary<ComparedValue> = fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('expression' as const), isNot, of: inner }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('number' as const), comparison, value: fc.constantFrom(1, 2.5, -3) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('text' as const), isNot, terms }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('boolean' as const), isNot, value: fc.boolean() }) },
  );
  const name = fc.oneof(
    fc.constantFrom(...TYPES).map((id): Expression => ({ kind: 'concept', id, at: 0 })),
    inner,
  );
  const plain = fc.record({
    kind: fc.constant('attribute' as const),
    cardinality,
    isReverse: fc.constant(false),
    name,
    value,
    at: fc.constant(0),
  });
  const reversed = plain.map(
    (each): Attribute => (each.value.kind === 'expression' ? { ...each, isReverse: true } : each),
  );
  const target = fc.record({ kind: fc.constant('expression' as const), isNot, of: inner });
  const field: fc.Arbitrary<MemberFilter> = fc.record({
    kind: fc.constant('field' as const),
    name: fc.constant('referencedComponentId'),
    value: target,
    at: fc.constant(0),
  });
  const memberFilters = fc.array(fc.oneof(field, timeFilter, moduleFilter), { maxLength: 2 });
  const joined = <T>(item: fc.Arbitrary<T>) =>
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      parts: fc.array(item, { minLength: 2, maxLength: 3 }),
    });
  return {
    attribute: fc.oneof({ weight: 3, arbitrary: plain }, { weight: 1, arbitrary: reversed }),
    inGroup: fc.oneof({ maxDepth: 2 }, plain, joined(tie('inGroup'))) as fc.Arbitrary<Refinement>,
    refinement: fc.oneof(
      { maxDepth: 3 },
      tie('attribute'),
      fc.record({ kind: fc.constant('group' as const), cardinality, of: tie('inGroup') }),
      joined(tie('refinement')),
    ) as fc.Arbitrary<Refinement>,
    expression: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      concept,
      fc.constant({ kind: 'any' as const }),
      fc.record({ kind: fc.constant('related' as const), operator, of: inner }),
      joined(inner),
      fc.record({ kind: fc.constant('minus' as const), from: inner, without: inner }),
      fc.record({
        kind: fc.constant('members' as const),
        of: fc.oneof(
          fc.constantFrom(...REFSETS).map((id): Expression => ({ kind: 'concept', id, at: 0 })),
          inner,
        ),
        fields: fc.constant(['referencedComponentId']),
        filters: memberFilters,
        at: fc.constant(0),
      }),
      fc.record({ kind: fc.constant('refined' as const), of: inner, refinement: tie('refinement') }),
      fc.record({
        kind: fc.constant('refined' as const),
        of: fc.constant({ kind: 'any' as const }),
        refinement: tie('refinement'),
      }),
      fc.record({ kind: fc.constant('dotted' as const), of: inner, attribute: name }),
      fc.record({ kind: fc.constant('descriptions' as const), of: inner, filters: some(descriptionFilter) }),
      fc.record({ kind: fc.constant('concepts' as const), of: inner, filters: some(conceptFilter, 2) }),
      fc.record({
        kind: fc.constant('history' as const),
        of: inner,
        profile: fc.constantFrom(...REFSETS).map((id): Expression => ({ kind: 'concept', id, at: 0 })),
      }),
    ) as fc.Arbitrary<Expression>,
  };
});

const RUNS = Number(process.env['KEDJA_ECL_RUNS'] ?? 150);

describe('the evaluation of an expression constraint', () => {
  it('finds the concepts that a plain evaluation finds', () => {
    fc.assert(
      fc.property(systems, fc.array(expressions, { minLength: 1, maxLength: 5 }), (system, list) => {
        const model = modelOf(system);
        for (const expression of list) {
          const text = written(expression);
          const found = members(allOf(evaluateExpression(parseExpression(text), model)));
          assert.deepEqual(found, naively(expression, system), text);
        }
      }),
      { numRuns: RUNS },
    );
  });
});
