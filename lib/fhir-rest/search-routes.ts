// Search by GET and by POST _search (hl7.org/fhir/R5/http.html#search; decision G6).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ALL_TYPES, COMPARTMENTS, requireInCompartment } from './compartments.ts';
import { queryOf, readForm } from './content.ts';
import type { RouteContext } from './context.ts';
import { callOf, callWithQuery, sendAnswer } from './http-call.ts';
import { search, searchAll, searchWithin } from './interactions/search.ts';
import type { FhirTypeOptions } from './options.ts';

interface CompartmentRoute {
  Params: { readonly id: string; readonly type: string };
}
type CompartmentRequest = FastifyRequest<CompartmentRoute>;

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

/** `GET /?_type=…` and POST to `/_search`: what of all types the caller may see. */
export function registerSystemSearch(scope: FastifyInstance, context: RouteContext): void {
  const { system } = context.options;
  if (system === undefined) return;
  const config = { permission: system.permission };
  const schema = { tags: ['fhir'], summary: 'Search all types, or those of _type' };
  const send = async (request: FastifyRequest, reply: FastifyReply, given: URLSearchParams) => {
    const call = callWithQuery(request, context, given);
    return sendAnswer(request, reply, { call, answer: await searchAll(call, context) });
  };
  scope.get('/', { config, schema }, (request, reply) => send(request, reply, queryOf(request)));
  scope.post('/_search', { config, schema }, (request, reply) =>
    send(request, reply, new URLSearchParams([...queryOf(request), ...readForm(request)])),
  );
}

/** `GET /Patient/{id}/Observation`, or `…/*` for all types at once, and POST to `…/_search`, for each compartment whose type is served. */
export function registerCompartmentRoutes(scope: FastifyInstance, context: RouteContext): void {
  const { system, types } = context.options;
  if (system === undefined) return;
  const config = { permission: system.permission };
  for (const { type: compartment } of types.filter(({ type }) => COMPARTMENTS.has(type))) {
    const schema = { tags: [compartment], summary: `Search in the compartment of a ${compartment}` };
    const send = async (request: CompartmentRequest, reply: FastifyReply, given: URLSearchParams) => {
      const { id, type: name } = request.params;
      if (name === ALL_TYPES) {
        const call = callWithQuery(request, context, given);
        const answer = await searchAll(call, context, { type: compartment, id });
        return sendAnswer(request, reply, { call, answer });
      }
      const type = requireInCompartment(compartment, name, context);
      const call = callOf(request, { type, interaction: 'search-type' }, context, given);
      const answer = await searchWithin(call, { type, compartment: { type: compartment, id } }, context);
      return sendAnswer(request, reply, { call, answer });
    };
    scope.get<CompartmentRoute>(`/${compartment}/:id/:type`, { config, schema }, (request, reply) =>
      send(request, reply, queryOf(request)),
    );
    scope.post<CompartmentRoute>(`/${compartment}/:id/:type/_search`, { config, schema }, (request, reply) =>
      send(request, reply, new URLSearchParams([...queryOf(request), ...readForm(request)])),
    );
  }
}
