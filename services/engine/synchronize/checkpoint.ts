// How far a synchronisation has come: type by type, first what comes from the server, then what goes there.
import type { SyncDirection, SyncJob } from './job-store.ts';

export interface Checkpoint {
  /** Number of the type; as many as there are types when all is done. */
  readonly type: number;
  readonly phase: 'pull' | 'push';
  /** Address of the next page from the server; null at the beginning, and when it is to be found again. */
  readonly page: string | null;
  /** From when on it is found again: up to here the pages came in the order of time. */
  readonly from: string | null;
  readonly isSorted: boolean;
  /** Resources of this type read from the server, how many it said there are, and how often its pages were lost. */
  readonly seen: number;
  readonly total: number | null;
  readonly restarts: number;
  /** The last key of ours that is done; while deletions are looked for, the last id. */
  readonly after: string | null;
  /**
   * All pages are read, and what is not there any more is looked for. Not a phase: nodes of before would take it for
   * another.
   */
  readonly isSweep?: true;
  /**
   * All of ours are sent, and where the server failed is tried again, in this round, when it is time. Not a phase, as
   * above.
   */
  readonly retry?: { readonly round: number; readonly after: string | null };
  /** Ids behind `after` whose outcome a push noted before it failed: a hundred at most. */
  readonly settled?: readonly string[];
}

export function firstCheckpoint(direction: SyncDirection): Checkpoint {
  return beginning(0, direction === 'push' ? 'push' : 'pull');
}

export function readCheckpoint({ checkpoint }: Pick<SyncJob, 'checkpoint'>): Checkpoint {
  return checkpoint as Checkpoint;
}

/** Where the work goes on when the last page has been read. */
export function afterPages(checkpoint: Checkpoint): Checkpoint {
  return { ...checkpoint, page: null, after: null, isSweep: true };
}

/** Where the work goes on when the phase is done. */
export function afterPhase({ type, phase }: Checkpoint, direction: SyncDirection): Checkpoint {
  if (phase === 'pull' && direction === 'both') return beginning(type, 'push');
  return beginning(type + 1, direction === 'push' ? 'push' : 'pull');
}

function beginning(type: number, phase: Checkpoint['phase']): Checkpoint {
  return { type, phase, page: null, from: null, isSorted: true, seen: 0, total: null, restarts: 0, after: null };
}
