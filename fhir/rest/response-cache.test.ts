// What is kept is found until the state changes, and never more than the limit.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bufferOf, isSendable } from '#lib/http/response/direct-body.ts';
import { createResponseCache, questionOf } from './response-cache.ts';

/** The first time only the question is remembered. */
function twice(work: () => void): void {
  work();
  work();
}

function makeSource(state = 0) {
  const source = {
    served: { url: '/$a', permission: 'public' } as const,
    contentType: 'text/plain',
    admits: () => true,
  };
  const present = { state };
  const route = { ...source, state: () => present.state };
  const memoryOf = (limit?: number) => {
    const memory = createResponseCache(limit);
    return {
      find: (question: string) => memory.find(questionOf(question))?.body,
      lengthOf: (question: string) => memory.find(questionOf(question))?.contentLength,
      keep: (question: string, text: string, madeOf = present.state) =>
        twice(() => memory.set(questionOf(question), text, { route, state: madeOf })),
      keepOnce: (question: string, text: string) =>
        memory.set(questionOf(question), text, { route, state: present.state }),
    };
  };
  return { present, memoryOf, source };
}

it('an answer is kept when its question comes a second time, and thousands of others between do not matter', () => {
  const memory = makeSource().memoryOf();
  memory.keepOnce('often', 'A');
  assert.equal(memory.find('often'), undefined);
  const others = Array.from({ length: 2_000 }, (_, number) => `other ${number}`);
  for (const other of others) memory.keepOnce(other, 'B');
  assert.equal(others.filter((other) => memory.find(other) !== undefined).length <= 2, true, 'those came once');
  memory.keepOnce('often', 'A');
  assert.equal(memory.find('often'), 'A');
});

it('an answer is found as long as the state is the one that it was made of', () => {
  const { present, memoryOf } = makeSource(7);
  const memory = memoryOf();
  assert.equal(memory.find('a'), undefined);
  memory.keep('a', 'A');
  assert.equal(memory.find('a'), 'A');
  assert.equal(memory.find('b'), undefined);
  present.state = 8;
  assert.equal(memory.find('a'), undefined);
  present.state = 7;
  assert.equal(memory.find('a'), undefined);
});

it('what was made of a state that has passed meanwhile is not kept, and what others keep then ends what was of it', () => {
  const { present, memoryOf } = makeSource(1);
  const memory = memoryOf();
  memory.keep('b', 'of the first');
  present.state = 2;
  memory.keep('a', 'of the first', 1);
  assert.equal(memory.find('a'), undefined);
  memory.keep('a', 'of the second');
  assert.equal(memory.find('a'), 'of the second');
  present.state = 1;
  assert.equal(memory.find('b'), undefined);
});

it('long answers are kept as bytes, too long ones not at all', () => {
  const memory = makeSource().memoryOf(1_000_000);
  memory.keep('a', 'å'.repeat(5_000));
  assert.deepEqual(memory.find('a'), Buffer.from('å'.repeat(5_000)));
  memory.keep('b', 'x'.repeat(100_000));
  assert.equal(memory.find('b'), undefined);
});

it('short answers are ready to be sent: bytes of UTF-8, one character each', () => {
  const memory = createResponseCache();
  const route = { ...makeSource().source, state: () => 0 };
  for (const text of ['smör', '"plain"', '日本語 – 🙂', 'å'.repeat(4_095), 'x'.repeat(8_191)]) {
    twice(() => memory.set(questionOf(text), text, { route, state: 0 }));
    const kept = memory.find(questionOf(text));
    assert.ok(kept !== undefined && typeof kept.body === 'string' && isSendable(kept, 'gzip'), text);
    assert.equal(Buffer.from(kept.body, 'latin1').toString(), text);
    assert.equal(kept.contentLength, String(kept.body.length));
    assert.equal(bufferOf(kept).toString(), text);
  }
});

it('answers that may be compressed are ready for clients that accept no encoding', () => {
  const memory = createResponseCache();
  const route = { ...makeSource().source, state: () => 0 };
  for (const text of ['å'.repeat(4_096), 'x'.repeat(8_192)]) {
    twice(() => memory.set(questionOf(text), text, { route, state: 0 }));
    const kept = memory.find(questionOf(text));
    assert.ok(kept !== undefined && !isSendable(kept, 'gzip'), text);
    for (const accepted of [undefined, 'identity', 'gzip;q=0']) assert.ok(isSendable(kept, accepted), String(accepted));
    assert.equal(bufferOf(kept).toString(), text);
  }
});

it('the length of an answer is that of its bytes', () => {
  const memory = makeSource().memoryOf();
  memory.keep('short', 'smör');
  memory.keep('long', 'ö'.repeat(5_000));
  assert.deepEqual([memory.lengthOf('short'), memory.lengthOf('long')], ['5', '10000']);
});

it('the answers that nobody asks for are let go, in the order in which they came', () => {
  const memory = makeSource().memoryOf(10_000);
  for (let number = 0; number < 1_000; number += 1) {
    memory.keep(`q${number}`, 'x'.repeat(100));
    assert.equal(memory.find('q0'), 'x'.repeat(100));
  }
  const kept = Array.from({ length: 1_000 }, (_, number) => number).filter((number) => memory.find(`q${number}`));
  assert.deepEqual([kept[0], kept.at(-1)], [0, 999]);
  const sizes = kept.map((number) => `q${number}`.length + 100);
  const size = sizes.reduce((sum, each) => sum + each);
  // Room is made for a sixty-fourth of the limit, and the last to go took some more.
  assert.ok(size <= 10_000 && size > 10_000 * (63 / 64) - 104, String(size));
  assert.equal(kept.length, 999 - (kept[1] ?? 0) + 2, 'the youngest, and the one that was asked for');
});

it('an answer that is asked for by nobody any more goes at last, and one that came twice is kept once', () => {
  const memory = makeSource().memoryOf(10_000);
  memory.keep('first', 'x'.repeat(100));
  memory.keep('first', 'y'.repeat(100));
  assert.equal(memory.find('first'), 'x'.repeat(100));
  for (let number = 0; number < 95; number += 1) memory.keep(`q${number}`, 'x'.repeat(100));
  for (let number = 95; number < 300; number += 1) memory.keep(`q${number}`, 'x'.repeat(100));
  assert.equal(memory.find('first'), undefined);
});

it('of two questions with the same hash the last one’s answer is kept, and neither is given the other’s', () => {
  const memory = createResponseCache(400);
  const route = { ...makeSource().source, state: () => 0 };
  const [one, other] = [
    { text: 'one', hash: 77 },
    { text: 'other', hash: 77 },
  ];
  const bodyOf = (question: typeof one) => memory.find(question)?.body;
  twice(() => memory.set(one, 'A', { route, state: 0 }));
  assert.deepEqual([bodyOf(one), bodyOf(other)], ['A', undefined]);
  memory.set(other, 'B', { route, state: 0 });
  assert.deepEqual([bodyOf(one), bodyOf(other)], [undefined, 'B']);
  // What was replaced no longer counts: the limit of 400 holds twenty times the two.
  for (let turn = 0; turn < 100; turn += 1) {
    memory.set(one, 'A', { route, state: 0 });
    memory.set(other, 'B', { route, state: 0 });
  }
  twice(() => memory.set(questionOf('third'), 'C', { route, state: 0 }));
  assert.deepEqual([bodyOf(other), memory.find(questionOf('third'))?.body], ['B', 'C']);
});
