// What a node takes up of the code systems, value sets and concept maps that are written. It also tests what its polls
// cost. The tests of the engine show the effect.
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { nameKey } from '#fhir/search/extract/keys.ts';
import type { DefinitionType } from '#fhir/terminology/catalog/catalog.ts';
import { createTestStore } from '#test/support/fhir/fhir-store.ts';
import { countRows, whileUncommitted, writeInVain } from '#test/support/fhir/followed-writes.ts';
import { eventually } from '#test/support/http.ts';
import { makeTestLogger } from '#test/support/http-app.ts';
import { createTerminologyNode, type TerminologyNode } from './terminology-node.ts';

const { db, put } = await createTestStore({ after });

const definition = (resourceType: DefinitionType, id: string, version = '1') => ({
  resourceType,
  id,
  url: `http://example.org/${id}`,
  version,
  status: 'active',
  ...(resourceType === 'CodeSystem' ? { content: 'complete', concept: [{ code: `${id}-${version}` }] } : {}),
});

/** A node that returns what it has, and how many rows it was answered. */
function follow(): { node: TerminologyNode; known(): string[]; rows(): number } {
  const { database, rows } = countRows(db);
  const node = createTerminologyNode({ database, log: makeTestLogger([]) });
  const known = () =>
    (['CodeSystem', 'ValueSet', 'ConceptMap'] as const)
      .flatMap((type) => node.catalog.list(type).map(({ id, version }) => `${type}/${id} ${version}`))
      .sort();
  return { node, known, rows };
}

beforeEach(async () => {
  await db.query('TRUNCATE fhir_resource, fhir_history, fhir_definition_change');
});

test('creates, updates and deletions are taken up, of definitions only', async () => {
  await put(definition('CodeSystem', 'a'));
  await put({ resourceType: 'Patient', id: 'p' });
  const { node, known } = follow();
  await node.refresh();
  assert.deepEqual(known(), ['CodeSystem/a 1']);
  assert.equal(node.catalog.codeSystems('http://example.org/a')[0]?.model().find('a-1'), 0);
  // Of the same id, and so of the same number.
  await put(definition('ValueSet', 'a'));
  await put(definition('ConceptMap', 'b'));
  await put({ resourceType: 'Patient', id: 'p', active: true });
  await node.refresh();
  assert.deepEqual(known(), ['CodeSystem/a 1', 'ConceptMap/b 1', 'ValueSet/a 1']);
  const { generation } = node.catalog;
  await node.refresh();
  assert.equal(node.catalog.generation, generation, 'what is computed is kept while nothing changes');
  await put(definition('CodeSystem', 'a', '2'));
  await node.refresh();
  assert.deepEqual(known(), ['CodeSystem/a 2', 'ConceptMap/b 1', 'ValueSet/a 1']);
  await db.query('UPDATE fhir_resource SET deleted = true, version = version + 1 WHERE type = $1', [
    nameKey('ConceptMap'),
  ]);
  await node.refresh();
  assert.deepEqual(known(), ['CodeSystem/a 2', 'ValueSet/a 1']);
});

test('who commits after a later one is not overlooked, and who is rolled back leaves nothing', async () => {
  const { node, known } = follow();
  await node.refresh();
  await whileUncommitted(db, definition('ValueSet', 'slow'), async () => {
    await put(definition('ValueSet', 'quick'));
    await node.refresh();
    assert.deepEqual(known(), ['ValueSet/quick 1']);
  });
  await writeInVain(db, definition('ValueSet', 'refused'));
  await node.refresh();
  assert.deepEqual(known(), ['ValueSet/quick 1', 'ValueSet/slow 1']);
});

test('a poll that finds nothing new reads one row, however many definitions there are', async () => {
  for (let index = 0; index < 30; index += 1) await put(definition('ValueSet', `d${index}`));
  const { node, known, rows } = follow();
  await node.refresh();
  assert.equal(known().length, 30);
  // Once no transaction is running, in any database of the server, that was when they were written.
  await eventually('a poll read one row', async () => {
    const before = rows();
    await node.refresh();
    return rows() - before === 1 ? true : undefined;
  });
  await put(definition('ValueSet', 'd7', '2'));
  const changed = rows();
  await node.refresh();
  assert.equal(rows() - changed, 3, 'the poll, its version and its content');
  assert.ok(known().includes('ValueSet/d7 2'));
});
