// Worker threads: chunks in order, questions, budgets, the bounded queue (docs/adr/0042).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ServiceError } from '../errors.ts';
import { createBudget, createWorkerPool, type WorkerPoolOptions } from './worker-pool.ts';

const url = new URL('./testing/echo-worker.ts', import.meta.url);
const open: { close(): Promise<void> }[] = [];
after(() => Promise.all(open.map((pool) => pool.close())));

function poolOf(more: Partial<WorkerPoolOptions> = {}) {
  const options = { url, data: 'given', size: 1, queue: 4, memoryMb: 64, idleMs: 60_000, onQuestion: () => 'answer' };
  const pool = createWorkerPool({ ...options, ...more });
  open.push(pool);
  return pool;
}

const budget = () => createBudget(10_000);
const hasCode = (code: string, text: RegExp) => (error: unknown) =>
  error instanceof ServiceError && error.code === code && text.test(error.message);

test('the result of a thread comes in chunks, and its questions are answered during its work', async () => {
  const pool = poolOf({ onQuestion: (question) => `${String(question)}!` });
  const pieces: unknown[] = [];
  const done = await pool.run({ message: { kind: 'ask' }, budget: budget(), take: (piece) => pieces.push(piece) });
  assert.deepEqual(pieces, ['given', 'one!', 'two!']);
  assert.equal(done, 'end');
});

test('errors of the work are thrown with their code, and the thread goes on', async () => {
  const pool = poolOf();
  const refused = pool.run({ message: { kind: 'refuse' }, budget: budget() });
  await assert.rejects(refused, (error) => error instanceof ServiceError && error.issues[0]?.field === 'here');
  await assert.rejects(pool.run({ message: { kind: 'fail' }, budget: budget() }), /broken/);
  assert.equal(await pool.run({ message: { kind: 'ask' }, budget: budget() }), 'end');
});

test('work that exceeds its budget is ended, and waiting work goes to another thread', async () => {
  const pool = poolOf();
  const shared = createBudget(50);
  const endless = pool.run({ message: { kind: 'endless' }, budget: shared });
  const next = pool.run({ message: { kind: 'ask' }, budget: budget() });
  await assert.rejects(endless, hasCode('unprocessable', /more than 0\.05 s of processor time/));
  assert.equal(await next, 'end');
  await assert.rejects(pool.run({ message: { kind: 'ask' }, budget: shared }), hasCode('unprocessable', /given up/));
});

test('work that exceeds the memory of a thread is ended', async () => {
  const pool = poolOf({ memoryMb: 16 });
  const greedy = pool.run({ message: { kind: 'greedy' }, budget: createBudget(60_000) });
  await assert.rejects(greedy, hasCode('unprocessable', /more memory/));
  assert.equal(await pool.run({ message: { kind: 'ask' }, budget: budget() }), 'end');
});

test('work beyond the queue is refused, and no owner fills the queue', async () => {
  const pool = poolOf({ size: 1, queue: 4 });
  const running = Array.from({ length: 2 }, () => pool.run({ message: { kind: 'ask' }, budget: budget(), owner: 'a' }));
  const greedy = pool.run({ message: { kind: 'ask' }, budget: budget(), owner: 'a' });
  await assert.rejects(greedy, hasCode('unavailable', /Too many/));
  const others = Array.from({ length: 2 }, () => pool.run({ message: { kind: 'ask' }, budget: budget(), owner: 'b' }));
  const full = pool.run({ message: { kind: 'ask' }, budget: budget(), owner: 'c' });
  await assert.rejects(full, (error) => error instanceof ServiceError && error.retryAfterSeconds === 5);
  assert.deepEqual(await Promise.all([...running, ...others]), ['end', 'end', 'end', 'end']);
});

test('a module that cannot be loaded fails its work', async () => {
  const pool = poolOf({ url: new URL('./testing/no-such-worker.ts', import.meta.url) });
  await assert.rejects(pool.run({ message: {}, budget: budget() }), /no-such-worker/);
});
