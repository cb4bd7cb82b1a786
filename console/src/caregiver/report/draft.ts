// A report that is being made, kept in the tab until it has arrived: neither a reload, nor a lost connection, nor a
// sign-in loses it.
import { useState } from 'react';
import type { Draft, ReportBody } from './report.ts';

/** What was sent and is not known to have arrived. Sent again under its key, it is stored once. */
export interface Sending {
  readonly key: string;
  readonly body: ReportBody;
}

interface Kept {
  readonly draft: Draft;
  readonly sending?: Sending;
}

const EMPTY: Kept = { draft: { filled: {}, note: '', isFinal: false } };

export function hasDraft(guid: string): boolean {
  return sessionStorage.getItem(nameOf(guid)) !== null;
}

export interface ReportDraft extends Kept {
  /** False where it is too large for the tab: then a reload loses it. */
  readonly isKept: boolean;
  /** What was sent before is something else from now on. */
  change(next: Partial<Draft>): void;
  /** Remembers what is being sent; forgets it without one. */
  send(sending: Sending | undefined): void;
  /** Forgets it all, as it has arrived or is not wanted. */
  drop(): void;
}

export function useReportDraft(guid: string): ReportDraft {
  const name = nameOf(guid);
  const [kept, setKept] = useState(() => readKept(name));
  const [isKept, setIsKept] = useState(true);
  const keep = (next: Kept) => {
    setKept(next);
    setIsKept(store(sessionStorage, name, next));
  };
  return {
    ...kept,
    isKept,
    change: (next) => keep({ draft: { ...kept.draft, ...next } }),
    send: (sending) => keep({ draft: kept.draft, ...(sending === undefined ? {} : { sending }) }),
    drop: () => {
      sessionStorage.removeItem(name);
      setKept(EMPTY);
    },
  };
}

/** Whether there was room for it. An older draft is not left in the place of one that is too large. */
export function store(storage: Pick<Storage, 'setItem' | 'removeItem'>, name: string, kept: Kept): boolean {
  try {
    storage.setItem(name, JSON.stringify(kept));
    return true;
  } catch {
    storage.removeItem(name);
    return false;
  }
}

function nameOf(guid: string): string {
  return `kedja-report-${guid}`;
}

/** Written by this code alone. */
function readKept(name: string): Kept {
  const kept = sessionStorage.getItem(name);
  return kept === null ? EMPTY : (JSON.parse(kept) as Kept);
}
