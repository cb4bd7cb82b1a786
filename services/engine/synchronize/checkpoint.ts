// The progress of a synchronisation. Each type is first pulled from the server, and then pushed to it.
import type { SyncDirection, SyncJob } from './job-store.ts';

export interface Checkpoint {
  /** The index of the type; the number of types when all is done. */
  readonly type: number;
  readonly phase: 'pull' | 'push';
  /** The URL of the server's next page; null at the beginning, and when the search must start again. */
  readonly page: string | null;
  /** Where a repeated search starts: up to this time the pages were sorted by time. */
  readonly from: string | null;
  readonly isSorted: boolean;
  /** Resources of this type read from the server, how many it said there are, and how often its pages were lost. */
  readonly seen: number;
  readonly total: number | null;
  readonly restarts: number;
  /** The last local key that is done; during the search for deletions the last id. */
  readonly after: string | null;
  /**
   * All pages are read, and deletions are searched for. It is not a phase of its own, because nodes of an older release
   * would misread it.
   */
  readonly isSweep?: true;
  /**
   * All local resources are sent, and those at which the server failed are retried in this round, at this time. It is
   * not a phase of its own, as above.
   */
  readonly retry?: { readonly round: number; readonly after: string | null };
  /** Ids after `after` whose outcome a push stored before it failed: a hundred at most. */
  readonly settled?: readonly string[];
}

export function firstCheckpoint(direction: SyncDirection): Checkpoint {
  return beginning(0, direction === 'push' ? 'push' : 'pull');
}

export function readCheckpoint({ checkpoint }: Pick<SyncJob, 'checkpoint'>): Checkpoint {
  return checkpoint as Checkpoint;
}

/** Returns the checkpoint after the last page. */
export function afterPages(checkpoint: Checkpoint): Checkpoint {
  return { ...checkpoint, page: null, after: null, isSweep: true };
}

/** Returns the checkpoint after a phase. */
export function afterPhase({ type, phase }: Checkpoint, direction: SyncDirection): Checkpoint {
  if (phase === 'pull' && direction === 'both') return beginning(type, 'push');
  return beginning(type + 1, direction === 'push' ? 'push' : 'pull');
}

function beginning(type: number, phase: Checkpoint['phase']): Checkpoint {
  return { type, phase, page: null, from: null, isSorted: true, seen: 0, total: null, restarts: 0, after: null };
}
