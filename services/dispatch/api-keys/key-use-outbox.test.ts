import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { KeyUseBatch } from '#lib/auth/key-usage.ts';
import { newGuid } from '#lib/guid.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { migrations } from '../migrations.ts';
import { createKeyUseOutbox } from './key-use-outbox.ts';

const database = (await createTestDatabase({ after }, { schemas: [{ schema: 'dispatch', migrations }] })).database(
  'dispatch',
);
const log = { info() {}, warn() {}, error() {} } as never;

function makeBatch(requests: number): KeyUseBatch {
  return {
    batchGuid: newGuid(),
    uses: [{ keyGuid: newGuid(), day: '2026-01-31', requests, lastUsedAt: 1_769_860_800_123 }],
  };
}

test('batches that the engine did not accept are sent unchanged and in order at the next start', async () => {
  const batches = [makeBatch(1), makeBatch(2), makeBatch(3)];
  const away = createKeyUseOutbox({ database, log, send: () => Promise.reject(new Error('the engine is away')) });
  for (const batch of batches) await away.keep(batch);
  await assert.rejects(away.ship(), /the engine is away/);

  const sent: KeyUseBatch[] = [];
  const back = createKeyUseOutbox({ database, log, send: async (batch) => void sent.push(batch) });
  await back.ship();
  assert.deepEqual(sent, batches);
  await back.ship();
  assert.equal(sent.length, batches.length);
});

test('a failed batch stays with those after it, and a batch stored twice is one', async () => {
  const [first, second] = [makeBatch(1), makeBatch(2)];
  const sent: string[] = [];
  let isAway = false;
  const outbox = createKeyUseOutbox({
    database,
    log,
    send: async ({ batchGuid }) => {
      if (isAway) throw new Error('away');
      sent.push(batchGuid);
      isAway = true;
    },
  });
  for (const batch of [first, first, second]) await outbox.keep(batch);
  await assert.rejects(outbox.ship(), /away/);
  isAway = false;
  await outbox.ship();
  assert.deepEqual(sent, [first.batchGuid, second.batchGuid]);
});

test('one run sends more batches than one step reads', async () => {
  const batches = Array.from({ length: 45 }, (_, place) => makeBatch(place + 1));
  const sent: KeyUseBatch[] = [];
  const outbox = createKeyUseOutbox({ database, log, send: async (batch) => void sent.push(batch) });
  for (const batch of batches) await outbox.keep(batch);
  await outbox.ship();
  assert.deepEqual(sent, batches);
});
