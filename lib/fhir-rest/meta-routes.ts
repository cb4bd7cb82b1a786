// The addresses of $meta, $meta-add and $meta-delete, for each type that is read and patched.
import type { FastifyInstance } from 'fastify';
import { readBody } from './content.ts';
import type { RouteContext } from './context.ts';
import { callOf, sendAnswer } from './http-call.ts';
import { changeMeta, type MetaOperation, readMeta } from './interactions/meta.ts';
import type { FhirTypeOptions } from './options.ts';

interface IdRoute {
  Params: { readonly id: string };
}

const CHANGES: readonly MetaOperation[] = ['meta-add', 'meta-delete'];

export function registerMetaRoutes(scope: FastifyInstance, context: RouteContext): void {
  if (context.options.system === undefined) return;
  for (const type of context.options.types.filter(({ interactions }) => interactions.includes('patch'))) {
    registerRead(scope, type, context);
    for (const operation of CHANGES) registerChange(scope, { type, operation }, context);
  }
}

function registerRead(scope: FastifyInstance, type: FhirTypeOptions, context: RouteContext): void {
  const { type: resourceType, read: permission } = type;
  const schema = { tags: [resourceType], summary: `Profiles, tags and labels of a ${resourceType}` };
  scope.get<IdRoute>(`/${resourceType}/:id/$meta`, { config: { permission }, schema }, async (request, reply) => {
    const call = callOf(request, { type, interaction: 'read' }, context);
    const answer = await readMeta(call, { resourceType, id: request.params.id }, context);
    return sendAnswer(request, reply, { call, answer });
  });
}

function registerChange(
  scope: FastifyInstance,
  { type, operation }: { readonly type: FhirTypeOptions; readonly operation: MetaOperation },
  context: RouteContext,
): void {
  const { type: resourceType, write: permission } = type;
  const summary = `${operation === 'meta-add' ? 'Add' : 'Take away'} profiles, tags and labels of a ${resourceType}`;
  const route = { config: { permission }, schema: { tags: [resourceType], summary } };
  scope.post<IdRoute>(`/${resourceType}/:id/$${operation}`, route, async (request, reply) => {
    const call = callOf(request, { type, interaction: 'patch' }, context);
    const address = { resourceType, id: request.params.id };
    const answer = await changeMeta(call, { address, operation, body: readBody(request, 'Parameters') }, context);
    return sendAnswer(request, reply, { call, answer });
  });
}
