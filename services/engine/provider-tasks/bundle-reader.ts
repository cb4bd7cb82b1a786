// Reads bundles and reports: short bundles on the event loop, all else in a thread (docs/adr/0058). The forms of a
// report have expressions of their authors.

import type { WorkerThreads } from '#fhir/rest/threads/worker-threads.ts';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import { LONG } from '#fhir/store/threads.ts';
import { type BundleResults, type BundleWork, doBundleWork } from './bundle-work.ts';

/**
 * @param owner the owner of the request; each owner may queue only a part of the work for threads
 * @throws ServiceError as `doBundleWork`; `unprocessable` when it takes too long; `unavailable` when too much waits
 */
export type ReadBundles = <W extends BundleWork>(work: W, owner?: string) => Promise<BundleResults[W['kind']]>;

export function createBundleReader(deps: {
  readonly parameters: SearchParameters;
  /** All is read on the event loop when left out. */
  readonly workerThreads?: WorkerThreads | undefined;
}): ReadBundles {
  const { parameters, workerThreads } = deps;
  const read = async (work: BundleWork, owner?: string): Promise<unknown> =>
    workerThreads === undefined || (!hasExpressions(work) && lengthOf(work) <= LONG)
      ? doBundleWork(work, parameters)
      : workerThreads.perform(work, workerThreads.budget(owner));
  return read as ReadBundles;
}

function hasExpressions({ kind }: BundleWork): boolean {
  return kind === 'report';
}

function lengthOf(work: BundleWork): number {
  return ('body' in work ? work.body.length : 0) + ('bundle' in work ? work.bundle.length : 0);
}
