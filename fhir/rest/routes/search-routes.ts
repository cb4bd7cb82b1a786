// The routes of search by GET and by POST _search (hl7.org/fhir/R5/http.html#search; decision G6).
import type { FastifyRequest } from 'fastify';
import { permissionFor } from '../admission.ts';
import type { RouteContext } from '../context.ts';
import { queryOf, readForm } from '../http/content.ts';
import { type CallResult, callOf, callWithQuery, respondWith } from '../http/http-call.ts';
import { search, searchAll, searchWithin } from '../interactions/search.ts';
import type { FhirTypeOptions } from '../options.ts';
import { ALL_TYPES, COMPARTMENTS, requireInCompartment } from './compartments.ts';
import type { RouteTable, RowList } from './route-table.ts';

type CompartmentRequest = FastifyRequest<{ Params: { readonly id: string; readonly type: string } }>;

export function addSearchRoutes(list: RowList, type: FhirTypeOptions, context: RouteContext): void {
  if (!type.interactions.includes('search-type')) return;
  const { type: resourceType } = type;
  const permission = permissionFor(type, 'search-type');
  const schema = { tags: [resourceType], summary: `Search for a ${resourceType}` };
  const run = async (request: FastifyRequest, given: URLSearchParams) => {
    const call = callOf(request, { type, interaction: 'search-type' }, context, given);
    return { call, answer: await search(call, type, context) };
  };
  const options = { config: { permission, searched: { type: resourceType } }, schema };
  list.add('GET', `/${resourceType}`, options, respondWith(runOfGet(run)));
  list.add('POST', `/${resourceType}/_search`, withForm(options), respondWith(runOfPost(run)));
}

/** `GET /?_type=…` and POST to `/_search`: a search of all types that the caller may search. */
export function addSystemSearch(table: RouteTable, context: RouteContext): void {
  const { system } = context.options;
  if (system === undefined) return;
  const config = { permission: system.permission, searched: {} };
  const schema = { tags: ['fhir'], summary: 'Search all types, or those of _type' };
  const run = async (request: FastifyRequest, given: URLSearchParams) => {
    const call = callWithQuery(request, context, given);
    return { call, answer: await searchAll(call, context) };
  };
  table.add('GET', '/', { config, schema }, respondWith(runOfGet(run)));
  table.add('POST', '/_search', withForm({ config, schema }), respondWith(runOfPost(run)));
}

/**
 * `GET /Patient/{id}/Observation`, or `…/*` for all types at once, and POST to `…/_search`, if the type has a
 * compartment.
 */
export function addCompartmentRoutes(
  list: RowList,
  { type: compartment }: FhirTypeOptions,
  context: RouteContext,
): void {
  const { system } = context.options;
  if (system === undefined || !COMPARTMENTS.has(compartment)) return;
  const config = { permission: system.permission, searched: { compartment } };
  const schema = { tags: [compartment], summary: `Search in the compartment of a ${compartment}` };
  const run = async (request: CompartmentRequest, given: URLSearchParams) => {
    const { id, type: name } = request.params;
    if (name === ALL_TYPES) {
      const call = callWithQuery(request, context, given);
      return { call, answer: await searchAll(call, context, { type: compartment, id }) };
    }
    const type = requireInCompartment(compartment, name, context);
    const call = callOf(request, { type, interaction: 'search-type' }, context, given);
    return { call, answer: await searchWithin(call, { type, compartment: { type: compartment, id } }, context) };
  };
  const [address, options] = [`/${compartment}/:id/:type`, { config, schema }];
  list.add('GET', address, options, respondWith(runOfGet(run)));
  list.add('POST', `${address}/_search`, withForm(options), respondWith(runOfPost(run)));
}

/** Parses the form before a search is refused: the audit records the patients that it names. */
function withForm<Config, Schema>(options: { readonly config: Config; readonly schema: Schema }) {
  return { ...options, config: { ...options.config, refusesAfterBody: true } };
}

type Run<R> = (request: R, given: URLSearchParams) => Promise<CallResult>;

/** Runs a search by the query of the address. */
function runOfGet<R extends FastifyRequest>(run: Run<R>): (request: R) => Promise<CallResult> {
  return async (request) => run(request, queryOf(request));
}

/** Runs a search by the form in the body, or by the query of the address. */
function runOfPost<R extends FastifyRequest>(run: Run<R>): (request: R) => Promise<CallResult> {
  return async (request) => run(request, new URLSearchParams([...queryOf(request), ...readForm(request)]));
}
