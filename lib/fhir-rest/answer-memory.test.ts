// What is kept is found until the state changes, and never more than the limit.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAnswerMemory } from './answer-memory.ts';

it('an answer is found as long as the state is the one that it was made of', () => {
  const memory = createAnswerMemory();
  assert.equal(memory.find('a', 7), undefined);
  memory.keep('a', 'A', 7);
  assert.equal(memory.find('a', 7), 'A');
  assert.equal(memory.find('b', 7), undefined);
  assert.equal(memory.find('a', 8), undefined);
  assert.equal(memory.find('a', 7), undefined);
});

it('what was made of a state that has passed meanwhile is not kept', () => {
  const memory = createAnswerMemory();
  memory.find('a', 1);
  memory.find('b', 2);
  memory.keep('a', 'of the first', 1);
  assert.equal(memory.find('a', 2), undefined);
});

it('long answers are kept as bytes, too long ones not at all', () => {
  const memory = createAnswerMemory(1_000_000);
  memory.find('a', 1);
  memory.keep('a', 'å'.repeat(5_000), 1);
  assert.deepEqual(memory.find('a', 1), Buffer.from('å'.repeat(5_000)));
  memory.keep('b', 'x'.repeat(100_000), 1);
  assert.equal(memory.find('b', 1), undefined);
});

it('the answers that nobody asks for are let go, in the order in which they came', () => {
  const memory = createAnswerMemory(10_000);
  memory.find('', 0);
  for (let number = 0; number < 1_000; number += 1) {
    memory.keep(`q${number}`, 'x'.repeat(100), 0);
    assert.equal(memory.find('q0', 0), 'x'.repeat(100));
  }
  const kept = Array.from({ length: 1_000 }, (_, number) => number).filter((number) => memory.find(`q${number}`, 0));
  assert.deepEqual([kept[0], kept.at(-1)], [0, 999]);
  const sizes = kept.map((number) => `q${number}`.length + 100);
  const size = sizes.reduce((sum, each) => sum + each);
  assert.ok(size <= 10_000 && size > 9_800, String(size));
  assert.equal(kept.length, 999 - (kept[1] ?? 0) + 2, 'the youngest, and the one that was asked for');
});

it('an answer that is asked for by nobody any more goes at last, and one that came twice is kept once', () => {
  const memory = createAnswerMemory(10_000);
  memory.find('', 0);
  memory.keep('first', 'x'.repeat(100), 0);
  memory.keep('first', 'y'.repeat(100), 0);
  assert.equal(memory.find('first', 0), 'x'.repeat(100));
  for (let number = 0; number < 95; number += 1) memory.keep(`q${number}`, 'x'.repeat(100), 0);
  for (let number = 95; number < 300; number += 1) memory.keep(`q${number}`, 'x'.repeat(100), 0);
  assert.equal(memory.find('first', 0), undefined);
});
