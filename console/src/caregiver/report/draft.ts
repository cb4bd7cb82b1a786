// A report that is being made, kept in the tab until it has arrived. Neither a reload, nor a lost connection, nor a
// sign-in loses it.
import { useState } from 'react';
import { dropKept, keep, readKept } from '../../app/kept.ts';
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
  return readKept(nameOf(guid)) !== undefined;
}

export interface ReportDraft extends Kept {
  /** False where it is too large for the tab: then a reload loses it. */
  readonly isKept: boolean;
  /** What was sent before is something else from now on. */
  change(next: Partial<Draft>): void;
  /** Stores what is being sent; deletes it without one. */
  send(sending: Sending | undefined): void;
  /** Forgets it all, as it has arrived or is not wanted. */
  drop(): void;
}

export function useReportDraft(guid: string): ReportDraft {
  const name = nameOf(guid);
  const [kept, setKept] = useState(() => readReport(name));
  const [isKept, setIsKept] = useState(true);
  const put = (next: Kept) => {
    setKept(next);
    setIsKept(keep(name, JSON.stringify(next)));
  };
  return {
    ...kept,
    isKept,
    change: (next) => put({ draft: { ...kept.draft, ...next } }),
    send: (sending) => put({ draft: kept.draft, ...(sending === undefined ? {} : { sending }) }),
    drop: () => {
      dropKept(name);
      setKept(EMPTY);
    },
  };
}

function nameOf(guid: string): string {
  return `report-${guid}`;
}

/** Written by this code alone. */
function readReport(name: string): Kept {
  const kept = readKept(name);
  return kept === undefined ? EMPTY : (JSON.parse(kept) as Kept);
}
