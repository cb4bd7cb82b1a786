// Errors of one provider do not affect others (D8): providers at the same origin, and endpoints disabled during an
// attempt.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { startReceiver } from '../testing/receiver.ts';
import { createSendingBench } from '../testing/sending-bench.ts';

const bench = await createSendingBench({ after });
const { call, db } = bench;

async function provider(url: string): Promise<string> {
  const guid = newGuid();
  const made = await call('admin', 'PUT', `/api/v1/providers/${guid}/endpoint`, { url });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return guid;
}

async function push(guid: string): Promise<void> {
  const { id } = await bench.request([guid]);
  assert.equal((await call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`)).status, 202);
}

test('a delivery that was left waiting for a disabled endpoint is not sent until it is enabled', async (t) => {
  const receiver = await startReceiver(t);
  const guid = await provider(receiver.url);
  await push(guid);
  // As after an attempt that was recorded at the same moment.
  await db.query(
    `UPDATE provider_endpoint SET enabled = false, disabled_reason = 'administrator' WHERE provider_guid = $1`,
    [guid],
  );
  assert.equal(await bench.sending.worker.runOnce(), 0);
  await call('admin', 'PUT', `/api/v1/providers/${guid}/endpoint`, { url: receiver.url, enabled: true });
  assert.equal(await bench.sending.worker.runOnce(), 1);
  assert.equal(receiver.ledger.length, 1);
});

test('no delivery keeps waiting for an endpoint disabled or removed while an attempt ends', async (t) => {
  const receiver = await startReceiver(t);
  const later = (work: () => void) => setTimeout(work, 100);
  for (const [change, status] of [
    [
      `UPDATE provider_endpoint SET enabled = false, disabled_reason = 'administrator' WHERE provider_guid = $1`,
      'held',
    ],
    ['DELETE FROM provider_endpoint WHERE provider_guid = $1', 'cancelled'],
  ] as const) {
    const guid = await provider(receiver.url);
    await push(guid);
    // The change is made during the attempt and committed after the attempt begins to record its result.
    const changed = Promise.withResolvers<void>();
    receiver.answer((response) => {
      const done = db.transaction(async (transaction) => {
        await transaction.query(change, [guid]);
        response.writeHead(500).end();
        await new Promise<void>((resolve) => later(resolve));
      });
      done.then(changed.resolve, changed.reject);
    });
    await bench.sending.worker.runOnce();
    await changed.promise;
    const { rows } = await db.query<{ status: string }>('SELECT status FROM delivery WHERE provider_guid = $1', [guid]);
    assert.deepEqual(rows, [{ status }]);
  }
});

test('concurrent PUT and DELETE of an endpoint: no PUT fails with not_found', async () => {
  const url = `/api/v1/providers/${newGuid()}/endpoint`;
  const statuses = new Set<number>();
  for (let round = 0; round < 15; round += 1) {
    const calls = Array.from({ length: 12 }, (_, index) =>
      index % 3 === 0 ? call('admin', 'DELETE', url) : call('admin', 'PUT', url, { url: 'http://127.0.0.1:9/' }),
    );
    const answers = await Promise.all(calls);
    for (const [index, { status }] of answers.entries()) if (index % 3 !== 0) statuses.add(status);
  }
  assert.deepEqual([...statuses].sort(), [200, 201]);
});

test('a hanging provider does not delay another one at the same origin', async (t) => {
  const receiver = await startReceiver(t);
  const [slow, quick] = [await provider(receiver.url), await provider(receiver.url)];
  const hanging: ServerResponse[] = [];
  const hang = (response: ServerResponse) => hanging.push(response);
  receiver.answer(...Array.from({ length: 8 }, () => hang), 204);
  for (let count = 0; count < 8; count += 1) await push(slow);
  await bench.sending.start();
  await receiver.arrived(8);
  await push(quick);
  const late = new Promise<string>((resolve) => setTimeout(resolve, 5000, 'late').unref());
  assert.notEqual(await Promise.race([receiver.arrived(9), late]), 'late');
  assert.equal(hanging.length, 8);
  for (const response of hanging) response.end();
});
