// Dispatch's background work on stored records: the index of words, the index after an upgrade, and retention.
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import { createIndexUpgrade } from '#fhir/store/index/index-upgrade.ts';
import { createTextIndexer } from '#fhir/store/index/text-index.ts';
import type { StoreThreads } from '#fhir/store/threads.ts';
import type { Audit } from '#lib/audit/audit.ts';
import type { WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Retention } from '#lib/retention/config.ts';
import { createRetentionLoop } from '#lib/retention/loop.ts';
import type { WorkDependencies } from '#lib/work-dependencies.ts';
import { dispatchRetention } from './retention.ts';

export interface HousekeepingDeps extends WorkDependencies {
  readonly audit: Audit;
  readonly parameters: SearchParameters;
  readonly workerThreads: StoreThreads;
  readonly retention?: Retention | undefined;
}

/** Every write queues its words: without the indexer the queue would grow without end. */
export function createHousekeeping(deps: HousekeepingDeps): readonly WorkerLoop[] {
  return [
    createIndexUpgrade(deps),
    createTextIndexer(deps),
    createRetentionLoop(dispatchRetention(deps.retention ?? {}, deps.parameters), { ...deps, service: 'dispatch' }),
  ];
}
