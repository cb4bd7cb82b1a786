// Computing the index again: the same rows as writing makes, resumed, shared, and never older than what is written
// meanwhile.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { createTestStore, type TestStore } from '#test/support/fhir/fhir-store.ts';
import { ALL_ACCESS } from '../access.ts';
import { INDEX_TABLES } from './index-tables.ts';
import { type ReindexProgress, reindex } from './reindex.ts';

const PATIENTS = 40;

/** Every index row, sorted. */
async function indexOf({ db }: TestStore): Promise<string[]> {
  const tables = await Promise.all(
    INDEX_TABLES.map(async ({ table }) => {
      const { rows } = await db.query<{ row: string }>(`SELECT t::text AS row FROM ${table} t`);
      return rows.map(({ row }) => `${table} ${row}`);
    }),
  );
  return tables.flat().sort();
}

async function wipe({ db }: TestStore): Promise<void> {
  for (const { table } of INDEX_TABLES) await db.query(`DELETE FROM ${table}`);
}

async function filledStore(t: TestContext): Promise<TestStore> {
  const test = await createTestStore({ after: (cleanUp) => t.after(cleanUp) });
  for (let n = 0; n < PATIENTS; n += 1) {
    await test.put({ resourceType: 'Patient', id: `p${n}`, name: [{ family: `Berg${n}` }], birthDate: '1950-02-03' });
    await test.put({
      resourceType: 'Observation',
      status: 'final',
      subject: { reference: `Patient/p${n}` },
      code: { coding: [{ system: 'http://loinc.org', code: '29463-7' }] },
      valueQuantity: { value: 60 + n, unit: 'kg' },
    });
  }
  await test.put({ resourceType: 'Patient', id: 'gone', name: [{ family: 'Borta' }] });
  await test.db.transaction((tx) => test.store.delete(tx, { resourceType: 'Patient', id: 'gone', access: ALL_ACCESS }));
  return test;
}

test('the rows are those that writing makes, whatever stood there', async (t) => {
  const site = await filledStore(t);
  const written = await indexOf(site);
  assert.ok(written.some((row) => row.startsWith('fhir_composite')));
  await wipe(site);
  await site.db.query(
    `INSERT INTO fhir_uri (type, param, rid, value) SELECT type, 1, rid, 'stale' FROM fhir_resource WHERE NOT deleted`,
  );
  const report = await reindex(site.db, site.store.parameters, { batchSize: 7 });
  const total = 2 * PATIENTS + 1;
  assert.deepEqual(report, { done: total, total, own: total, isStopped: false });
  assert.deepEqual(await indexOf(site), written);
  assert.deepEqual(
    await site.find('Observation', 'subject=Patient/p3&code-value-quantity=29463-7$63&_count=9'),
    await site.find('Observation', 'patient=p3'),
  );
});

test('a run that was ended goes on where it ended; a finished one begins again, and so does one that is asked to', async (t) => {
  const site = await filledStore(t);
  const written = await indexOf(site);
  await wipe(site);
  const stopping = new AbortController();
  const shown: ReindexProgress[] = [];
  const first = await reindex(site.db, site.store.parameters, {
    batchSize: 10,
    signal: stopping.signal,
    onProgress: (progress) => {
      shown.push(progress);
      if (progress.own >= 20) stopping.abort();
    },
  });
  assert.deepEqual([first.isStopped, first.own], [true, 20]);
  assert.deepEqual(shown.at(-1), { done: 20, total: 2 * PATIENTS + 1, own: 20 });
  const second = await reindex(site.db, site.store.parameters, { batchSize: 10 });
  assert.deepEqual([second.isStopped, second.own], [false, 2 * PATIENTS + 1 - 20]);
  assert.deepEqual(await indexOf(site), written);
  const third = await reindex(site.db, site.store.parameters, { types: ['Patient', 'Practitioner'] });
  assert.deepEqual([third.own, third.total], [PATIENTS + 1, PATIENTS + 1]);
  await reindex(site.db, site.store.parameters, { batchSize: 10, signal: AbortSignal.abort() });
  const restarted = await reindex(site.db, site.store.parameters, { restart: true });
  assert.equal(restarted.own, 2 * PATIENTS + 1);
});

test('several at once do each resource once', async (t) => {
  const site = await filledStore(t);
  const written = await indexOf(site);
  await wipe(site);
  const runs = [1, 2, 3].map(() => reindex(site.db, site.store.parameters, { batchSize: 5 }));
  const reports = await Promise.all(runs);
  const own = reports.reduce((sum, report) => sum + report.own, 0);
  assert.deepEqual([own, reports.every(({ isStopped }) => !isStopped)], [2 * PATIENTS + 1, true]);
  assert.deepEqual(await indexOf(site), written);
});

test('the part of one who is gone is taken over when the lease ends', async (t) => {
  const site = await filledStore(t);
  const written = await indexOf(site);
  await wipe(site);
  await reindex(site.db, site.store.parameters, { batchSize: 10, signal: AbortSignal.abort() });
  await site.db.query(
    "UPDATE fhir_reindex SET holder = $1, leased_until = statement_timestamp() + interval '700 milliseconds'",
    [newGuid()],
  );
  const begun = performance.now();
  assert.equal((await reindex(site.db, site.store.parameters)).isStopped, false);
  assert.ok(performance.now() - begun > 600);
  assert.deepEqual(await indexOf(site), written);
});

test('what is written meanwhile is never overwritten by older values', async (t) => {
  const site = await filledStore(t);
  let isDone = false;
  const writing = [0, 1, 2, 3].map(async (writer) => {
    for (let round = 0; !isDone; round += 1) {
      const n = (round * 3 + writer) % PATIENTS;
      await site.put({ resourceType: 'Patient', id: `p${n}`, name: [{ family: `Ny${writer}x${round}` }] });
      if (round < 30) await site.put({ resourceType: 'Patient', name: [{ family: `Till${writer}x${round}` }] });
    }
  });
  for (let run = 0; run < 6; run += 1) await reindex(site.db, site.store.parameters, { batchSize: 9 });
  isDone = true;
  await Promise.all(writing);
  const after = await indexOf(site);
  await reindex(site.db, site.store.parameters);
  assert.deepEqual(after, await indexOf(site));
});
