// Filters a list of versions by the caller's access, without blocking the event loop: long versions are read in worker
// threads, the others in slices.
import { createSlices } from '#lib/jobs/slices.ts';
import { type Access, isKnownFromIndex, isVersionVisible } from '../access.ts';
import { isLong, type Reader, type Reading } from '../threads.ts';
import type { StoredVersion } from './stored-version.ts';

/** Those of the versions that may be seen, by `isVersionVisible`, in their order. */
export async function visibleVersions<V extends StoredVersion>(
  versions: readonly V[],
  access: Access,
  { parameters, workerThreads, reader }: Reading & { readonly reader: Reader },
): Promise<V[]> {
  const slices = createSlices();
  const visible: V[] = [];
  for (const version of versions) {
    const filter = access(version.resourceType);
    const isInThread = workerThreads !== undefined && isLong({ text: version.content }) && !isKnownFromIndex(filter);
    const { resourceType, id, content, organisation } = version;
    const isVisible = isInThread
      ? await workerThreads.isVisible(filter, { resourceType, id, content, organisation }, reader)
      : isVersionVisible(filter, version, parameters);
    if (isVisible) visible.push(version);
    await slices.rest();
  }
  return visible;
}
