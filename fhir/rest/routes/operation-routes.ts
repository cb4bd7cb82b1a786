// Routes of operations, with their response cache, and of the system history.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ResourceText } from '#fhir/resources/resource-text.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { ServiceError } from '#lib/errors.ts';
import { requirePrincipal } from '#lib/http/app.ts';
import { FHIR_JSON } from '#lib/http/error-handler.ts';
import { bufferOf } from '#lib/http/response/direct-body.ts';
import type { ServedRoute } from '#lib/http/response/served-route.ts';
import { requireOperation } from '../admission.ts';
import type { RouteContext } from '../context.ts';
import { longBody, queryOf, readAnyBody } from '../http/content.ts';
import { type CallResult, callWithQuery, respondWith } from '../http/http-call.ts';
import { responseTypeOf } from '../http/media-type.ts';
import { systemHistory } from '../interactions/history.ts';
import type { FhirTypeOptions, ServedOperation } from '../options.ts';
import { createResponseCache, type Question, type ResponseCache, type ResponseSource } from '../response-cache.ts';
import { createDirectOperations, type DirectOperations, dependsOnMore, questionIn } from './direct-operations.ts';
import { addressOf, callOfOperation, type Operations } from './operations.ts';
import type { RouteTable, RowList } from './route-table.ts';

/**
 * Adds the operations of the system, if the service serves it as a whole (`options.system`). Returns what adds those of
 * a type. `scope` sends their direct responses.
 */
export function addOperationRoutes(
  table: RouteTable,
  scope: FastifyInstance,
  { operations, ...context }: RouteContext & { readonly operations: Operations },
): (list: RowList, type: FhirTypeOptions) => void {
  const { system } = context.options;
  if (system === undefined) return () => undefined;
  const memory = createResponseCache();
  const direct = createDirectOperations(memory);
  scope.offerDirectResponses(direct.find);
  const own = { ...context, memory, direct, admissionOf: keepingAdmissions() };
  for (const operation of operations.ofSystem) addOperation(table, operation, own);
  const config = { permission: system.permission, searched: { interaction: 'history-system' } };
  const schema = { tags: ['fhir'], summary: 'History of everything that the caller may read' };
  const history = async (request: FastifyRequest): Promise<CallResult> => {
    const call = callWithQuery(request, context, queryOf(request));
    return { call, answer: await systemHistory(call, context) };
  };
  table.add('GET', '/_history', { config, schema }, respondWith(history));
  return (list, { type }) => {
    for (const operation of operations.ofType(type)) addOperation(list, operation, own);
  };
}

type InstanceRequest = FastifyRequest<{ Params: { readonly id?: string } }>;

/** What direct responses of an operation depend on. */
interface Admission {
  /** The authenticator returns the same object for a caller as long as it caches the caller. */
  readonly admitted: WeakSet<Principal>;
  source: ResponseSource | undefined;
}

interface OperationContext extends RouteContext {
  readonly memory: ResponseCache;
  readonly direct: DirectOperations;
  /** Of the operation at this address. */
  readonly admissionOf: (address: string) => Admission;
}

/** They outlive the rows of the table, since responses that are kept refer to them. */
function keepingAdmissions(): OperationContext['admissionOf'] {
  const kept = new Map<string, Admission>();
  return (address) => {
    const known = kept.get(address);
    if (known !== undefined) return known;
    const admission: Admission = { admitted: new WeakSet(), source: undefined };
    kept.set(address, admission);
    return admission;
  };
}

/** Bytes. The longest body of an operation that does not read it in a thread. */
const LONGEST_BODY = 2 * 1024 * 1024;

/**
 * The cache key: what the response depends on besides the state. Undefined when the body, or more of the request, has a
 * part in it.
 */
function questionOfRequest({ method, url, headers }: FastifyRequest): Question | undefined {
  if (method !== 'GET' || headers.prefer !== undefined || dependsOnMore(url)) return;
  return questionIn(url, headers['accept-language']);
}

/** Reads the body of an operation that works on the main thread. @throws ServiceError `payload_too_large` */
function readShortBody(
  request: FastifyRequest,
  { options: { workerThreads } }: OperationContext,
): ResourceText | undefined {
  const { body } = request;
  if (workerThreads !== undefined && Buffer.isBuffer(body) && body.length > LONGEST_BODY)
    throw new ServiceError('payload_too_large', `An operation takes at most ${LONGEST_BODY} bytes`);
  return readAnyBody(request);
}

function addOperation(list: RowList, operation: ServedOperation, context: OperationContext): void {
  const { memory, direct, admissionOf } = context;
  const { methods, permission, summary, type, state } = operation;
  const address = addressOf(operation);
  const sourceOf = (served: ServedRoute | undefined): ResponseSource | undefined => {
    if (served === undefined || state === undefined) return undefined;
    const admission = admissionOf(address);
    const { admitted } = admission;
    admission.source ??= { served, contentType: FHIR_JSON, admits: (principal) => admitted.has(principal), state };
    return admission.source;
  };
  const ask = async (request: InstanceRequest, question: Question | undefined): Promise<CallResult> => {
    const computedFrom = state?.() ?? 0;
    const attempt = direct.takeAttempt(request.raw);
    const long = operation.runLong === undefined ? undefined : longBody(request, context, false);
    const body = long === undefined ? readShortBody(request, context) : undefined;
    const call = callOfOperation(callWithQuery(request, context, queryOf(request)), operation, body);
    const { id = '' } = request.params;
    const input = { id, body, ...(attempt !== undefined && 'thrown' in attempt ? attempt : {}) };
    const answer =
      attempt !== undefined && 'text' in attempt
        ? { status: 200 as const, text: attempt.text }
        : await (long === undefined ? operation.run(call, input) : operation.runLong?.(call, { id, bytes: long }));
    if (answer === undefined) throw new TypeError('An operation answers');
    const route = sourceOf(request.served);
    if (question !== undefined && typeof answer.text === 'string' && route !== undefined)
      memory.set(question, answer.text, { route, state: computedFrom });
    return { call, answer };
  };
  const handler = (request: InstanceRequest, reply: FastifyReply): void => {
    const principal = requirePrincipal(request);
    const { admitted } = admissionOf(address);
    if (!admitted.has(principal)) {
      requireOperation(principal, operation, context);
      admitted.add(principal);
      const route = sourceOf(request.served);
      if (route !== undefined) direct.add(operation, route);
    }
    const question = state === undefined ? undefined : questionOfRequest(request);
    const known = question === undefined ? undefined : memory.find(question);
    if (known === undefined) respondWith(() => ask(request, question))(request, reply);
    else reply.type(responseTypeOf(request.headers.accept, null)).send(bufferOf(known));
  };
  const schema = { tags: [type === undefined || operation.name === 'validate' ? 'fhir' : type.type], summary };
  list.add(methods, address, { config: { permission }, schema }, handler);
}
