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
  const keep = (next: Kept) => {
    setKept(next);
    sessionStorage.setItem(name, JSON.stringify(next));
  };
  return {
    ...kept,
    change: (next) => keep({ draft: { ...kept.draft, ...next } }),
    send: (sending) => keep({ draft: kept.draft, ...(sending === undefined ? {} : { sending }) }),
    drop: () => {
      sessionStorage.removeItem(name);
      setKept(EMPTY);
    },
  };
}

function nameOf(guid: string): string {
  return `kedja-report-${guid}`;
}

/** Written by this code alone. */
function readKept(name: string): Kept {
  const kept = sessionStorage.getItem(name);
  return kept === null ? EMPTY : (JSON.parse(kept) as Kept);
}
