// The addresses of $validate: for any resource, for one of a type, for a stored one (hl7.org/fhir/R5/resource-operation-validate.html).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { queryOf, readAnyBody } from './content.ts';
import type { RouteContext } from './context.ts';
import { callWithQuery, sendAnswer } from './http-call.ts';
import { type ValidateTarget, validate } from './interactions/validate.ts';

export function registerValidateRoutes(scope: FastifyInstance, context: RouteContext): void {
  const { system, types } = context.options;
  if (system === undefined) return;
  const schema = { tags: ['fhir'], summary: 'Validate a resource' };
  const route = { config: { permission: system.permission }, schema };
  const answer = async (request: FastifyRequest, reply: FastifyReply, target: ValidateTarget) => {
    const call = callWithQuery(request, context, queryOf(request));
    const body = readAnyBody(request);
    return sendAnswer(request, reply, { call, answer: await validate(call, { target, body }, context) });
  };
  scope.post('/$validate', route, (request, reply) => answer(request, reply, { type: undefined, id: undefined }));
  for (const type of types) {
    scope.post(`/${type.type}/$validate`, route, (request, reply) => answer(request, reply, { type, id: undefined }));
    scope.route<{ Params: { readonly id: string } }>({
      method: ['GET', 'POST'],
      url: `/${type.type}/:id/$validate`,
      ...route,
      handler: (request, reply) => answer(request, reply, { type, id: request.params.id }),
    });
  }
}
