// The named points at which dispatch is struck, each as what is seen on its lines: statements have names there.
import type { Point } from './line.ts';

export interface NamedPoint extends Point {
  readonly line: 'databaseLine' | 'receiverLine';
}

const onDatabase = (text: string, when: Point['when'], atCommit = true): NamedPoint => ({
  line: 'databaseLine',
  text: `${text}\0`,
  atCommit,
  when,
});

/** Reached by a push and its delivery. */
export const PUSH_POINTS: Readonly<Record<string, NamedPoint>> = {
  'during a push, before its commit': onDatabase('delivery-insert', 'before'),
  'during a push, its commit done and the answer lost': onDatabase('delivery-insert', 'after'),
  'during a claim': onDatabase('delivery-claim', 'before'),
  'after a claim': onDatabase('delivery-claim', 'after'),
  'before sending': { line: 'receiverLine', text: 'POST ', when: 'before' },
  'after sending, before the answer': { line: 'receiverLine', text: 'POST ', when: 'after' },
  'after sending, before the record': onDatabase('delivery-record', 'before', false),
  'after the record, its answer lost': onDatabase('delivery-record', 'after', false),
};

export const FINALIZE_POINTS: Readonly<Record<string, NamedPoint>> = {
  'during finalize, before its commit': onDatabase('form-attachment-freeze', 'before'),
  'during finalize, its commit done and the answer lost': onDatabase('form-attachment-freeze', 'after'),
};
