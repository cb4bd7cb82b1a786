// Applies _summary and _elements to many resources, in slices; to long ones in worker threads (docs/adr/0042).
import { isLong } from '#fhir/store/threads.ts';
import { createSlices } from '#lib/jobs/slices.ts';
import type { RouteContext } from './context.ts';
import type { FhirCall } from './interactions/call.ts';
import { isSubset, type SubsetRequest, subsetText } from './subset.ts';

/**
 * The texts of the subsets, in order; the very texts when nothing was asked to be left out.
 * @throws ServiceError `unprocessable`, `unavailable`
 */
export async function subsetTexts(
  contents: readonly string[],
  subset: SubsetRequest,
  { principal }: Pick<FhirCall, 'principal'>,
  { options: { workerThreads }, definitions }: RouteContext,
): Promise<readonly string[]> {
  if (!isSubset(subset)) return contents;
  const budget = workerThreads?.budget(principal.id);
  const slices = createSlices();
  const texts: string[] = [];
  for (const text of contents) {
    const isInThread = workerThreads !== undefined && budget !== undefined && isLong({ text });
    texts.push(isInThread ? await workerThreads.subset(text, subset, budget) : subsetText(text, subset, definitions));
    await slices.rest();
  }
  return texts;
}
