// Search by GET and by POST _search (hl7.org/fhir/R5/http.html#search; decision G6).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { queryOf, readForm } from './content.ts';
import type { RouteContext } from './context.ts';
import { callOf, sendAnswer } from './http-call.ts';
import { search } from './interactions/search.ts';
import type { FhirTypeOptions } from './options.ts';

export function registerSearchRoutes(scope: FastifyInstance, type: FhirTypeOptions, context: RouteContext): void {
  if (!type.interactions.includes('search-type')) return;
  const { type: resourceType, read: permission } = type;
  const schema = { tags: [resourceType], summary: `Search for a ${resourceType}` };
  const send = async (request: FastifyRequest, reply: FastifyReply, given: URLSearchParams) => {
    const call = callOf(request, { type, interaction: 'search-type' }, context, given);
    return sendAnswer(request, reply, { call, answer: await search(call, type, context) });
  };
  scope.get(`/${resourceType}`, { config: { permission }, schema }, (request, reply) =>
    send(request, reply, queryOf(request)),
  );
  scope.post(`/${resourceType}/_search`, { config: { permission }, schema }, (request, reply) =>
    send(request, reply, new URLSearchParams([...queryOf(request), ...readForm(request)])),
  );
}
