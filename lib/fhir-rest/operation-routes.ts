// Operations, and the history of the system.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Principal } from '#lib/auth/principal.ts';
import { requirePrincipal } from '#lib/http/app.ts';
import { requireOperation } from './admission.ts';
import { type AnswerMemory, createAnswerMemory } from './answer-memory.ts';
import { queryOf, readAnyBody } from './content.ts';
import type { RouteContext } from './context.ts';
import { type Answered, answering, callWithQuery } from './http-call.ts';
import { systemHistory } from './interactions/history.ts';
import { answerTypeOf } from './media-type.ts';
import { addressOf, callOfOperation, type Operations } from './operations.ts';
import type { ServedOperation } from './options.ts';

/** Registers them where the service takes part in what is system-wide (`options.system`). */
export function registerOperationRoutes(scope: FastifyInstance, operations: Operations, context: RouteContext): void {
  const { system } = context.options;
  if (system === undefined) return;
  const memory = createAnswerMemory();
  for (const operation of operations.values()) registerOperation(scope, operation, { ...context, memory });
  const config = { permission: system.permission };
  const schema = { tags: ['fhir'], summary: 'History of everything that the caller may read' };
  const history = async (request: FastifyRequest): Promise<Answered> => {
    const call = callWithQuery(request, context, queryOf(request));
    return { call, answer: await systemHistory(call, context) };
  };
  scope.get('/_history', { config, schema }, answering(history));
}

type InstanceRequest = FastifyRequest<{ Params: { readonly id?: string } }>;

interface OperationContext extends RouteContext {
  readonly memory: AnswerMemory;
}

const DEPENDS_ON_MORE = /_format|_pretty|[?&]date=/;

/** Names may be percent-encoded too; what cannot be decoded is refused before it is answered. */
function decoded(url: string): string {
  try {
    return url.includes('%') ? decodeURIComponent(url) : url;
  } catch {
    return url;
  }
}

/**
 * What the answer depends on besides the state: undefined where the body has a part in it, the address says how it is written (`_format`, `_pretty`), or
 * it was asked for on a day (`date`).
 */
function questionOf({ method, url, headers }: FastifyRequest): string | undefined {
  if (method !== 'GET' || headers.prefer !== undefined || DEPENDS_ON_MORE.test(decoded(url))) return;
  return headers['accept-language'] === undefined ? url : `${headers['accept-language']} ${url}`;
}

function registerOperation(scope: FastifyInstance, operation: ServedOperation, context: OperationContext): void {
  const { memory } = context;
  const { methods, permission, summary, type } = operation;
  const ask = async (request: InstanceRequest, question: string | undefined): Promise<Answered> => {
    const state = operation.state?.() ?? 0;
    const body = readAnyBody(request);
    const call = callOfOperation(callWithQuery(request, context, queryOf(request)), operation, body);
    const answer = await operation.run(call, { id: request.params.id ?? '', body });
    if (question !== undefined && answer.text !== undefined) memory.keep(question, answer.text, state);
    return { call, answer };
  };
  // Who is remembered by the authenticator is the same object for as long.
  const admitted = new WeakSet<Principal>();
  scope.route<{ Params: { readonly id?: string } }>({
    method: [...methods],
    url: addressOf(operation),
    config: { permission },
    schema: { tags: [type === undefined || operation.name === 'validate' ? 'fhir' : type.type], summary },
    handler: (request, reply) => {
      const principal = requirePrincipal(request);
      if (!admitted.has(principal)) {
        requireOperation(principal, operation, context);
        admitted.add(principal);
      }
      const question = operation.state === undefined ? undefined : questionOf(request);
      const known = question === undefined ? undefined : memory.find(question, operation.state?.() ?? 0);
      if (known === undefined) answering(() => ask(request, question))(request, reply);
      else reply.type(answerTypeOf(request.headers.accept, null)).send(known);
    },
  });
}
