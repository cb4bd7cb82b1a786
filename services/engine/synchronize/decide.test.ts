// Every combination of what either side has and what both once had.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Agreed, decide, decideDeletion, type Side } from './decide.ts';

const [a, b, c] = ['a', 'b', 'c'].map((letter) => Buffer.from(letter.repeat(32))) as [Buffer, Buffer, Buffer];
const to = (hash: Buffer): Side => ({ hash });

const TABLE: readonly [from: Buffer, to: Side, agreed: Agreed, pull: string, push: string][] = [
  [a, 'nothing', undefined, 'create', 'create'],
  [a, 'nothing', a, 'create', 'newer'],
  [b, 'nothing', a, 'create', 'deleted_there'],
  [a, 'deleted', undefined, 'deleted_here', 'deleted_there'],
  [a, 'deleted', a, 'newer', 'newer'],
  [b, 'deleted', a, 'deleted_here', 'deleted_there'],
  [a, 'nothing', 'deleted', 'create', 'create'],
  [a, 'deleted', 'deleted', 'create', 'create'],
  [a, to(a), 'deleted', 'same', 'same'],
  [a, to(b), 'deleted', 'both_changed', 'both_changed'],
  [a, to(a), undefined, 'same', 'same'],
  [a, to(a), b, 'same', 'same'],
  [a, to(b), undefined, 'different', 'different'],
  [b, to(a), a, 'update', 'update'],
  [a, to(b), a, 'newer', 'newer'],
  [a, to(b), c, 'both_changed', 'both_changed'],
];

test('a change is carried over where the other side has not changed since, and is a conflict otherwise', () => {
  for (const [from, side, agreed, pull, push] of TABLE) {
    for (const [direction, expected] of [
      ['pull', pull],
      ['push', push],
    ] as const) {
      const decision = decide({ from, to: side, agreed, direction });
      assert.equal(decision.kind === 'conflict' ? decision.conflict : decision.kind, expected);
    }
  }
});

const DELETIONS: readonly [to: Side, pull: string, push: string][] = [
  ['nothing', 'same', 'same'],
  ['deleted', 'same', 'same'],
  [to(a), 'delete', 'delete'],
  [to(b), 'deleted_there', 'deleted_here'],
];

test('a deletion is carried over where the other side still has what both had, and is a conflict otherwise', () => {
  for (const [side, pull, push] of DELETIONS) {
    for (const [direction, expected] of [
      ['pull', pull],
      ['push', push],
    ] as const) {
      const decision = decideDeletion({ to: side, agreed: a, direction });
      assert.equal(decision.kind === 'conflict' ? decision.conflict : decision.kind, expected);
    }
  }
});
