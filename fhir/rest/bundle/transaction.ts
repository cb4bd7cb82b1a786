// Runs a transaction: all entries or none, in the order of FHIR's rules whatever the order in the bundle
// (hl7.org/fhir/R5/http.html#trules). Deletions come first, then creates, updates and patches, then reads, which see
// what was written. All creates share a few statements.

import type { ResourceAddress } from '#fhir/store/read/lookup.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import type { Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { requireRight } from '../admission.ts';
import type { RouteContext } from '../context.ts';
import { type FhirCall, type FhirResponse, oneTransaction } from '../interactions/call.ts';
import { recordRefusedReference } from '../interactions/write/conditional-references.ts';
import { recordHiddenDeletion } from '../interactions/write/delete.ts';
import { requireTargets } from '../interactions/write/reference-targets.ts';
import { isRefusal } from '../refusals.ts';
import type { ResponseText } from '../response-text.ts';
import { withEveryIssue } from './every-issue.ts';
import { atEntry, atEntryNow, atEntryOf, entryOf } from './failure.ts';
import { perform } from './perform.ts';
import { noTime, startReadTime } from './read-time.ts';
import { recordRefusedEntries } from './refused-entries.ts';
import { type BundleRequest, type EntryRequest, isInteraction, isOperation, isReading } from './request.ts';
import { reserveTargets } from './reservation.ts';
import { createResponseBudget, overBudget } from './response-budget.ts';
import { responseBundle, responseEntry } from './response-entries.ts';
import { type Plan, planWrites, requireDistinctTargets, requireWrittenOnce } from './transaction-plan.ts';
import { createAll, deleteAll, respondFound, updateAll } from './transaction-writes.ts';

/** Parses the entries of a bundle. @throws ServiceError `invalid_request` */
export type ReadRequests = () => readonly EntryRequest[] | Promise<readonly EntryRequest[]>;

/**
 * Returns the text of the response. The bundle is parsed when its turn comes: parsed bundles that wait would fill the
 * memory, and would survive many garbage collections.
 * @throws ServiceError of the first entry that fails, with the entry's place (all issues for invalid resources):
 * nothing is then written
 */
export function runTransaction(
  call: FhirCall,
  readRequests: ReadRequests,
  context: RouteContext,
): Promise<ResponseText> {
  const { database, store } = context.options;
  return context.bundleTurns(async () => {
    const entries = await readAllowed(call, readRequests, context);
    const requests = entries.filter(isInteraction);
    await context.options.guardIds?.require(call.principal, requests.flatMap(chosenAddress));
    const sources = requests.flatMap(({ source }) => source ?? []);
    await context.options.prepareReports?.(call.principal, sources);
    const answers = await database
      .transaction((tx) => runInside(tx, { call, entries }, context))
      .catch(async (error: unknown) => {
        await recordRefusal(call, { entries, error }, context);
        throw await withEveryIssue(error, requests, store.check);
      });
    await recordHiddenDeletions(call, requests, { answers, context });
    return responseBundle(
      'transaction-response',
      entries.map((entry) => responseEntry(answers.get(entry.index) ?? { status: 204 }, entry)),
    );
  });
}

/**
 * Reads the entries.
 * @throws ServiceError for an entry that the caller has no right to, and for two about the same resource
 */
export async function readAllowed(
  call: FhirCall,
  readRequests: ReadRequests,
  context: RouteContext,
): Promise<readonly EntryRequest[]> {
  const entries = await readRequests();
  const requireRightTo = (entry: EntryRequest) =>
    isOperation(entry) ? entry.operation.requireRight(call.principal) : requireRight(call.principal, entry, context);
  for (const entry of entries) {
    try {
      atEntryNow(entry, requireRightTo);
    } catch (error) {
      await recordHidden(call, { entries: [entry], error, status: 403 }, context);
      throw error;
    }
  }
  requireDistinctTargets(entries.filter(isInteraction));
  return entries;
}

/**
 * A refused entry refuses the whole transaction. Recorded are the entries whose resources exist and are hidden from the
 * caller.
 */
async function recordHidden(
  call: FhirCall,
  {
    entries,
    error,
    status = 404,
  }: { readonly entries: readonly EntryRequest[]; readonly error: unknown; readonly status?: 403 | 404 },
  context: RouteContext,
): Promise<void> {
  if (!(error instanceof ServiceError) || !isRefusal(error.status)) return;
  const onFailure = (failure: unknown) => {
    throw failure;
  };
  await recordRefusedEntries(call, entries, { status, onFailure }, context);
}

