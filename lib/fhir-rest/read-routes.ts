// GET of single versions and of histories (hl7.org/fhir/R5/http.html#read, #vread, #history).
import type { FastifyInstance } from 'fastify';
import type { RouteContext } from './context.ts';
import { answering, callOf } from './http-call.ts';
import { requireInstance } from './instance-address.ts';
import { history } from './interactions/history.ts';
import { read, vread } from './interactions/read.ts';
import type { Operations } from './operations.ts';
import type { FhirTypeOptions } from './options.ts';

interface IdParams {
  readonly id: string;
}

export function registerReadRoutes(
  scope: FastifyInstance,
  type: FhirTypeOptions,
  context: RouteContext & { readonly operations: Operations },
): void {
  const { type: resourceType, read: permission, interactions } = type;
  const route = (summary: string) => ({
    config: { permission, caching: 'revalidated' as const },
    schema: { tags: [resourceType], summary },
  });
  if (interactions.includes('read')) {
    scope.get<{ Params: IdParams }>(
      `/${resourceType}/:id`,
      route(`Read a ${resourceType}`),
      answering(async (request) => {
        requireInstance(resourceType, request.params.id, context.operations);
        const call = callOf(request, { type, interaction: 'read' }, context);
        return { call, answer: await read(call, { resourceType, id: request.params.id }, context) };
      }),
    );
  }
  if (interactions.includes('vread')) {
    scope.get<{ Params: IdParams & { version: string } }>(
      `/${resourceType}/:id/_history/:version`,
      route(`Read a version of a ${resourceType}`),
      answering(async (request) => {
        const call = callOf(request, { type, interaction: 'vread' }, context);
        return { call, answer: await vread(call, { resourceType, ...request.params }, context) };
      }),
    );
  }
  if (interactions.includes('history-instance')) {
    scope.get<{ Params: IdParams }>(
      `/${resourceType}/:id/_history`,
      route(`History of a ${resourceType}`),
      answering(async (request) => {
        const call = callOf(request, { type, interaction: 'history-instance' }, context);
        return { call, answer: await history(call, { resourceType, id: request.params.id }, context) };
      }),
    );
  }
  if (interactions.includes('history-type')) {
    scope.get(
      `/${resourceType}/_history`,
      route(`History of every ${resourceType}`),
      answering(async (request) => {
        const call = callOf(request, { type, interaction: 'history-type' }, context);
        return { call, answer: await history(call, { resourceType, id: undefined }, context) };
      }),
    );
  }
}
