// The list of all results of a request, for callers who may read the request (docs/adr/0087).
import Type, { type Static } from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { PageQuery, pageOf } from '#lib/http/response/page.ts';
import { actorOf } from '../../shared/actor.ts';
import { pageOfList } from '../../shared/responses.ts';
import { ResultWire } from './list-schema.ts';
import type { ListedResult, ResultListService } from './list-service.ts';

/** @param baseUrl the public address of the API, with `/api/v1` */
export function registerResultList(app: HttpApp, results: ResultListService, baseUrl: string): void {
  const toWire = (result: ListedResult): Static<typeof ResultWire> => ({
    reference: /^https?:/.test(result.reference) ? result.reference : `${baseUrl}/${result.reference}`,
    reporter: result.reporter,
    match_guid: result.matchGuid ?? null,
    provider_name: result.providerName ?? null,
    state: result.state,
    reported_at: result.reportedAt?.toISOString() ?? null,
  });
  const routes = apiRoutes(app, { tags: ['provider requests'], permission: 'request:read' });
  routes.get(
    '/ServiceRequest/:id/results',
    'All results of a request, by whatever way they came',
    {
      schema: {
        params: Type.Object({ id: Type.String() }),
        querystring: Type.Object(PageQuery, { additionalProperties: false }),
        response: { 200: pageOf(ResultWire) },
      },
    },
    async (request, reply) => {
      const all = await results.list(actorOf(request), request.params.id);
      return pageOfList(request, reply, all, toWire);
    },
  );
}
