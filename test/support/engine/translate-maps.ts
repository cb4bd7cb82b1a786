// Concept maps of every kind for the tests of $translate, and the calls.
import assert from 'node:assert/strict';
import type { TestEngine } from './engine.ts';

export const LOCAL = 'http://x.org/local';
export const LAB = 'http://x.org/lab';
export const OLD = 'http://x.org/old';
export const MAP = 'http://x.org/local-to-lab';
export const AGE = 'http://x.org/age';
const codeSystem = (id: string, url: string, codes: readonly string[]) => ({
  resourceType: 'CodeSystem',
  id,
  url,
  status: 'active',
  content: 'complete',
  concept: codes.map((code) => ({
    code,
    display: `The ${code}`,
    ...(code === 'GLU' ? { designation: [{ language: 'sv', value: 'Glukos' }] } : {}),
  })),
});
const valueSet = (id: string, system: string, codes: readonly string[]) => ({
  resourceType: 'ValueSet',
  id,
  url: `http://x.org/${id}`,
  status: 'active',
  compose: { include: [{ system, concept: codes.map((code) => ({ code })) }] },
});
export const to = (code: string, more: object = {}) => ({ code, relationship: 'equivalent', ...more });
export const conceptMap = (id: string, group: object, more: object = {}) => ({
  resourceType: 'ConceptMap',
  id,
  url: `http://x.org/${id}`,
  version: '1',
  status: 'active',
  group: [{ source: LOCAL, target: LAB, ...group }],
  ...more,
});
const map = conceptMap(
  'local-to-lab',
  {
    element: [
      { code: 'glucose', target: [to('GLU')] },
      {
        code: 'blood',
        target: [
          { code: 'HB', relationship: 'source-is-broader-than-target', comment: 'One of them' },
          to('WBC', { relationship: 'not-related-to', comment: 'Often mixed up' }),
        ],
      },
      { code: 'nothing', noMap: true },
      { code: 'apart', target: [to('WBC', { relationship: 'not-related-to', comment: 'It is not' })] },
      {
        code: 'count',
        target: [
          to('ADULT', {
            dependsOn: [{ attribute: 'age', valueCode: 'adult' }],
            product: [{ attribute: 'unit', valueString: 'g/L' }],
            property: [{ code: 'priority', valueInteger: 1 }],
          }),
          to('CHILD', { dependsOn: [{ attribute: 'age', valueSet: 'http://x.org/young' }] }),
        ],
      },
      { valueSet: 'http://x.org/cells', target: [{ code: 'WBC', relationship: 'source-is-narrower-than-target' }] },
      { code: 'both', target: [{ valueSet: 'http://x.org/sugars', relationship: 'related-to' }] },
    ],
  },
  {
    property: [{ code: 'priority', uri: 'http://x.org/priority', type: 'integer' }],
    additionalAttribute: [
      { code: 'age', uri: AGE, type: 'code' },
      { code: 'unit', type: 'string' },
    ],
  },
);
const only = { element: [{ code: 'glucose', target: [to('GLU')] }] };
const RESOURCES = [
  codeSystem('local', LOCAL, ['glucose', 'blood', 'nothing', 'apart', 'count', 'eos', 'both', 'odd']),
  codeSystem('lab', LAB, ['GLU', 'HB', 'WBC', 'ADULT', 'CHILD', 'FRU']),
  valueSet('cells', LOCAL, ['eos']),
  valueSet('sugars', LAB, ['GLU', 'FRU']),
  valueSet('young', AGE, ['baby', 'child']),
  map,
  conceptMap('same', { ...only, unmapped: { mode: 'use-source-code', relationship: 'equivalent' } }),
  conceptMap('fixed', {
    ...only,
    unmapped: { mode: 'fixed', code: 'FRU', display: 'Fruit', relationship: 'related-to' },
  }),
  conceptMap('set', {
    ...only,
    unmapped: { mode: 'fixed', valueSet: 'http://x.org/sugars', relationship: 'related-to' },
  }),
  conceptMap('onward', { ...only, unmapped: { mode: 'other-map', otherMap: `${MAP}|1` } }),
  conceptMap('astray', { ...only, unmapped: { mode: 'other-map', otherMap: 'http://x.org/none' } }),
  conceptMap('circle', { ...only, unmapped: { mode: 'other-map', otherMap: 'http://x.org/circle' } }),
  conceptMap(
    'scoped',
    { ...only, unmapped: { mode: 'fixed', code: 'FRU', relationship: 'related-to' } },
    {
      sourceScopeCanonical: 'http://x.org/cells',
    },
  ),
  { ...conceptMap('versions-1', only), url: 'http://x.org/versions' },
  {
    ...conceptMap('versions-2', { element: [{ code: 'glucose', target: [to('FRU')] }] }),
    url: 'http://x.org/versions',
    version: '2',
  },
  { ...conceptMap('past', { source: OLD, element: [{ code: 'glucose', target: [to('HB')] }] }), status: 'retired' },
];

export interface Part {
  readonly name: string;
  readonly part?: readonly Part[];
  readonly valueBoolean?: boolean;
  readonly valueString?: string;
  readonly valueCode?: string;
  readonly valueUri?: string;
  readonly valueCoding?: { readonly system: string; readonly code: string; readonly display?: string };
}

export function partOf(part: Part, name: string): Part | undefined {
  return part.part?.find((each) => each.name === name);
}

/** `relationship code map` of each match, the map without its beginning. */
function matches(body: { parameter: readonly Part[] }): string[] {
  return body.parameter
    .filter(({ name }) => name === 'match')
    .map((match) =>
      [
        partOf(match, 'relationship')?.valueCode,
        partOf(match, 'concept')?.valueCoding?.code,
        partOf(match, 'originMap')?.valueUri?.replace('http://x.org/', ''),
      ].join(' '),
    );
}

function outcome(body: { parameter: readonly Part[] }): Outcome {
  return [body.parameter.find(({ name }) => name === 'result')?.valueBoolean, matches(body)];
}

type Outcome = [result: boolean | undefined, matches: string[]];

/** Stores the maps with their code systems. The calls translate a code by GET and by POST. */
export async function translating({ call }: Pick<TestEngine, 'call'>) {
  for (const resource of RESOURCES) {
    const answer = await call('planner', 'PUT', `/${resource.resourceType}/${resource.id}`, resource);
    assert.equal(answer.status, 201, answer.text);
  }

  async function get(query: string, id = ''): Promise<Outcome> {
    const { body, status, text } = await call('planner', 'GET', `/ConceptMap${id}/$translate?${query}`);
    assert.equal(status, 200, text);
    return outcome(body);
  }

  async function post(...parameter: readonly object[]): Promise<Outcome> {
    const { body, status, text } = await call('planner', 'POST', '/ConceptMap/$translate', {
      resourceType: 'Parameters',
      parameter,
    });
    assert.equal(status, 200, text);
    return outcome(body);
  }

  return { get, post };
}