/**
 * Records why a transaction was refused. The entry at which it ended may have been refused by itself, such as a search
 * of types that the caller may not search. It may have been refused by one of its references.
 */
async function recordRefusal(
  call: FhirCall,
  { entries, error }: { readonly entries: readonly EntryRequest[]; readonly error: unknown },
  context: RouteContext,
): Promise<void> {
  await recordRefusedReference(call, error, context);
  const refused = error instanceof ServiceError && error.status === 403 ? entryOf(error) : undefined;
  if (refused !== undefined) await recordHidden(call, { entries: [refused], error, status: 403 }, context);
  await recordHidden(call, { entries: entries.filter((entry) => entry !== refused), error }, context);
}

/**
 * Records deletions of resources that exist and are hidden from the caller: to the transaction there was nothing to
 * delete.
 */
async function recordHiddenDeletions(
  call: FhirCall,
  requests: readonly BundleRequest[],
  { answers, context }: { readonly answers: Answers; readonly context: RouteContext },
): Promise<void> {
  for (const { interaction, type, id, index } of requests) {
    if (interaction !== 'delete' || id === undefined || answers.get(index)?.version !== undefined) continue;
    await recordHiddenDeletion(call, { resourceType: type.type, id }, context);
  }
}

/** The address at which an update may create a resource. */
function chosenAddress({ interaction, type, id, source }: BundleRequest): ResourceAddress[] {
  const chosen = interaction === 'update' ? (id ?? source?.resource['id']) : undefined;
  return typeof chosen === 'string' ? [{ resourceType: type.type, id: chosen }] : [];
}

type Answers = Map<number, FhirResponse>;

async function runInside(
  tx: Transaction,
  { call, entries }: { readonly call: FhirCall; readonly entries: readonly EntryRequest[] },
  context: RouteContext,
): Promise<Answers> {
  const requests = entries.filter(isInteraction);
  const inside: FhirCall = { ...call, execution: oneTransaction(tx) };
  const answers: Answers = new Map();
  const budget = createResponseBudget();
  const answer = (request: EntryRequest, given: FhirResponse): void => {
    if (!budget.take(given)) throw atEntry(overBudget(), request);
    answers.set(request.index, given);
  };
  const performAll = async (which: readonly EntryRequest[]): Promise<void> => {
    for (const request of which) answer(request, await atEntryOf(request, () => perform(inside, request, context)));
  };
  await reserveTargets(tx, inside, requests, context);
  const deletes = requests.filter(({ interaction }) => interaction === 'delete');
  await performAll(await deleteAll({ tx, call: inside, answer }, deletes, context));
  const writeAll = async (plan: Plan): Promise<void> => {
    const writing = { tx, call: inside, plan, answers, answer };
    await createAll(writing, context);
    await respondFound(writing, context);
    await performAll(await updateAll(writing, context));
  };
  const plan = await planWrites(tx, inside, { requests, budget }, context);
  await writeAll(plan);
  await performAll(plan.patches);
  const late = await plan.planLate?.();
  if (late !== undefined) await writeAll(late);
  const plans = late === undefined ? [plan] : [plan, late];
  const written = writtenBy(answers, plans);
  requireWrittenOnce(requests, written);
  if (context.options.checksReferences === true) {
    const checked = new Set(
      plans.flatMap(({ creates }) => creates.flatMap((each) => (each.companion ? [each.request.index] : []))),
    );
    for (const request of requests) {
      const hasCheckedReferences =
        checked.has(request.index) || answers.get(request.index)?.hasCheckedReferences === true;
      const version = hasCheckedReferences ? undefined : written.get(request.index);
      if (version !== undefined) await atEntryOf(request, () => requireTargets(tx, inside, version, context));
    }
  }
  const time = startReadTime(context.options.bundleReadMs);
  for (const entry of entries.filter(isReading)) {
    if (time.isOver()) throw atEntry(noTime(), entry);
    await performAll([entry]);
  }
  return answers;
}

/** The written versions by the place of the entry. */
function writtenBy(answers: Answers, plans: readonly Plan[]): Map<number, StoredVersion> {
  const unwritten = new Set(
    plans.flatMap(({ found, repeated }) => [...found, ...repeated].map(({ request }) => request.index)),
  );
  const written = new Map<number, StoredVersion>();
  for (const [index, { version }] of answers)
    if (version !== undefined && !unwritten.has(index)) written.set(index, version);
  return written;
}
