// Operations, and interactions that reach over several types: $validate, Patient/$everything, StructureDefinition/$snapshot, the history of
// the system.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { queryOf, readAnyBody, readParameters } from './content.ts';
import type { RouteContext } from './context.ts';
import { callOf, callWithQuery, sendAnswer } from './http-call.ts';
import { everything } from './interactions/everything.ts';
import { systemHistory } from './interactions/history.ts';
import { snapshot } from './interactions/snapshot.ts';
import { type ValidateTarget, validate } from './interactions/validate.ts';

interface IdRoute {
  Params: { readonly id: string };
}

/** Registers them where the service takes part in what is system-wide (`options.system`). */
export function registerOperationRoutes(scope: FastifyInstance, context: RouteContext): void {
  const { system } = context.options;
  if (system === undefined) return;
  const config = { permission: system.permission };
  registerValidate(scope, config, context);
  registerEverything(scope, config, context);
  registerSnapshot(scope, config, context);
  const schema = { tags: ['fhir'], summary: 'History of everything that the caller may read' };
  scope.get('/_history', { config, schema }, async (request, reply) => {
    const call = callWithQuery(request, context, queryOf(request));
    return sendAnswer(request, reply, { call, answer: await systemHistory(call, context) });
  });
}

type Config = { readonly permission: NonNullable<RouteContext['options']['system']>['permission'] };

function registerValidate(scope: FastifyInstance, config: Config, context: RouteContext): void {
  const route = { config, schema: { tags: ['fhir'], summary: 'Validate a resource' } };
  const answer = async (request: FastifyRequest, reply: FastifyReply, target: ValidateTarget) => {
    const call = callWithQuery(request, context, queryOf(request));
    const body = readAnyBody(request);
    return sendAnswer(request, reply, { call, answer: await validate(call, { target, body }, context) });
  };
  scope.post('/$validate', route, (request, reply) => answer(request, reply, { type: undefined, id: undefined }));
  for (const type of context.options.types) {
    scope.post(`/${type.type}/$validate`, route, (request, reply) => answer(request, reply, { type, id: undefined }));
    scope.route<IdRoute>({
      method: ['GET', 'POST'],
      url: `/${type.type}/:id/$validate`,
      ...route,
      handler: (request, reply) => answer(request, reply, { type, id: request.params.id }),
    });
  }
}

function registerSnapshot(scope: FastifyInstance, config: Config, context: RouteContext): void {
  const type = context.options.types.find((each) => each.type === 'StructureDefinition');
  const maker = context.options.system?.snapshots;
  if (type === undefined || maker === undefined) return;
  const route = { config, schema: { tags: [type.type], summary: 'A StructureDefinition with its snapshot' } };
  const answer = async (request: FastifyRequest, reply: FastifyReply, id: string | undefined) => {
    const call = callWithQuery(request, context, queryOf(request));
    const asked = { type, maker, id, body: readAnyBody(request) };
    return sendAnswer(request, reply, { call, answer: await snapshot(call, asked, context) });
  };
  const method: ['GET', 'POST'] = ['GET', 'POST'];
  const url = `/${type.type}/$snapshot`;
  scope.route({ method, url, ...route, handler: (request, reply) => answer(request, reply, undefined) });
  scope.route<IdRoute>({
    method,
    url: `/${type.type}/:id/$snapshot`,
    ...route,
    handler: (request, reply) => answer(request, reply, request.params.id),
  });
}

function registerEverything(scope: FastifyInstance, config: Config, context: RouteContext): void {
  const type = context.options.types.find((each) => each.type === 'Patient');
  if (type === undefined) return;
  const schema = { tags: ['Patient'], summary: 'Everything that is on record about a Patient' };
  const send = async (request: FastifyRequest<IdRoute>, reply: FastifyReply, given: URLSearchParams) => {
    const call = callOf(request, { type, interaction: 'read' }, context, given);
    return sendAnswer(request, reply, { call, answer: await everything(call, request.params.id, context) });
  };
  const url = '/Patient/:id/$everything';
  scope.get<IdRoute>(url, { config, schema }, (request, reply) => send(request, reply, queryOf(request)));
  scope.post<IdRoute>(url, { config, schema }, (request, reply) =>
    send(request, reply, new URLSearchParams([...queryOf(request), ...readParameters(request)])),
  );
}
