// The public catalogue of organisations, and their administration (contract: identity, Public and Admin).
import Type from 'typebox';
import type { HttpApp } from '#lib/http/http-app.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import { actorOf } from '../actor.ts';
import { describeList, ListQuery, listRange } from '../list-page.ts';
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
  app.get(
    '/api/public/organisations',
    {
      config: { permission: 'public', caching: 'public', errors: ['rate_limited'] },
      onRequest: rateLimitHook(catalogue.limiter),
      schema: {
        tags: ['public'],
        summary: 'The catalogue of organisations',
        querystring: ListQuery,
        response: { 200: Type.Array(CatalogueItem) },
      },
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
  const toResponse = ({ organisationGuid, name }: { organisationGuid: string; name: string }) => ({
    resourceType: 'Organization' as const,
    organisation_guid: organisationGuid,
    name,
  });
  app.get(
    '/api/admin/organisations',
    {
      config: { permission: 'directory:administer' },
      schema: {
        tags: ['admin'],
        summary: 'All organisations',
        querystring: ListQuery,
        response: { 200: Type.Array(OrganisationResponse) },
      },
    },
    async (request, reply) => {
      await describeList(request, reply, organisations.count);
      return (await organisations.list(listRange(request.query))).map(toResponse);
    },
  );
  app.post(
    '/api/admin/organisations',
    {
      config: { permission: 'directory:administer', idempotent: true },
      schema: {
        tags: ['admin'],
        summary: 'Add an organisation; its name must be new',
        body: CreateBody,
        response: { 201: OrganisationResponse },
      },
    },
    async (request, reply) =>
      reply.code(201).send(toResponse(await organisations.create(actorOf(request), request.body.name))),
  );
}
