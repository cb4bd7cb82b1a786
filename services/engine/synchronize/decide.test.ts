// Every combination of the states of both sides and of their last agreement.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Agreed, decide, decideDeletion, type Side } from './decide.ts';

const [a, b, c] = ['a', 'b', 'c'].map((letter) => Buffer.from(letter.repeat(32))) as [Buffer, Buffer, Buffer];
const to = (hash: Buffer): Side => ({ hash });
const both = (here: Buffer, there = here): Agreed => ({ here, there });

const TABLE: readonly [from: Buffer, to: Side, agreed: Agreed, pull: string, push: string][] = [
  [a, 'nothing', undefined, 'create', 'create'],
  [a, 'nothing', both(a), 'create', 'newer'],
  [b, 'nothing', both(a), 'create', 'deleted_there'],
  [a, 'deleted', undefined, 'deleted_here', 'deleted_there'],
  [a, 'deleted', both(a), 'newer', 'newer'],
  [b, 'deleted', both(a), 'deleted_here', 'deleted_there'],
  [a, 'nothing', 'deleted', 'create', 'create'],
  [a, 'deleted', 'deleted', 'create', 'create'],
  [a, to(a), 'deleted', 'same', 'same'],
  [a, to(b), 'deleted', 'both_changed', 'both_changed'],
  [a, to(a), undefined, 'same', 'same'],
  [a, to(a), both(b), 'same', 'same'],
  [a, to(b), undefined, 'different', 'different'],
  [b, to(a), both(a), 'update', 'update'],
  [a, to(b), both(a), 'newer', 'newer'],
  [a, to(b), both(c), 'both_changed', 'both_changed'],
  // The server keeps `c` of what was `a` here.
  [a, to(c), both(a, c), 'both_changed', 'settled'],
  [c, to(a), both(a, c), 'settled', 'both_changed'],
  [b, to(c), both(a, c), 'both_changed', 'update'],
  [b, to(a), both(a, c), 'update', 'both_changed'],
  [a, to(b), both(a, c), 'both_changed', 'newer'],
  [c, to(b), both(a, c), 'newer', 'both_changed'],
  [b, 'deleted', both(a, c), 'deleted_here', 'deleted_there'],
  [a, 'deleted', both(a, c), 'deleted_here', 'newer'],
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
      const decision = decideDeletion({ to: side, agreed: { here: a, there: a }, direction });
      assert.equal(decision.kind === 'conflict' ? decision.conflict : decision.kind, expected);
    }
  }
});

test('a deletion is decided by what the receiving side has had', () => {
  const agreed = { here: a, there: c };
  assert.equal(decideDeletion({ to: to(c), agreed, direction: 'push' }).kind, 'delete');
  assert.equal(decideDeletion({ to: to(a), agreed, direction: 'pull' }).kind, 'delete');
  assert.equal(decideDeletion({ to: to(a), agreed, direction: 'push' }).kind, 'conflict');
});
