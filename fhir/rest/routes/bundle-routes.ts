// The routes of batch and transaction: a Bundle to the base, or to `$batch` and `$transaction` (decision E4;
// hl7.org/fhir/R5/http.html#transaction).
import type { FastifyRequest } from 'fastify';
import type { ResourceText } from '#fhir/resources/resource-text.ts';
import { ServiceError } from '#lib/errors.ts';
import { runBatch } from '../bundle/batch.ts';
import { createEntryReader, readEntries, requireAll } from '../bundle/entry.ts';
import type { EntryContext, EntryRequest } from '../bundle/request.ts';
import { runTransaction } from '../bundle/transaction.ts';
import { createTransactionGroups, mayBeNewOnly, type TransactionGroups } from '../bundle/transaction-groups.ts';
import type { RouteContext } from '../context.ts';
import { longBody, queryOf, readBody, requireType } from '../http/content.ts';
import { type CallResult, callWithQuery, respondWith } from '../http/http-call.ts';
import type { FhirCall } from '../interactions/call.ts';
import type { ResponseText } from '../response-text.ts';
import { sourceOf } from '../threads/lazy-source.ts';
import type { ReadEntry } from '../threads/tasks.ts';
import type { RequestBudget } from '../threads/worker-threads.ts';
import type { Operations } from './operations.ts';
import type { RouteTable } from './route-table.ts';

interface BundleContext extends EntryContext {
  /** Carries out transactions that only create resources, several requests' together. */
  readonly transactionGroups: TransactionGroups;
}

type BundleType = 'batch' | 'transaction';

/** 50 MiB (G4). */
const BODY_LIMIT = 50 * 1024 * 1024;

/** The types of bundle that an address takes. */
const ADDRESSES: Readonly<Record<string, readonly BundleType[]>> = {
  '/': ['batch', 'transaction'],
  '/$batch': ['batch'],
  '/$transaction': ['transaction'],
};

export function addBundleRoutes(table: RouteTable, operations: Operations, context: RouteContext): void {
  const { system, planWrite } = context.options;
  if (system === undefined) return;
  if (planWrite !== undefined) throw new Error('A service that plans its writes cannot take bundles');
  const served = { ...context, operations, transactionGroups: createTransactionGroups() };
  for (const [url, types] of Object.entries(ADDRESSES)) {
    const schema = { tags: ['fhir'], summary: `Carry out a ${types.join(' or ')} bundle` };
    const options = { config: { permission: system.permission, idempotent: true }, schema, bodyLimit: BODY_LIMIT };
    const handler = respondWith((request) => run(request, types, served));
    // The base has one route with a slash and one without, so that both name their methods.
    for (const prefixTrailingSlash of url === '/' ? (['no-slash', 'slash'] as const) : (['both'] as const))
      table.add('POST', url, { ...options, prefixTrailingSlash }, handler);
  }
}

async function run(request: FastifyRequest, types: readonly BundleType[], context: BundleContext): Promise<CallResult> {
  const call = callWithQuery(request, context, queryOf(request));
  const long = longBody(request, context, true);
  if (long !== undefined) return context.longBundles(() => runLong(request, { call, types, long }, context));
  const [type, ...others] = types;
  if (type === 'transaction' && others.length === 0) {
    const text = await carryOut(request, call, () => requestsOf(readBundle(request, types), request, context), context);
    return { call, answer: { status: 200, text } };
  }
  let bundle: ResourceText | undefined = readBundle(request, types);
  const onFailure = (err: unknown) => request.log.error({ event: 'request.failed', err });
  const running =
    bundle.resource['type'] === 'batch'
      ? runBatch(call, { entries: readEntries(bundle, context, budgetOf(request, context)), onFailure }, context)
      : carryOut(request, call, () => requestsOf(bundle ?? readBundle(request, types), request, context), context);
  // The parsed bundle is released while it waits for its turn, and parsed again then. `$transaction` parses only then,
  // too.
  bundle = undefined;
  return { call, answer: { status: 200, text: await running } };
}

/** A transaction that may only create resources goes to a group, unless its writes need a transaction of their own. */
function carryOut(
  { body }: FastifyRequest,
  call: FhirCall,
  readRequests: () => readonly EntryRequest[],
  context: BundleContext,
): Promise<ResponseText> {
  if (call.execution.groups === undefined || !mayBeNewOnly(body)) return runTransaction(call, readRequests, context);
  return context.transactionGroups({ call, readRequests, size: body.length, context });
}

interface LongBundle {
  readonly call: FhirCall;
  readonly types: readonly BundleType[];
  readonly long: Buffer;
}

/** Parses a long bundle in a thread, and carries it out in slices. */
async function runLong(
  request: FastifyRequest,
  { call, types, long }: LongBundle,
  context: BundleContext,
): Promise<CallResult> {
  const { workerThreads } = context.options;
  if (workerThreads === undefined) throw new TypeError('There are no threads');
  const entries: (EntryRequest | ServiceError)[] = [];
  const budget = workerThreads.budget(call.principal.id);
  const read = createEntryReader(context, budget);
  const bundle = await workerThreads.readBundle(long, budget, (piece) => {
    for (const { entry, resource } of piece) entries.push(read(entry, resource && (() => readSource(resource))));
  });
  requireType(bundle, 'Bundle');
  const type = requireBundleType(sourceOf(bundle).resource['type'], types);
  const onFailure = (err: unknown) => request.log.error({ event: 'request.failed', err });
  const running =
    type === 'batch'
      ? runBatch(call, { entries, onFailure }, context)
      : runTransaction(call, () => requireAll(entries), context);
  return { call, answer: { status: 200, text: await running } };
}

function readSource(resource: NonNullable<ReadEntry['resource']>): ResourceText {
  if (!('issue' in resource)) return sourceOf(resource);
  const { issue: message } = resource;
  throw new ServiceError('invalid_request', message, { issues: [{ message, code: 'structure' }] });
}

/** @throws ServiceError `invalid_request` for a body that is no such bundle */
function readBundle(request: FastifyRequest, types: readonly BundleType[]): ResourceText {
  const bundle = readBody(request, 'Bundle');
  requireBundleType(bundle.resource['type'], types);
  return bundle;
}

function requireBundleType(given: unknown, types: readonly BundleType[]): BundleType {
  const known = types.find((each) => each === given);
  if (known !== undefined) return known;
  const message = `Bundle.type must be ${types.join(' or ')}`;
  throw new ServiceError('invalid_request', message, { issues: [{ message, field: 'Bundle.type', code: 'value' }] });
}

function requestsOf(bundle: ResourceText, request: FastifyRequest, context: EntryContext): EntryRequest[] {
  return requireAll(readEntries(bundle, context, budgetOf(request, context)));
}

function budgetOf(request: FastifyRequest, { options: { workerThreads } }: EntryContext): RequestBudget | undefined {
  return workerThreads?.budget(request.principal?.id);
}
