// Batch and transaction: a Bundle to the base, or to `$batch` and `$transaction` (decision E4; hl7.org/fhir/R5/http.html#transaction).
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '#lib/errors.ts';
import type { ResourceText } from '#lib/fhir/resource-text.ts';
import { runBatch } from './bundle/batch.ts';
import { readEntries, requireAll } from './bundle/entry.ts';
import type { EntryContext, EntryRequest } from './bundle/request.ts';
import { runTransaction } from './bundle/transaction.ts';
import { queryOf, readBody } from './content.ts';
import type { RouteContext } from './context.ts';
import { type Answered, answering, callWithQuery } from './http-call.ts';
import type { Operations } from './operations.ts';

type BundleType = 'batch' | 'transaction';

/** 50 MiB (G4). */
const BODY_LIMIT = 50 * 1024 * 1024;

/** Which bundles an address takes. */
const ADDRESSES: Readonly<Record<string, readonly BundleType[]>> = {
  '/': ['batch', 'transaction'],
  '/$batch': ['batch'],
  '/$transaction': ['transaction'],
};

export function registerBundleRoutes(scope: FastifyInstance, operations: Operations, context: RouteContext): void {
  const { system, planWrite } = context.options;
  if (system === undefined) return;
  if (planWrite !== undefined) throw new Error('A service that plans its writes cannot take bundles');
  for (const [url, types] of Object.entries(ADDRESSES)) {
    const schema = { tags: ['fhir'], summary: `Carry out a ${types.join(' or ')} bundle` };
    const options = { config: { permission: system.permission, idempotent: true }, schema, bodyLimit: BODY_LIMIT };
    const handler = answering((request) => run(request, types, { ...context, operations }));
    // The base with its slash and without it, told as two routes, so that both say which methods they take.
    for (const prefixTrailingSlash of url === '/' ? (['no-slash', 'slash'] as const) : (['both'] as const))
      scope.post(url, { ...options, prefixTrailingSlash }, handler);
  }
}

async function run(request: FastifyRequest, types: readonly BundleType[], context: EntryContext): Promise<Answered> {
  const call = callWithQuery(request, context, queryOf(request));
  const [type, ...others] = types;
  if (type === 'transaction' && others.length === 0) {
    const text = await runTransaction(call, () => requestsOf(readBundle(request, types), context), context);
    return { call, answer: { status: 200, text } };
  }
  let bundle: ResourceText | undefined = readBundle(request, types);
  const onFailure = (err: unknown) => request.log.error({ event: 'request.failed', err });
  const running =
    bundle.resource['type'] === 'batch'
      ? runBatch(call, { entries: readEntries(bundle, context), onFailure }, context)
      : runTransaction(call, () => requestsOf(bundle ?? readBundle(request, types), context), context);
  // One that waits for its turn is read again when it has come, as those to `$transaction` are read only then.
  bundle = undefined;
  return { call, answer: { status: 200, text: await running } };
}

/** @throws ServiceError `invalid_request` for anything else in the body */
function readBundle(request: FastifyRequest, types: readonly BundleType[]): ResourceText {
  const bundle = readBody(request, 'Bundle');
  if (types.some((each) => each === bundle.resource['type'])) return bundle;
  const message = `Bundle.type must be ${types.join(' or ')}`;
  throw new ServiceError('invalid_request', message, { faults: [{ message, field: 'Bundle.type', issue: 'value' }] });
}

function requestsOf(bundle: ResourceText, context: EntryContext): EntryRequest[] {
  return requireAll(readEntries(bundle, context));
}
