// Operations, and the history of the system.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requirePrincipal } from '#lib/http/app.ts';
import { requireOperation } from './admission.ts';
import { type AnswerMemory, createAnswerMemory } from './answer-memory.ts';
import { queryOf, readAnyBody } from './content.ts';
import type { RouteContext } from './context.ts';
import { callWithQuery, sendAnswer } from './http-call.ts';
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
  scope.get('/_history', { config, schema }, async (request, reply) => {
    const call = callWithQuery(request, context, queryOf(request));
    return sendAnswer(request, reply, { call, answer: await systemHistory(call, context) });
  });
}

type InstanceRequest = FastifyRequest<{ Params: { readonly id?: string } }>;

interface OperationContext extends RouteContext {
  readonly memory: AnswerMemory;
}

const WRITTEN_OTHERWISE = /_format|_pretty/;

/** Names may be percent-encoded too; what cannot be decoded is refused before it is answered. */
function decoded(url: string): string {
  try {
    return url.includes('%') ? decodeURIComponent(url) : url;
  } catch {
    return url;
  }
}

/**
 * What the answer depends on besides the state: undefined where the body has a part in it, or the address says how it is written
 * (`_format`, `_pretty`).
 */
function questionOf({ method, url, headers }: FastifyRequest): string | undefined {
  if (method !== 'GET' || headers.prefer !== undefined || WRITTEN_OTHERWISE.test(decoded(url))) return;
  return headers['accept-language'] === undefined ? url : `${headers['accept-language']} ${url}`;
}

function registerOperation(scope: FastifyInstance, operation: ServedOperation, context: OperationContext): void {
  const { memory } = context;
  const { methods, permission, summary, type } = operation;
  const ask = async (request: InstanceRequest, reply: FastifyReply, question: string | undefined) => {
    const state = operation.state?.() ?? 0;
    const body = readAnyBody(request);
    const call = callOfOperation(callWithQuery(request, context, queryOf(request)), operation, body);
    const answer = await operation.run(call, { id: request.params.id ?? '', body });
    if (question !== undefined && answer.text !== undefined) memory.keep(question, answer.text, state);
    return sendAnswer(request, reply, { call, answer });
  };
  scope.route<{ Params: { readonly id?: string } }>({
    method: [...methods],
    url: addressOf(operation),
    config: { permission },
    schema: { tags: [type === undefined || operation.name === 'validate' ? 'fhir' : type.type], summary },
    handler: (request, reply) => {
      requireOperation(requirePrincipal(request), operation, context);
      const question = operation.state === undefined ? undefined : questionOf(request);
      const known = question === undefined ? undefined : memory.find(question, operation.state?.() ?? 0);
      if (known !== undefined) return reply.type(answerTypeOf(request.headers.accept, null)).send(known);
      return ask(request, reply, question);
    },
  });
}
