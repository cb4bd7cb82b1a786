// Follows user-defined search parameters on one node: keeps the definitions up to date, takes part in the job, and
// reports its progress. A notification wakes the node; polling guarantees that every node knows within two seconds.

import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import type { OverlayContent } from '#fhir/search/parameters/overlay.ts';
import type { Database } from '#lib/db/database.ts';
import { newGuid } from '#lib/guid.ts';
import { createFollower } from '#lib/jobs/follower.ts';
import { createWorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import { parameterStep } from './parameter-job.ts';
import { createParameterOverlay, parameterChannel } from './parameter-overlay.ts';
import type { IndexThreads } from './reindex-batch.ts';

const POLL_MS = 1_000;

/** The progress of a SearchParameter for one of its base types. */
export interface ParameterProgress {
  readonly type: string;
  readonly code: string;
  readonly state: 'indexing' | 'searchable' | 'removing';
  /** The number of resources done, of `total`. */
  readonly done: number;
  readonly total: number;
}

export interface ParameterNode {
  /** The official parameters with those of users, for the store. */
  readonly parameters: SearchParameters;
  /** The parameters of users. */
  content(): OverlayContent;
  /** Loads the definitions, then follows their changes and works on them in the background. */
  start(): Promise<void>;
  wake(): void;
  stop(): Promise<void>;
  /** The base types of one SearchParameter resource; none when it is not used. */
  progressOf(resourceId: string): Promise<ParameterProgress[]>;
}

export interface ParameterNodeDependencies {
  readonly database: Database;
  readonly official: SearchParameters;
  readonly log: Logger;
  /** Threads for long resources, which are created after the node. */
  readonly workerThreads?: () => IndexThreads;
}

export function createParameterNode({
  database,
  official,
  log,
  workerThreads,
}: ParameterNodeDependencies): ParameterNode {
  const overlay = createParameterOverlay(official);
  const holder = newGuid();
  const refresh = () => overlay.refresh(database);
  const follow = createFollower({ name: 'search-parameters', log, refresh });
  const work = createWorkerLoop({
    name: 'search-parameter-index',
    intervalMs: POLL_MS,
    log,
    step: () => parameterStep(database, overlay, holder, workerThreads?.()),
  });
  const wake = () => {
    follow.wake();
    work.wake();
  };
  let unlisten: (() => Promise<void>) | undefined;
  return {
    parameters: overlay.parameters,
    content: overlay.content,
    start: async () => {
      await refresh();
      unlisten = await database.listen(parameterChannel(database), wake);
      follow.start();
      work.start();
    },
    wake,
    stop: async () => {
      await unlisten?.();
      await Promise.all([follow.stop(), work.stop()]);
    },
    progressOf: async (resourceId) => {
      const { rows } = await database.query<ParameterProgress>(
        `SELECT type, code, state, least(done, total) AS done, total FROM fhir_search_parameter
         WHERE resource_id = $1 ORDER BY type, code`,
        [resourceId],
      );
      return rows;
    },
  };
}
