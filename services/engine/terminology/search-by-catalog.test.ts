// Searches by value sets and hierarchies read the node's catalog in memory, not the database (docs/adr/0017).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { nameKey } from '#fhir/search/extract/keys.ts';
import { startTestEngine } from '#test/support/engine/engine.ts';

const asked: string[] = [];
const { call } = await startTestEngine(
  { after },
  {
    connect: async (testDatabase) => {
      const database = testDatabase.database('engine');
      const query: typeof database.query = (statement, values) => {
        asked.push(`${typeof statement === 'string' ? statement : statement.text} ${JSON.stringify(values)}`);
        return database.query(statement, values);
      };
      return { ...database, query };
    },
  },
);

const SYSTEM = 'http://x.org/kinds';
const kinds = {
  resourceType: 'CodeSystem',
  id: 'kinds',
  url: SYSTEM,
  status: 'active',
  content: 'complete',
  hierarchyMeaning: 'is-a',
  concept: [{ code: 'all', concept: [{ code: 'some', concept: [{ code: 'one' }] }] }, { code: 'other' }],
};
const few = {
  resourceType: 'ValueSet',
  id: 'few',
  url: 'http://x.org/few',
  version: '1',
  status: 'active',
  compose: { include: [{ system: SYSTEM, filter: [{ property: 'concept', op: 'is-a', value: 'some' }] }] },
};
const observation = (code: string) => ({
  resourceType: 'Observation',
  id: `kind-${code}`,
  status: 'final',
  code: { coding: [{ system: SYSTEM, code }] },
});
for (const resource of [kinds, few, ...['all', 'some', 'one', 'other'].map(observation)]) {
  const answer = await call('planner', 'PUT', `/${resource.resourceType}/${resource.id}`, resource);
  assert.equal(answer.status, 201, answer.text);
}

const DEFINITIONS = [nameKey('CodeSystem'), nameKey('ValueSet')].map(String);

const rows: readonly (readonly [query: string, ids: readonly string[]])[] = [
  ['code:in=http://x.org/few', ['one', 'some']],
  ['code:in=http://x.org/few|1', ['one', 'some']],
  ['code:in=ValueSet/few', ['one', 'some']],
  ['code:not-in=http://x.org/few', ['all', 'other']],
  [`code:below=${SYSTEM}|some`, ['one', 'some']],
  [`code:above=${SYSTEM}|some`, ['all', 'some']],
];
for (const [query, ids] of rows) {
  test(query, async () => {
    asked.length = 0;
    const { body, status, text } = await call('planner', 'GET', `/Observation?${query}`);
    assert.equal(status, 200, text);
    const found = body.entry.map(({ resource }: { resource: { id: string } }) => resource.id.replace('kind-', ''));
    assert.deepEqual(found.sort(), ids);
    assert.ok(asked.length > 0);
    assert.deepEqual(
      asked.filter((each) => DEFINITIONS.some((key) => each.includes(key))),
      [],
    );
  });
}

test('unknown value sets and codes are reported', async () => {
  for (const query of [
    'code:in=urn:none',
    'code:in=ValueSet/none',
    `code:below=${SYSTEM}|none`,
    'code:above=urn:x|y',
  ]) {
    assert.equal((await call('planner', 'GET', `/Observation?${query}`)).status, 400, query);
  }
});
