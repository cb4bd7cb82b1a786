// A batch: each entry by itself, some at a time; one that is refused leaves the others as they are
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
import { createResponseBudget, noRoom, type ResponseBudget } from './response-budget.ts';
import { errorEntry, responseBundle, responseEntry } from './response-entries.ts';

/** So many entries of one batch are carried out at a time: others want connections too. */
const AT_A_TIME = 4;

/** The text of the answer. `onFailure` hears of what went wrong on our side. */
export async function runBatch(
  call: FhirCall,
  {
    entries,
    onFailure,
  }: { readonly entries: readonly (EntryRequest | ServiceError)[]; readonly onFailure: (error: unknown) => void },
  context: RouteContext,
): Promise<ResponseText> {
  const answers: ResponseText[] = [];
  const room = createResponseBudget();
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
          : await answerOf(call, { request: entry, fullUrls, onFailure, room, time }, context);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return responseBundle('batch-response', answers);
}

async function answerOf(
  call: FhirCall,
  {
    request,
    fullUrls,
    onFailure,
    room,
    time,
  }: {
    readonly request: EntryRequest;
    readonly fullUrls: ReadonlySet<string>;
    readonly onFailure: (error: unknown) => void;
    readonly room: ResponseBudget;
    readonly time: ReadTime;
  },
  context: RouteContext,
): Promise<ResponseText> {
  const isRead = isReading(request);
  if (isRead && time.isOver()) return errorEntry(noTime());
  try {
    if (isRead && room.isFull()) throw noRoom();
    if (isInteraction(request)) await requireIndependent(request, fullUrls, context);
    const answer = await perform(call, request, context);
    const hasRoom = room.take(answer);
    if (isRead && !hasRoom) throw noRoom();
    if (hasRoom) return responseEntry(answer, request);
    // The write is done: the response reports it without a body, which the client can read.
    const { text: _, ...withoutBody } = answer;
    return responseEntry(withoutBody, request);
  } catch (error) {
    const known = toServiceError(error);
    if (known.status >= 500) onFailure(error);
    await recordRefusedEntries(call, [request], { status: known.status, onFailure }, context);
    return errorEntry(known);
  }
}
