// Differences: both texts can be read from them, nothing that is the same is shown as changed, long rests are gaps.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DiffLine, differenceOf, shortened } from './difference.ts';

const textOf = (lines: readonly DiffLine[], without: 'removed' | 'added') =>
  lines.flatMap(({ kind, text }) => (kind === without ? [] : [text])).join('\n');

test('both texts can be read from the difference', () => {
  const alphabet = ['a', 'b', 'c', ''];
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let round = 0; round < 300; round += 1) {
    const make = () => Array.from({ length: random(9) }, () => alphabet[random(4)] ?? '').join('\n');
    const [before, after] = [make(), make()];
    const lines = differenceOf(before, after);
    assert.equal(textOf(lines, 'added'), before);
    assert.equal(textOf(lines, 'removed'), after);
  }
});

test('only what differs is marked', () => {
  assert.deepEqual(
    differenceOf('{\n a\n b\n c\n}', '{\n a\n x\n c\n}').map(({ kind }) => kind),
    ['same', 'same', 'removed', 'added', 'same', 'same'],
  );
  assert.deepEqual(
    differenceOf('a', 'a').map(({ kind }) => kind),
    ['same'],
  );
});

test('what is the same is left out, but for a few lines around', () => {
  const lines = differenceOf('1\n2\n3\n4\n5\n6', '1\n2\n3\n4\nx\n6');
  assert.deepEqual(shortened(lines, 1), [
    { kind: 'gap', count: 3 },
    { kind: 'same', text: '4' },
    { kind: 'removed', text: '5' },
    { kind: 'added', text: 'x' },
    { kind: 'same', text: '6' },
  ]);
});

test('texts with very many lines that differ are distinguished as wholes', () => {
  const many = (sign: string) => Array.from({ length: 3000 }, (_, at) => `${sign}${at}`).join('\n');
  const lines = differenceOf(`${many('a')}\nend`, `${many('b')}\nend`);
  assert.deepEqual([lines.length, lines.at(-1)?.kind], [6001, 'same']);
});
