// The named breakpoints at which faults are injected, each as what the proxies see: statements have names there.
import type { Breakpoint } from './tcp-proxy.ts';

export interface NamedBreakpoint extends Breakpoint {
  readonly proxy: 'databaseProxy' | 'receiverProxy';
}

const onDatabase = (text: string, when: Breakpoint['when'], atCommit = true): NamedBreakpoint => ({
  proxy: 'databaseProxy',
  text: `${text}\0`,
  atCommit,
  when,
});

/** Reached by a push and its delivery. */
export const PUSH_BREAKPOINTS: Readonly<Record<string, NamedBreakpoint>> = {
  'during a push, before its commit': onDatabase('delivery-insert', 'before'),
  'during a push, its commit done and the answer lost': onDatabase('delivery-insert', 'after'),
  'during a claim': onDatabase('delivery-claim', 'before'),
  'after a claim': onDatabase('delivery-claim', 'after'),
  'before sending': { proxy: 'receiverProxy', text: 'POST ', when: 'before' },
  'after sending, before the answer': { proxy: 'receiverProxy', text: 'POST ', when: 'after' },
  'after sending, before the record': onDatabase('delivery-record', 'before', false),
  'after the record, its answer lost': onDatabase('delivery-record', 'after', false),
};

export const FINALIZE_BREAKPOINTS: Readonly<Record<string, NamedBreakpoint>> = {
  'during finalize, before its commit': onDatabase('form-attachment-freeze', 'before'),
  'during finalize, its commit done and the answer lost': onDatabase('form-attachment-freeze', 'after'),
};
