// The public catalogue of organisations, and their administration (contract: identity, Public and Admin).
import Type from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { limitOf, makePage, PageQuery, pageOf, sendPage } from '#lib/http/response/page.ts';
import { actorOf } from '../actor.ts';
import { registerCatalogue } from '../shared/routes/catalogue-route.ts';
import { registerList } from '../shared/routes/list-route.ts';
import type { Catalogue } from '../shared/routes/published-list.ts';
import { NamedOrganisation, OptionalText } from '../shared/routes/schema.ts';
import { nameText } from '../text.ts';
import type { Organisation, Organisations } from './service.ts';

const OrganisationResponse = Type.Object(
  {
    resourceType: Type.Literal('Organization'),
    organisation_guid: Type.String(),
    name: Type.String(),
    provider_guid: Type.Optional(Type.String({ description: 'The provider whose organisation it is' })),
  },
  { title: 'Organisation' },
);

const Search = Type.Object(
  {
    ...PageQuery,
    search: Type.Optional(Type.String({ maxLength: 200, description: 'A part of the name' })),
    provider_guid: Type.Optional(Type.String({ format: 'uuid', description: 'Those of this provider alone' })),
  },
  { additionalProperties: false },
);
const Counted = Type.Object(
  {
    organisation_guid: Type.String(),
    name: Type.String(),
    provider_guid: OptionalText,
    professionals: Type.Integer({ description: 'Who work there' }),
  },
  { title: 'CountedOrganisation' },
);

const ProviderGuid = Type.String({
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
  patternHint: 'must be a lower-case UUID',
});

const ProviderBody = Type.Object({ provider_guid: ProviderGuid }, { additionalProperties: false });
const params = Type.Object({ organisation_guid: Type.String() }, { additionalProperties: false });

const CreateBody = Type.Object({ name: nameText(200) }, { additionalProperties: false });

export function registerOrganisationRoutes(app: HttpApp, organisations: Organisations, catalogue: Catalogue): void {
  registerCatalogue(app, {
    path: '/api/public/organisations',
    summary: 'The catalogue of organisations',
    item: NamedOrganisation,
    catalogue,
    caching: 'public',
    count: organisations.count,
    read: async (range) =>
      (await organisations.list(range)).map(({ organisationGuid, name }) => ({
        organisation_guid: organisationGuid,
        name,
      })),
  });
  registerAdministration(app, organisations);
}

function registerAdministration(app: HttpApp, organisations: Organisations): void {
  const routes = apiRoutes(app, { tags: ['admin'], permission: 'directory:administer' });
  registerList(routes, '/api/admin/organisations', 'All organisations', {
    item: OrganisationResponse,
    count: organisations.count,
    read: (_actor, range) => organisations.list(range),
    toItem: toResponse,
  });
  routes.get(
    '/api/admin/organisation-search',
    'Organisations by name, with how many professionals work there',
    { schema: { querystring: Search, response: { 200: pageOf(Counted) } } },
    async (request, reply) => {
      const { query } = request;
      const { found, total } = await organisations.listCounted(
        { search: query.search, providerGuid: query.provider_guid },
        limitOf(query),
      );
      return sendPage(request, reply, makePage(found, total, query));
    },
  );
  routes.post(
    '/api/admin/organisations',
    'Add an organisation; its name must be new',
    { config: { idempotent: true }, schema: { body: CreateBody, response: { 201: OrganisationResponse } } },
    async (request, reply) =>
      reply.code(201).send(toResponse(await organisations.create(actorOf(request), request.body.name))),
  );
  const provider = '/api/admin/organisations/:organisation_guid/provider';
  const config = { errors: ['not_found'] } as const;
  routes.put(
    provider,
    'Make it the organisation of a provider: its professionals in the phase execution are the provider’s staff',
    { config, schema: { params, body: ProviderBody, response: { 200: OrganisationResponse } } },
    async (request) => {
      const { organisation_guid } = request.params;
      const { provider_guid } = request.body;
      return toResponse(await organisations.setProvider(actorOf(request), organisation_guid, provider_guid));
    },
  );
  routes.delete(
    provider,
    'Make it the organisation of no provider; its professionals are no provider’s staff any more',
    { config, schema: { params, response: { 200: OrganisationResponse } } },
    async (request) =>
      toResponse(await organisations.setProvider(actorOf(request), request.params.organisation_guid, null)),
  );
}

function toResponse({ organisationGuid, name, providerGuid }: Organisation) {
  return {
    resourceType: 'Organization' as const,
    organisation_guid: organisationGuid,
    name,
    ...(providerGuid === undefined ? {} : { provider_guid: providerGuid }),
  };
}
