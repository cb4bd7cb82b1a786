// Groups transaction bundles that only create resources: several callers' bundles in one database transaction
// (docs/adr/0026). Each is checked and gets a response by itself; any other bundle has a transaction of its own.

import { availableParallelism } from 'node:os';
import { setImmediate as others } from 'node:timers/promises';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import { append } from '#lib/append.ts';
import type { Transaction } from '#lib/db/database.ts';
import { isUnavailable } from '#lib/db/failure.ts';
import { isOutage } from '#lib/errors.ts';
import { createBatcher, type GroupOutcome } from '#lib/jobs/batcher.ts';
import { createSlices } from '#lib/jobs/slices.ts';
import type { RouteContext } from '../context.ts';
import { type CallChange, createdBy, recordChanges } from '../interactions/access-records.ts';
import type { FhirCall } from '../interactions/call.ts';
import { writeResponse } from '../interactions/write/writing.ts';
import type { ResponseText } from '../response-text.ts';
import { withEveryIssue } from './every-issue.ts';
import { type BundleRequest, isInteraction } from './request.ts';
import { responseBundle, responseEntry } from './response-entries.ts';
import { type ReadRequests, readAllowed, runTransaction } from './transaction.ts';
import { isNew, type NewResource, planNew } from './transaction-plan.ts';

/** A transaction that waits for its group. Its entries are read when the group begins. */
export interface TransactionInput {
  readonly call: FhirCall;
  readonly readRequests: ReadRequests;
  /** Bytes of the bundle. */
  readonly size: number;
  readonly context: RouteContext;
}

/** Carries out a transaction and returns the text of its response. @throws ServiceError as `runTransaction` does */
export type TransactionGroups = (given: TransactionInput) => Promise<ResponseText>;

/**
 * A group delays the responses of all its members, and all their resources are in memory together. With more groups
 * than processors, they wait for the same pages of the index (docs/adr/0026).
 */
const LIMITS = { items: 64, size: 256 * 1024, groups: availableParallelism() > 2 ? 3 : 2 };
/** Bytes. A larger bundle gains nothing from a group. */
const MAX_SIZE = 128 * 1024;
/**
 * Texts of bundles that do more than create resources: PUT, PATCH, DELETE, GET, HEAD, ifNoneExist, conditions. Each
 * begins with a character that is rare in JSON, since a search stops at every place of the first character.
 */
const FURTHER = ['UT"', 'TCH"', 'DELETE"', 'GET"', 'HEAD"', 'NoneExist"', '?'];

/**
 * Whether a bundle may consist of creates alone, as far as a search of its bytes shows. Most bundles that do more then
 * do not wait for a group.
 */
export function mayBeNewOnly(body: unknown): body is Buffer {
  return Buffer.isBuffer(body) && body.length <= MAX_SIZE && !FURTHER.some((text) => body.includes(text));
}

export function createTransactionGroups(): TransactionGroups {
  return createBatcher<TransactionInput, ResponseText>({
    name: 'run transactions',
    limits: LIMITS,
    sizeOf: ({ size }) => size,
    together: runTogether,
    single: {
      alone: ({ call, readRequests, context }) => runTransaction(call, readRequests, context),
      isCommon: (error) => isUnavailable(error) || isOutage(error),
    },
  });
}

/** The planned creates of one transaction. */
interface Draft {
  readonly call: FhirCall;
  readonly context: RouteContext;
  /** Emptied as soon as the store does not need them any more. */
  creates: readonly NewResource[];
  /** The entries, by which the responses are written. */
  readonly requests: readonly RequestHead[];
}

/** An entry without its resource. */
type RequestHead = BundleRequest & { readonly source: undefined };

type WrittenVersions = ReadonlyMap<Draft, readonly StoredVersion[]>;

/** A group holds one connection, and so counts as one bundle of those that may run at a time. */
async function runTogether(given: readonly TransactionInput[]): Promise<GroupOutcome<ResponseText>[]> {
  const [first] = given;
  if (first === undefined) return [];
  const { bundleTurns, options } = first.context;
  return bundleTurns(async () => {
    const drafts: (Draft | { readonly error: unknown } | undefined)[] = [];
    for (const each of given) {
      drafts.push(await draftOf(each));
      await others();
    }
    const wanted = drafts.filter((draft) => draft !== undefined && 'creates' in draft);
    const made: WrittenVersions =
      wanted.length === 0 ? new Map() : await options.database.transaction((tx) => writeAll(tx, wanted));
    const outcomes: GroupOutcome<ResponseText>[] = [];
    for (const draft of drafts) {
      const isMade = draft !== undefined && 'creates' in draft;
      outcomes.push(isMade ? await outcomeOf(draft, made.get(draft) ?? []) : draft);
    }
    return outcomes;
  });
}

/** The draft of a transaction; undefined for one that depends on stored resources or changes them. */
async function draftOf({
  call,
  readRequests,
  context,
}: TransactionInput): Promise<Draft | { readonly error: unknown } | undefined> {
  let requests: BundleRequest[] = [];
  try {
    const entries = await readAllowed(call, readRequests, context);
    requests = entries.filter(isInteraction);
    if (requests.length < entries.length || !requests.every(isNew)) return undefined;
    const creates = await planNew(call, requests, context);
    if (creates.some(({ companion, written }) => companion !== undefined || written !== undefined)) return undefined;
    return { call, context, creates, requests: requests.map((request) => ({ ...request, source: undefined })) };
  } catch (error) {
    return { error: await withEveryIssue(error, requests, context.options.store.check) };
  }
}

async function writeAll(tx: Transaction, drafts: readonly Draft[]): Promise<WrittenVersions> {
  const made = new Map<Draft, readonly StoredVersion[]>();
  const [first] = drafts;
  if (first === undefined) return made;
  const { options } = first.context;
  // The database repeats the work after a lost race, when the inputs are released already. The error makes each
  // transaction run alone, which reads its bundle again.
  if (drafts.some(({ creates, requests }) => creates.length < requests.length))
    throw new Error('The transactions of a group go on alone');
  const inputs = drafts.flatMap(({ creates }) => creates);
  const ids = inputs.map(({ id }) => id);
  const versions = await options.store.createMany(tx, inputs, () => {
    inputs.length = 0;
    for (const draft of drafts) draft.creates = [];
  });
  // A new id is never taken.
  if (ids.length !== versions.length || ids.some((id, place) => id !== versions[place]?.id))
    throw new Error('A new id was taken');
  let start = 0;
  const changes: CallChange[] = [];
  for (const draft of drafts) {
    const own = versions.slice(start, start + draft.requests.length);
    start += own.length;
    made.set(draft, own);
    append(changes, createdBy(draft.call, own));
  }
  await recordChanges(tx, changes, first.context);
  return made;
}

/**
 * The group is committed by now. An error in writing a response must stay with its own transaction. A group that
 * rejects is taken as undone, and would be carried out again.
 */
async function outcomeOf(draft: Draft, versions: readonly StoredVersion[]): Promise<GroupOutcome<ResponseText>> {
  try {
    return { value: await responseOf(draft, versions) };
  } catch (error) {
    return { error };
  }
}

async function responseOf(
  { call, context, requests }: Draft,
  versions: readonly StoredVersion[],
): Promise<ResponseText> {
  const slices = createSlices();
  const entries: ResponseText[] = [];
  for (const [place, request] of requests.entries()) {
    const version = versions[place];
    if (version === undefined) continue;
    entries.push(responseEntry(await writeResponse(call, { version, isNew: true }, context), request));
    await slices.rest();
  }
  return responseBundle('transaction-response', entries);
}
