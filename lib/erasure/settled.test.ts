// What began before a commit is waited for, also what began after the transaction that commits.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestDatabase } from '#test/support/database/database.ts';
import { transactionId, waitForOlder } from './settled.ts';

test('a transaction that began before a commit is waited for, and one that began after it is not', async () => {
  const db = (await createTestDatabase({ after })).database('public');
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let other: Promise<void> | undefined;
  await db.transaction(async (tx) => {
    await transactionId(tx);
    other = db.transaction(async (younger) => {
      await transactionId(younger);
      begun.resolve();
      await goOn.promise;
    });
    await begun.promise;
  });
  const committed = await db.transaction(transactionId);
  assert.equal(await waitForOlder(db, committed, 200), false);
  await db.transaction(async (tx) => {
    await transactionId(tx);
    goOn.resolve();
    await other;
    assert.equal(await waitForOlder(db, committed, 20_000), true);
  });
});
