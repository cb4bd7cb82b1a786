// Operations, and the history of the system.
import type { FastifyInstance } from 'fastify';
import { requirePrincipal } from '#lib/http/app.ts';
import { requireOperation } from './admission.ts';
import { queryOf, readAnyBody } from './content.ts';
import type { RouteContext } from './context.ts';
import { callWithQuery, sendAnswer } from './http-call.ts';
import { systemHistory } from './interactions/history.ts';
import { addressOf, callOfOperation, type Operations } from './operations.ts';
import type { ServedOperation } from './options.ts';

/** Registers them where the service takes part in what is system-wide (`options.system`). */
export function registerOperationRoutes(scope: FastifyInstance, operations: Operations, context: RouteContext): void {
  const { system } = context.options;
  if (system === undefined) return;
  for (const operation of operations.values()) registerOperation(scope, operation, context);
  const config = { permission: system.permission };
  const schema = { tags: ['fhir'], summary: 'History of everything that the caller may read' };
  scope.get('/_history', { config, schema }, async (request, reply) => {
    const call = callWithQuery(request, context, queryOf(request));
    return sendAnswer(request, reply, { call, answer: await systemHistory(call, context) });
  });
}

function registerOperation(scope: FastifyInstance, operation: ServedOperation, context: RouteContext): void {
  const { methods, permission, summary, type } = operation;
  scope.route<{ Params: { readonly id?: string } }>({
    method: [...methods],
    url: addressOf(operation),
    config: { permission },
    schema: { tags: [type === undefined || operation.name === 'validate' ? 'fhir' : type.type], summary },
    handler: async (request, reply) => {
      requireOperation(requirePrincipal(request), operation, context);
      const body = readAnyBody(request);
      const call = callOfOperation(callWithQuery(request, context, queryOf(request)), operation, body);
      const answer = await operation.run(call, { id: request.params.id ?? '', body });
      return sendAnswer(request, reply, { call, answer });
    },
  });
}
