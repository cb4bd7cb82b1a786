// A batch: each entry by itself, some at a time; one that is refused leaves the others as they are (hl7.org/fhir/R5/http.html#batch).
import { ServiceError } from '#lib/errors.ts';
import type { RouteContext } from '../context.ts';
import type { FhirCall } from '../interactions/call.ts';
import { answeredEntry, refusedEntry, responseBundle } from './answer.ts';
import type { BundleRequest } from './entry.ts';
import { toServiceError } from './failure.ts';
import { perform } from './perform.ts';

/** So many entries of one batch are carried out at a time: others want connections too. */
const AT_A_TIME = 4;

/** The text of the answer. `onFailure` hears of what went wrong on our side. */
export async function runBatch(
  call: FhirCall,
  {
    entries,
    onFailure,
  }: { readonly entries: readonly (BundleRequest | ServiceError)[]; readonly onFailure: (error: unknown) => void },
  context: RouteContext,
): Promise<string> {
  const answers: string[] = [];
  const waiting = entries.entries();
  const work = async (): Promise<void> => {
    for (const [position, entry] of waiting) {
      answers[position] =
        entry instanceof ServiceError
          ? refusedEntry(entry)
          : await answerOf(call, { request: entry, onFailure }, context);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return responseBundle('batch-response', answers);
}

async function answerOf(
  call: FhirCall,
  { request, onFailure }: { readonly request: BundleRequest; readonly onFailure: (error: unknown) => void },
  context: RouteContext,
): Promise<string> {
  try {
    return answeredEntry(await perform(call, request, context), request.method);
  } catch (error) {
    const known = toServiceError(error);
    if (known.status >= 500) onFailure(error);
    return refusedEntry(known);
  }
}
