// Imports that make a store much larger leave it with statistics (docs/adr/0164).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readResourceText } from '#fhir/resources/resource-text.ts';
import { newGuid } from '#lib/guid.ts';
import { createTestStore } from '#test/support/fhir/fhir-store.ts';
import { analyzeAfter } from './analyze.ts';

const { store, db } = await createTestStore({ after });
for (const table of ['fhir_resource', 'fhir_token']) {
  await db.query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
}

/** As an import of so many resources does it. */
async function importMany(count: number): Promise<void> {
  const items = await Promise.all(
    Array.from({ length: count }, () => {
      const resource = { resourceType: 'Patient', id: newGuid(), gender: 'female' };
      const source = readResourceText(JSON.stringify(resource));
      return store.prepareBulk({ id: resource.id, source, organisation: null });
    }),
  );
  await db.transaction((tx) => store.writeBulk(tx, items, () => true), { copies: true });
  await analyzeAfter(db, count);
}

async function expectedRows(): Promise<number[]> {
  const { rows } = await db.query<{ count: unknown }>(
    `SELECT reltuples AS count FROM pg_class WHERE oid IN ('fhir_resource'::regclass, 'fhir_token'::regclass)
     ORDER BY relname`,
  );
  return rows.map(({ count }) => Number(count));
}

test('an import of some hundreds into an empty store, and one by which it grows by a tenth', async () => {
  await importMany(600);
  const [resources = 0, tokens = 0] = await expectedRows();
  assert.ok(resources >= 600 && tokens >= 600);
  await importMany(100);
  assert.deepEqual(await expectedRows(), [resources, tokens]);
  await importMany(500);
  const [more = 0] = await expectedRows();
  assert.ok(more >= 1_200);
});

test('a table that vacuum has is left, and nobody waits', async () => {
  const before = await expectedRows();
  await db.transaction(async (tx) => {
    await tx.query('LOCK TABLE fhir_resource IN SHARE UPDATE EXCLUSIVE MODE');
    await analyzeAfter(db, 10_000);
  });
  assert.deepEqual((await expectedRows()).slice(0, 1), before.slice(0, 1));
});
