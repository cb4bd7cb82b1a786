// The public catalogue of organisations, and their administration (contract: identity, Public and Admin).
import Type from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import { actorOf } from '../actor.ts';
import { describeList, ListQuery, listRange } from '../list-page.ts';
import { registerList } from '../shared/list-route.ts';
import { type Catalogue, isUnpaged } from '../shared/published-list.ts';
import { nameText } from '../text.ts';
import type { Organisations } from './service.ts';

const CatalogueItem = Type.Object({ organisation_guid: Type.String(), name: Type.String() });

const OrganisationResponse = Type.Object({
  resourceType: Type.Literal('Organization'),
  organisation_guid: Type.String(),
  name: Type.String(),
});

const CreateBody = Type.Object({ name: nameText(200) }, { additionalProperties: false });

export function registerOrganisationRoutes(app: HttpApp, organisations: Organisations, catalogue: Catalogue): void {
  const routes = apiRoutes(app, { tags: ['public'], permission: 'public' });
  routes.get(
    '/api/public/organisations',
    'The catalogue of organisations',
    {
      config: { caching: 'public', errors: ['rate_limited'] },
      onRequest: rateLimitHook(catalogue.limiter),
      schema: { querystring: ListQuery, response: { 200: Type.Array(CatalogueItem) } },
    },
    async (request, reply) => {
      const read = async () => {
        const found = await organisations.list(listRange(request.query));
        return found.map(({ organisationGuid, name }) => ({ organisation_guid: organisationGuid, name }));
      };
      if (isUnpaged(request)) return catalogue.list.send(reply, read);
      await describeList(request, reply, organisations.count);
      return read();
    },
  );
  registerAdministration(app, organisations);
}

function registerAdministration(app: HttpApp, organisations: Organisations): void {
  const routes = apiRoutes(app, { tags: ['admin'], permission: 'directory:administer' });
  const toResponse = ({ organisationGuid, name }: { organisationGuid: string; name: string }) => ({
    resourceType: 'Organization' as const,
    organisation_guid: organisationGuid,
    name,
  });
  registerList(routes, '/api/admin/organisations', 'All organisations', {
    item: OrganisationResponse,
    count: organisations.count,
    read: (_actor, range) => organisations.list(range),
    toItem: toResponse,
  });
  routes.post(
    '/api/admin/organisations',
    'Add an organisation; its name must be new',
    { config: { idempotent: true }, schema: { body: CreateBody, response: { 201: OrganisationResponse } } },
    async (request, reply) =>
      reply.code(201).send(toResponse(await organisations.create(actorOf(request), request.body.name))),
  );
}
