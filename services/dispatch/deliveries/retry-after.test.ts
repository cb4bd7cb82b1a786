// `Retry-After` in each of its forms (RFC 9110 §10.2.3), from the receiver's response to the delayed attempt (decision
// D8).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { createDeliveryBench } from '../testing/delivery-bench.ts';
import { startReceiver } from '../testing/receiver.ts';

const bench = await createDeliveryBench({ after });
const { clock, db } = bench;
const BEGIN = clock.time;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

test.beforeEach(async () => {
  clock.time = BEGIN;
  for (const table of ['delivery_attempt', 'delivery', 'provider_endpoint']) await db.query(`DELETE FROM ${table}`);
});

const inTenMinutes = new Date(BEGIN + 10 * MINUTE).toUTCString();
const [, day, month, year, time] = /^\w+, (\d+) (\w+) (\d+) (\S+) GMT$/.exec(inTenMinutes) ?? [];

const CASES: readonly (readonly [form: string, status: number, header: string, delay: number])[] = [
  ['seconds', 503, '600', 10 * MINUTE],
  ['seconds with 429', 429, '600', 10 * MINUTE],
  ['an HTTP date', 503, inTenMinutes, 10 * MINUTE],
  ['an HTTP date with 429', 429, inTenMinutes, 10 * MINUTE],
  ['an HTTP date of RFC 850', 503, `Monday, ${day}-${month}-${year?.slice(2)} ${time} GMT`, 10 * MINUTE],
  ['an HTTP date of asctime', 503, `Mon ${month} ${day} ${time} ${year}`, 10 * MINUTE],
  ['a date in the past, which is no wish', 503, new Date(BEGIN - MINUTE).toUTCString(), 5000],
  ['a date before the schedule', 503, new Date(BEGIN + 2000).toUTCString(), 5000],
  ['a date beyond a day', 503, new Date(BEGIN + 3 * DAY).toUTCString(), DAY],
  ['what is no date', 503, 'tomorrow', 5000],
];

for (const [form, status, header, delay] of CASES) {
  test(`Retry-After as ${form}: the next attempt is made at that time`, async (t) => {
    const receiver = await startReceiver(t);
    receiver.answer((response) => response.writeHead(status, { 'retry-after': header }).end(), 204);
    const provider = newGuid();
    await bench.endpoint(provider, receiver.url);
    await bench.dispatch(provider);
    const worker = bench.worker();
    assert.equal(await worker.runOnce(), 1);
    const [waiting] = await bench.deliveries();
    assert.deepEqual([waiting?.status, waiting?.next_at.getTime()], ['waiting', BEGIN + delay]);
    clock.time = BEGIN + delay - 1;
    assert.equal(await worker.runOnce(), 0);
    clock.time += 1;
    assert.equal(await worker.runOnce(), 1);
    assert.deepEqual((await bench.deliveries())[0]?.status, 'delivered');
    assert.equal(receiver.ledger.length, 2);
  });
}
