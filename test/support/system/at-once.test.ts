// Concurrent calls are repeated only after a temporary refusal, and not for ever.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atOnce, fifty } from './at-once.ts';

const AWAY = { status: 503, headers: { 'retry-after': '2' } };

/** Answers its list one after the other, the last for ever. */
function caller(...answers: { status: number; headers: Record<string, string> }[]) {
  const state = { calls: 0 };
  const call = async () => {
    const answer = answers[Math.min(state.calls, answers.length - 1)] ?? AWAY;
    state.calls += 1;
    return answer;
  };
  return { state, call };
}

test('a call that gets 503 is repeated, and keeps its index', async () => {
  const [late, prompt] = [caller(AWAY, AWAY, { status: 201, headers: {} }), caller({ status: 409, headers: {} })];
  const answers = await atOnce([late.call, prompt.call]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 409],
  );
  assert.deepEqual([late.state.calls, prompt.state.calls], [3, 1]);
});

test('errors are results: 500, 503 without Retry-After, and 503 that does not end', async () => {
  const broken = [
    caller({ status: 500, headers: { 'retry-after': '2' } }),
    caller({ status: 503, headers: {} }),
    caller(AWAY),
  ];
  const answers = await atOnce(broken.map(({ call }) => call));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [500, 503, 503],
  );
  assert.deepEqual(
    broken.map(({ state }) => state.calls),
    [1, 1, 10],
  );
});

test('fifty calls give fifty results in order, and one that throws makes all throw', async () => {
  const answers = await fifty(async (index) => ({ statusCode: 200, headers: {}, index }));
  assert.deepEqual(
    answers.map(({ index }) => index),
    Array.from({ length: 50 }, (_, index) => index),
  );
  await assert.rejects(
    fifty(async () => Promise.reject(new Error('broken'))),
    /broken/,
  );
});
