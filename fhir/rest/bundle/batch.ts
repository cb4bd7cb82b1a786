// Runs a batch: each entry is carried out by itself, some at a time. A refused entry leaves the others as they are
// (hl7.org/fhir/R5/http.html#batch).
import { ServiceError } from '#lib/errors.ts';
import { createSlices } from '#lib/jobs/slices.ts';
import type { RouteContext } from '../context.ts';
import type { FhirCall } from '../interactions/call.ts';
import type { ResponseText } from '../response-text.ts';
import { toServiceError } from './failure.ts';
import { perform } from './perform.ts';
import { placeholdersOf, requireIndependent } from './placeholders.ts';
import { noTime, type ReadTime, startReadTime } from './read-time.ts';
import { recordRefusedEntries } from './refused-entries.ts';
import { type EntryRequest, isInteraction, isReading } from './request.ts';
import { createResponseBudget, overBudget, type ResponseBudget } from './response-budget.ts';
import { errorEntry, responseBundle, responseEntry } from './response-entries.ts';

/** Entries of one batch that run at the same time. Each may hold a connection, which other requests need too. */
const AT_A_TIME = 4;

/** Returns the text of the response. `onFailure` gets errors that are not the client's. */
export async function runBatch(
  call: FhirCall,
  {
    entries,
    onFailure,
  }: { readonly entries: readonly (EntryRequest | ServiceError)[]; readonly onFailure: (error: unknown) => void },
  context: RouteContext,
): Promise<ResponseText> {
  const answers: ResponseText[] = [];
  const budget = createResponseBudget();
  const time = startReadTime(context.options.bundleReadMs);
  const requests = entries.flatMap((entry) => (entry instanceof ServiceError || !isInteraction(entry) ? [] : [entry]));
  const fullUrls = placeholdersOf(requests);
  const waiting = entries.entries();
  const slices = createSlices();
  const work = async (): Promise<void> => {
    for (const [position, entry] of waiting) {
      await slices.rest();
      answers[position] =
        entry instanceof ServiceError
          ? errorEntry(entry)
          : await responseOf(call, { request: entry, fullUrls, onFailure, budget, time }, context);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return responseBundle('batch-response', answers);
}

async function responseOf(
  call: FhirCall,
  {
    request,
    fullUrls,
    onFailure,
    budget,
    time,
  }: {
    readonly request: EntryRequest;
    readonly fullUrls: ReadonlySet<string>;
    readonly onFailure: (error: unknown) => void;
    readonly budget: ResponseBudget;
    readonly time: ReadTime;
  },
  context: RouteContext,
): Promise<ResponseText> {
  const isRead = isReading(request);
  if (isRead && time.isOver()) return errorEntry(noTime());
  try {
    if (isRead && budget.isFull()) throw overBudget();
    if (isInteraction(request)) await requireIndependent(request, fullUrls, context);
    const answer = await perform(call, request, context);
    const fits = budget.take(answer);
    if (isRead && !fits) throw overBudget();
    if (fits) return responseEntry(answer, request);
    // The write is committed. The response reports it without a body, which the client can read afterwards.
    const { text: _, ...withoutBody } = answer;
    return responseEntry(withoutBody, request);
  } catch (error) {
    const known = toServiceError(error);
    if (known.status >= 500) onFailure(error);
    await recordRefusedEntries(call, [request], { status: known.status, onFailure }, context);
    return errorEntry(known);
  }
}
