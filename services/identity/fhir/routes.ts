// The routes under /fhir (contract: identity, Health and capability; decision I15), created from the list of supported
// types.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { keepBodiesRaw, queryOf, readBody, readForm, responseType } from '#fhir/rest/http/content.ts';
import { documentFhirRoutes } from '#fhir/rest/openapi/document-routes.ts';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import { type ErrorCode, notFound, ServiceError } from '#lib/errors.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { actorOf } from '../actor.ts';
import type { DirectoryKind } from './kind.ts';
import { registerMetadata } from './metadata.ts';
import { readSearch, readSubset } from './query.ts';
import { sendCreated, sendPage, sendResource } from './response.ts';
import { servedParameters } from './served.ts';

const READ_ERRORS: readonly ErrorCode[] = ['validation_error', 'unauthorized', 'not_found', 'not_acceptable'];
const CREATE_ERRORS: readonly ErrorCode[] = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  'not_acceptable',
  'conflict',
  'precondition_failed',
  'payload_too_large',
  'unsupported_media_type',
  'unprocessable',
];

/** What a request of any type may have. */
const COMMON = new Set(['_count', '_total', '_summary', '_elements']);

export interface FhirSite {
  /** The absolute URL of /fhir as clients reach it, without a slash at its end. */
  readonly baseUrl: string;
  readonly version: string;
  readonly kinds: readonly DirectoryKind[];
}

interface Context {
  readonly site: FhirSite;
  readonly parameters: SearchParameters;
}

export async function registerFhirRoutes(app: HttpApp, site: FhirSite): Promise<void> {
  const context = { site, parameters: servedParameters() };
  await app.register(
    async (scope) => {
      keepBodiesRaw(scope);
      const types = site.kinds.map(({ type }) => type);
      documentFhirRoutes(scope, { types, parameters: context.parameters, common: COMMON });
      registerMetadata(scope, { ...site, ...context });
      for (const kind of site.kinds) registerKind(scope, kind, context);
    },
    { prefix: '/fhir' },
  );
}

function registerKind(scope: FastifyInstance, kind: DirectoryKind, context: Context): void {
  const routes = apiRoutes(scope, { tags: ['fhir'], permission: 'directory:administer' });
  const { type } = kind;
  const reading = (summary: string) => ({
    config: { permission: 'directory:read-fhir', errors: READ_ERRORS } as const,
    schema: { tags: ['fhir'], summary },
  });
  const { config, schema } = reading(`Read a ${type}`);
  scope.get<{ Params: { id: string } }>(
    `/${type}/:id`,
    { config: { ...config, isConditional: true }, schema },
    (request, reply) => read(request, reply, { kind, id: request.params.id }, context),
  );
  routes.post(
    `/${type}`,
    `Create a ${type}`,
    { config: { idempotent: true, isUnconditional: true, errors: CREATE_ERRORS }, schema: {} },
    (request, reply) => create(request, reply, kind, context),
  );
  if (kind.search === undefined) return;
  scope.get(`/${type}`, reading(`Search for a ${type}`), (request, reply) =>
    search(request, reply, { kind, given: queryOf(request) }, context),
  );
  scope.post(`/${type}/_search`, reading(`Search for a ${type} by a form`), (request, reply) => {
    const given = new URLSearchParams([...queryOf(request), ...readForm(request)]);
    return search(request, reply, { kind, given }, context);
  });
}

async function read(
  request: FastifyRequest,
  reply: FastifyReply,
  { kind, id }: { kind: DirectoryKind; id: string },
  { parameters }: Context,
): Promise<FastifyReply> {
  const query = queryOf(request);
  // An unsupported response format is refused before anything is read.
  responseType(request, query);
  const subset = readSubset(kind.type, query, parameters);
  const found = await kind.read(actorOf(request), id);
  if (found === null) throw notFound(kind.type);
  return sendResource(request, reply, found, subset);
}

async function search(
  request: FastifyRequest,
  reply: FastifyReply,
  { kind, given }: { kind: DirectoryKind; given: URLSearchParams },
  { site, parameters }: Context,
): Promise<FastifyReply> {
  responseType(request, given);
  const query = readSearch(request, kind.type, given, parameters);
  const page = await kind.search?.(actorOf(request), query);
  if (page === undefined) throw notFound(kind.type);
  return sendPage(request, reply, { query, page, given }, site.baseUrl);
}

async function create(
  request: FastifyRequest,
  reply: FastifyReply,
  kind: DirectoryKind,
  { site }: Context,
): Promise<FastifyReply> {
  responseType(request, queryOf(request));
  if (request.headers['if-none-exist'] !== undefined) {
    throw new ServiceError('precondition_failed', 'Conditional create is not supported; send it without If-None-Exist');
  }
  const { resource } = readBody(request, kind.type);
  return sendCreated(request, reply, await kind.create(actorOf(request), resource), site.baseUrl);
}
