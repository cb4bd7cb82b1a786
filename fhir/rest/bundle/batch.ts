// Runs a batch: each entry is carried out by itself, some at a time. A refused entry leaves the others as they are
// (hl7.org/fhir/R5/http.html#batch).
import { isLong } from '#fhir/store/threads.ts';
import { ServiceError } from '#lib/errors.ts';
import { createConcurrencyLimit } from '#lib/jobs/concurrency-limit.ts';
import { createSlices } from '#lib/jobs/slices.ts';
import type { RouteContext } from '../context.ts';
import type { FhirCall, FhirResponse } from '../interactions/call.ts';
import type { ResponseText } from '../response-text.ts';
import { toServiceError } from './failure.ts';
import { perform } from './perform.ts';
import { placeholdersOf, requireIndependent } from './placeholders.ts';
import { noTime, type ReadTime, startReadTime } from './read-time.ts';
import { recordRefusedEntries } from './refused-entries.ts';
import { type EntryRequest, isInteraction, isReading } from './request.ts';
import { createResponseBudget, overBudget, type ResponseBudget } from './response-budget.ts';
import { errorEntry, responseBundle, responseEntry } from './response-entries.ts';

/** Entries of one batch that run at the same time, and its transactions. Each may hold a connection of the pool. */
const AT_A_TIME = 4;
/**
 * Entries of one batch at the same time that share statements with each other and with other requests. They are reads
 * by id (#fhir/store/read/batched-lookup.ts), and single creates and updates (../interactions/write/write-groups.ts).
 */
const SHARED_AT_A_TIME = 20;
/** A transaction that has waited this long for others of its batch is refused, in milliseconds. */
const PATIENCE_MS = 30_000;

/** Returns the text of the response. `onFailure` gets errors that are not the client's. */
export async function runBatch(
  call: FhirCall,
  {
    entries,
    onFailure,
  }: { readonly entries: readonly (EntryRequest | ServiceError)[]; readonly onFailure: (error: unknown) => void },
  context: RouteContext,
): Promise<ResponseText> {
  const answers: (() => ResponseText)[] = [];
  const budgets = { all: createResponseBudget(), written: createResponseBudget() };
  const time = startReadTime(context.options.bundleReadMs);
  const requests = entries.flatMap((entry) => (entry instanceof ServiceError || !isInteraction(entry) ? [] : [entry]));
  const fullUrls = placeholdersOf(requests);
  const slices = createSlices();
  const limited = withFewTransactions(call);
  const work = async (waiting: Iterable<readonly [number, EntryRequest | ServiceError]>): Promise<void> => {
    for (const [position, entry] of waiting) {
      await slices.rest();
      answers[position] =
        entry instanceof ServiceError
          ? () => errorEntry(entry)
          : await responseOf(limited, { request: entry, fullUrls, onFailure, budgets, time }, context);
    }
  };
  const placed = entries.map((entry, position) => [position, entry] as const);
  const isShared = ([, entry]: (typeof placed)[number]) => sharesStatements(entry, call);
  await Promise.all([
    ...workersOn(placed.filter(isShared), SHARED_AT_A_TIME, work),
    ...workersOn(
      placed.filter((each) => !isShared(each)),
      AT_A_TIME,
      work,
    ),
  ]);
  return responseBundle(
    'batch-response',
    answers.map((finish) => finish()),
  );
}

/**
 * Whether the entry is a read by id or a single write, which wait for statements that others share. Writes of a call
 * without groups have a transaction each. A resource that is checked in a thread is none of them either. One caller may
 * have only a few in the queue of the threads.
 */
function sharesStatements(entry: EntryRequest | ServiceError, { execution: { groups } }: FhirCall): boolean {
  if (entry instanceof ServiceError || !isInteraction(entry)) return false;
  const { interaction, id, conditions, source } = entry;
  if (!isReading(entry) && groups === undefined) return false;
  if (source !== undefined && (isLong(source) || source.text.includes('"profile"'))) return false;
  if (interaction === 'create') return conditions.ifNoneExist === undefined;
  return interaction === 'read' || interaction === 'vread' || (interaction === 'update' && id !== undefined);
}

/** Workers that take from one list in turn. */
function workersOn<T>(list: readonly T[], count: number, work: (waiting: Iterable<T>) => Promise<void>) {
  const waiting = list.values();
  return Array.from({ length: count }, () => work(waiting));
}

function withFewTransactions(call: FhirCall): FhirCall {
  const { execution } = call;
  const inTurn = createConcurrencyLimit({
    atOnce: AT_A_TIME,
    patienceMs: PATIENCE_MS,
    timeoutError: () =>
      new ServiceError('unavailable', 'The entry waited too long for others of its batch', { retryAfterSeconds: 5 }),
  });
  return { ...call, execution: { ...execution, transaction: (run) => inTurn(() => execution.transaction(run)) } };
}

interface Budgets {
  /** Of the whole response. */
  readonly all: ResponseBudget;
  /** Of the bodies of writes that are held until all reads are done. */
  readonly written: ResponseBudget;
}

async function responseOf(
  call: FhirCall,
  {
    request,
    fullUrls,
    onFailure,
    budgets,
    time,
  }: {
    readonly request: EntryRequest;
    readonly fullUrls: ReadonlySet<string>;
    readonly onFailure: (error: unknown) => void;
    readonly budgets: Budgets;
    readonly time: ReadTime;
  },
  context: RouteContext,
): Promise<() => ResponseText> {
  const isRead = isReading(request);
  if (isRead && time.isOver()) return () => errorEntry(noTime());
  try {
    if (isRead && budgets.all.isFull()) throw overBudget();
    if (isInteraction(request)) await requireIndependent(request, fullUrls, context);
    const answer = await perform(call, request, context);
    if (!isRead) return written(answer, request, budgets);
    if (!budgets.all.take(answer)) throw overBudget();
    return () => responseEntry(answer, request);
  } catch (error) {
    const known = toServiceError(error);
    if (known.status >= 500) onFailure(error);
    await recordRefusedEntries(call, [request], { status: known.status, onFailure }, context);
    return () => errorEntry(known);
  }
}

/**
 * The write is committed. What reads leave of the budget goes to the bodies of writes, in their order. Without a body
 * the response reports the write all the same, and the client can read the resource afterwards. Until then no more is
 * held than could be sent, as a patch of a few bytes may answer with megabytes.
 */
function written(answer: FhirResponse, request: EntryRequest, { all, written: held }: Budgets): () => ResponseText {
  const { text: _, ...withoutBody } = answer;
  if (!held.take(answer)) return () => responseEntry(withoutBody, request);
  return () => responseEntry(all.take(answer) ? answer : withoutBody, request);
}
