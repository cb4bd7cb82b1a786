// What a node takes up of the StructureDefinitions that are written, and what its polls cost; the tests of the engine
// show the effect.
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import type { Structure } from '#fhir/profiles/snapshot/structure.ts';
import { nameKey } from '#fhir/search/extract/keys.ts';
import { readChanges } from '#lib/db/change-table.ts';
import type { LoadedFollower } from '#lib/jobs/follower.ts';
import { createTestStore } from '#test/support/fhir/fhir-store.ts';
import { countRows, whileUncommitted, writeInVain } from '#test/support/fhir/followed-writes.ts';
import { eventually } from '#test/support/http.ts';
import { makeTestLogger } from '#test/support/http-app.ts';
import { createProfileNode } from './profile-node.ts';

const { db, put } = await createTestStore({ after });
const TYPE = 'StructureDefinition';

const definition = (id: string, name = id) => ({
  resourceType: TYPE,
  id,
  url: `http://example.org/fhir/${id}`,
  name,
  status: 'active',
  kind: 'resource',
  abstract: false,
  type: 'Observation',
  derivation: 'constraint',
  differential: { element: [{ id: 'Observation', path: 'Observation' }] },
});

/**
 * A node that returns the names of the profiles it has, how often it has taken any up, and how many rows it was
 * answered.
 */
function follow(): { node: LoadedFollower; names(): string[]; replaced(): number; rows(): number } {
  let structures: readonly Structure[] = [];
  let replaced = 0;
  const { database, rows } = countRows(db);
  const replace = (given: readonly Structure[]) => {
    structures = given;
    replaced += 1;
  };
  const node = createProfileNode({ database, profiles: { replace }, log: makeTestLogger([]) });
  return { node, names: () => structures.map(({ name }) => name).sort(), replaced: () => replaced, rows };
}

beforeEach(async () => {
  await db.query('TRUNCATE fhir_resource, fhir_history, fhir_profile_change');
});

test('creates, updates, retirements and deletions are taken up, of definitions only', async () => {
  await put(definition('a'));
  await put({ resourceType: 'Patient', id: 'p' });
  const { node, names, replaced } = follow();
  await node.refresh();
  assert.deepEqual(names(), ['a']);
  await put(definition('b'));
  await put({ resourceType: 'Patient', id: 'p', active: true });
  await node.refresh();
  assert.deepEqual(names(), ['a', 'b']);
  await put(definition('a', 'another'));
  await node.refresh();
  assert.deepEqual(names(), ['another', 'b']);
  await put({ ...definition('b'), status: 'retired' });
  await node.refresh();
  assert.deepEqual(names(), ['another']);
  await db.query('UPDATE fhir_resource SET deleted = true, version = version + 1 WHERE type = $1', [nameKey(TYPE)]);
  await node.refresh();
  assert.deepEqual(names(), []);
  assert.equal(replaced(), 5);
});

test('who commits after a later one is not overlooked, and who is rolled back leaves nothing', async () => {
  await put(definition('a'));
  const { node, names } = follow();
  await node.refresh();
  await whileUncommitted(db, definition('slow'), async () => {
    await put(definition('quick'));
    await node.refresh();
    assert.deepEqual(names(), ['a', 'quick']);
  });
  await writeInVain(db, definition('refused'));
  await node.refresh();
  assert.deepEqual(names(), ['a', 'quick', 'slow']);
});

test('a poll that finds nothing new reads one row, however many definitions there are', async () => {
  for (let index = 0; index < 60; index += 1) await put(definition(`d${index}`));
  const { node, names, rows, replaced } = follow();
  await node.refresh();
  assert.equal(names().length, 60);
  // Once no transaction is running, in any database of the server, that was when they were written.
  await eventually('a poll read one row', async () => {
    const before = rows();
    await node.refresh();
    return rows() - before === 1 ? true : undefined;
  });
  await put(definition('d7', 'changed'));
  const changed = rows();
  await node.refresh();
  assert.equal(rows() - changed, 3, 'the poll, its version and its content');
  assert.equal(replaced(), 2);
});

test('numbers of transactions from another server, in a database that was restored, hide nothing', async () => {
  await put(definition('a'));
  await put(definition('b'));
  await db.query("UPDATE fhir_profile_change SET changed_by = '9000000000'");
  const { node, names, rows } = follow();
  await node.refresh();
  assert.deepEqual(names(), ['a', 'b']);
  const before = rows();
  await put(definition('b', 'changed'));
  await node.refresh();
  assert.deepEqual(names(), ['a', 'changed']);
  assert.equal(rows() - before, 3);
});

test('a schema that moved to a server with lower numbers of transactions hides nothing', async () => {
  await put(definition('c'));
  const changes = { table: 'fhir_profile_change', key: 'rid::text' };
  const { rows } = await db.query<{ key: string }>('SELECT rid::text AS key FROM fhir_profile_change');
  await db.query("UPDATE fhir_profile_change SET changed_by = '8999999999'");
  const { position, keys } = await readChanges(db, changes, '9000000000');
  assert.deepEqual([...keys].sort(), rows.map(({ key }) => key).sort());
  assert.ok(BigInt(position) < 9_000_000_000n, 'the next poll continues with the numbers of this server');
});
