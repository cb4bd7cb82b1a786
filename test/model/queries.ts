// Random searches: conditions of every kind, chains and `_has`, sorting, includes, pages, callers.
import fc from 'fast-check';
import type { Asking, Candidates, Edge } from './candidates.ts';
import { parametersOf } from './parameters.ts';
import type { Filter, Include } from './reference-search.ts';
import { idsOf, TYPES } from './resources.ts';

export interface Query {
  readonly type: string;
  readonly conditions: readonly (readonly [name: string, value: string])[];
  readonly sort: readonly string[];
  readonly includes: readonly Include[];
  readonly count: number;
  readonly compartment: { readonly type: string; readonly id: string } | undefined;
  /** By type; `*` for all others. */
  readonly access: Readonly<Record<string, Filter>>;
}

const PREFIXES = ['', '', 'eq', 'ne', 'gt', 'ge', 'lt', 'le', 'sa', 'eb', 'ap'];

function valuesOf({ values, hasPrefix }: Asking): fc.Arbitrary<string> {
  const one = hasPrefix
    ? fc.tuple(fc.constantFrom(...PREFIXES), fc.constantFrom(...values)).map((parts) => parts.join(''))
    : fc.constantFrom(...values);
  return fc.array(one, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(','));
}

/** A condition on one parameter, without chain. */
function plain(type: string, { values }: Candidates): fc.Arbitrary<readonly [string, string]> {
  const codes = [...(values.get(type) ?? [])];
  return fc.constantFrom(...codes).chain(([code, askings]) =>
    fc.constantFrom(...askings).chain((asking) => {
      const isSingle = asking.modifier === 'missing';
      const value = isSingle ? fc.constantFrom(...asking.values) : valuesOf(asking);
      const name = asking.modifier === undefined ? code : `${code}:${asking.modifier}`;
      return value.map((text): readonly [string, string] => [name, text]);
    }),
  );
}

/**
 * A reference that may lead anywhere is followed to a named type alone; `_has` asks for one that its reference may lead
 * to.
 */
function mustBeNamed({ source, code }: Edge, rest: string): boolean {
  return rest.includes('.') || rest.startsWith('_has') || parametersOf(source).get(code)?.targets.length === 0;
}

/** A condition that may go through up to `depth` references, forwards or backwards. */
function condition(type: string, candidates: Candidates, depth: number): fc.Arbitrary<readonly [string, string]> {
  const direct = plain(type, candidates);
  if (depth === 0) return direct;
  const forwards = candidates.edges.filter(({ source }) => source === type);
  const backwards = candidates.edges.filter(({ target }) => target === type);
  const through = (edge: Edge, isForward: boolean) =>
    fc
      .tuple(condition(isForward ? edge.target : edge.source, candidates, depth - 1), fc.boolean())
      .map(([[name, value], isNamed]): readonly [string, string] =>
        isForward
          ? [`${edge.code}${isNamed || mustBeNamed(edge, name) ? `:${edge.target}` : ''}.${name}`, value]
          : [`_has:${edge.source}:${edge.code}:${name}`, value],
      );
  return fc.oneof(
    { weight: 4, arbitrary: direct },
    ...(forwards.length === 0
      ? []
      : [{ weight: 1, arbitrary: fc.constantFrom(...forwards).chain((edge) => through(edge, true)) }]),
    ...(backwards.length === 0
      ? []
      : [{ weight: 1, arbitrary: fc.constantFrom(...backwards).chain((edge) => through(edge, false)) }]),
  );
}

function includes(type: string, { edges }: Candidates): fc.Arbitrary<Include[]> {
  const any = fc.constantFrom(...edges);
  const near = edges.filter(({ source }) => source === type);
  const onto = edges.filter(({ target }) => target === type);
  const include = (edge: Edge, direction: Include['direction'], isIterated: boolean) =>
    fc
      .constantFrom(`:${edge.target}`, '')
      .map((target): Include => ({ direction, isIterated, value: `${edge.source}:${edge.code}${target}` }));
  const kinds = [
    ...near.map((edge) => include(edge, '_include', false)),
    ...onto.map((edge) => include(edge, '_revinclude', false)),
  ];
  const iterated = fc
    .tuple(any, fc.constantFrom('_include' as const, '_revinclude' as const))
    .chain(([edge, direction]) => include(edge, direction, true));
  const every = fc.constant<Include>({ direction: '_include', isIterated: false, value: `${type}:*` });
  return fc.array(fc.oneof({ weight: 4, arbitrary: fc.oneof(...kinds, every) }, { weight: 2, arbitrary: iterated }), {
    maxLength: 3,
  });
}

const ORG_A = '019a0000-0000-7000-8000-00000000000a';
const filter: fc.Arbitrary<Filter> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Filter>({ kind: 'all' }) },
  { weight: 1, arbitrary: fc.constant<Filter>({ kind: 'none' }) },
  { weight: 3, arbitrary: fc.constant<Filter>({ kind: 'organisations', guids: [ORG_A] }) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(...idsOf('Patient')).map((patientGuid): Filter => ({ kind: 'patient', patientGuid })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...idsOf('Patient')).map(
      (patientGuid): Filter => ({
        kind: 'any',
        filters: [
          { kind: 'patient', patientGuid },
          { kind: 'organisations', guids: [ORG_A] },
        ],
      }),
    ),
  },
);
const access = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Query['access']>({}) },
  { weight: 2, arbitrary: filter.map((all): Query['access'] => ({ '*': all })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(filter, filter, fc.constantFrom(...TYPES))
      .map(([all, one, type]): Query['access'] => ({ '*': all, [type]: one })),
  },
);

/** Parameters that a result can be sorted by. */
const UNSORTED = new Set(['reference', 'composite']);

export function queries(candidates: Candidates): fc.Arbitrary<Query> {
  const searched = TYPES.filter((type) => candidates.values.has(type));
  return fc.constantFrom(...searched).chain((type) => {
    const sortable = [...(candidates.values.get(type)?.keys() ?? [])].filter(
      (code) => !UNSORTED.has(parametersOf(type).get(code)?.type ?? ''),
    );
    const sortKey = fc
      .tuple(fc.constantFrom('', '-'), fc.constantFrom('_id', '_lastUpdated', ...sortable))
      .map((parts) => parts.join(''));
    return fc.record({
      type: fc.constant(type),
      conditions: fc.array(
        fc.oneof({ weight: 12, arbitrary: condition(type, candidates, 2) }, { weight: 1, arbitrary: updated }),
        { maxLength: 3 },
      ),
      sort: fc.array(sortKey, { maxLength: 3 }),
      includes: includes(type, candidates),
      count: fc.constantFrom(1, 2, 3, 7, 20, 1000),
      compartment: fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: compartment }),
      access,
    });
  });
}

/** Resources are a minute apart. */
const updated = fc
  .tuple(fc.constantFrom(...PREFIXES.filter((prefix) => prefix !== 'ap')), fc.integer({ min: 0, max: 250 }))
  .map(([prefix, minute]): readonly [string, string] => [
    '_lastUpdated',
    `${prefix}${new Date(Date.parse('2026-01-01T00:00:00Z') + minute * 60_000).toISOString().slice(0, minute % 2 === 0 ? 16 : 13)}${minute % 2 === 0 ? 'Z' : ':00Z'}`,
  ]);

const compartment = fc
  .constantFrom('Patient', 'Encounter', 'Practitioner')
  .chain((type) => fc.constantFrom(...idsOf(type)).map((id) => ({ type, id })));
