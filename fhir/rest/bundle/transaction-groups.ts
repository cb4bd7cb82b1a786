// Groups transaction bundles that only create resources: several callers' bundles in one database transaction
// (docs/adr/0026). Each is checked and gets a response by itself; any other bundle has a transaction of its own.

import { setImmediate as others } from 'node:timers/promises';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import { append } from '#lib/append.ts';
import type { Transaction } from '#lib/db/database.ts';
import { isUnavailable } from '#lib/db/failure.ts';
import { ServiceError } from '#lib/errors.ts';
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

/** A transaction to be carried out; what its bundle asks for is read when its group begins. */
export interface TransactionInput {
  readonly call: FhirCall;
  readonly readRequests: ReadRequests;
  /** Of the bundle, in bytes. */
  readonly size: number;
  readonly context: RouteContext;
}

/** Answers the text of the response. @throws ServiceError as `runTransaction` does */
export type TransactionGroups = (given: TransactionInput) => Promise<ResponseText>;

/** A group holds up the answers of all its members, and its resources are in memory together. */
const LIMITS = { items: 64, size: 256 * 1024, groups: 3 };
/** A larger one saves nothing by going with others. */
const MAX_SIZE = 128 * 1024;
/**
 * What stands in a bundle that does more than making new resources: PUT, PATCH, DELETE, GET, HEAD, ifNoneExist,
 * conditions. Led by what is rare in JSON, as every place where a text's first character stands is looked at.
 */
const FURTHER = ['UT"', 'TCH"', 'DELETE"', 'GET"', 'HEAD"', 'NoneExist"', '?'];

/**
 * Whether a bundle may only make new resources, as far as its text tells without being read: most that do more do not
 * wait for a group.
 */
export function mayBeNewOnly(body: unknown): body is Buffer {
  return Buffer.isBuffer(body) && body.length <= MAX_SIZE && !FURTHER.some((text) => body.includes(text));
}

export function createTransactionGroups(): TransactionGroups {
  return createBatcher<TransactionInput, ResponseText>({
    limits: LIMITS,
    sizeOf: ({ size }) => size,
    together: runTogether,
    single: {
      alone: ({ call, readRequests, context }) => runTransaction(call, readRequests, context),
      isCommon: (error) => isUnavailable(error) || (error instanceof ServiceError && error.code === 'unavailable'),
    },
  });
}

/** What one transaction is to make. */
interface Draft {
  readonly call: FhirCall;
  readonly context: RouteContext;
  /** As long as the store needs them. */
  creates: readonly NewResource[];
  /** What their entries are answered by. */
  readonly requests: readonly Answerable[];
}

/** An entry without its resource. */
type Answerable = BundleRequest & { readonly source: undefined };

type Made = ReadonlyMap<Draft, readonly StoredVersion[]>;

/** It is one of those that hold a connection, and takes its turn among them. */
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
    const made: Made =
      wanted.length === 0 ? new Map() : await options.database.transaction((tx) => writeAll(tx, wanted));
    const outcomes: GroupOutcome<ResponseText>[] = [];
    for (const draft of drafts) {
      const isMade = draft !== undefined && 'creates' in draft;
      outcomes.push(isMade ? await outcomeOf(draft, made.get(draft) ?? []) : draft);
    }
    return outcomes;
  });
}

/** Undefined for a transaction that depends on what is there, or changes it. */
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
    return { call, context, creates, requests: requests.map((request) => ({ ...request, source: undefined })) };
  } catch (error) {
    return { error: await withEveryIssue(error, requests, context.options.store.check) };
  }
}

async function writeAll(tx: Transaction, drafts: readonly Draft[]): Promise<Made> {
  const made = new Map<Draft, readonly StoredVersion[]>();
  const [first] = drafts;
  if (first === undefined) return made;
  const { options } = first.context;
  // Carried out again, after a race that was lost: what was read is gone, and each is to be read and carried out by
  // itself.
  if (drafts.some(({ creates, requests }) => creates.length < requests.length))
    throw new Error('The transactions of a group go on alone');
  const inputs = drafts.flatMap(({ creates }) => creates);
  const ids = inputs.map(({ id }) => id);
  const versions = await options.store.createMany(tx, inputs, () => {
    inputs.length = 0;
    for (const draft of drafts) draft.creates = [];
  });
  // Of new ids none is taken.
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
 * All is committed: an answer that fails is its own draft's alone, as a group that rejects has done nothing and is
 * carried out again.
 */
async function outcomeOf(draft: Draft, versions: readonly StoredVersion[]): Promise<GroupOutcome<ResponseText>> {
  try {
    return { value: await answerOf(draft, versions) };
  } catch (error) {
    return { error };
  }
}

async function answerOf({ call, context, requests }: Draft, versions: readonly StoredVersion[]): Promise<ResponseText> {
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
