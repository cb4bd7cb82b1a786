// GET of a public catalogue: the whole list from a cache, or the page that the query selects (decisions G5 and I12).
import type { FastifyContextConfig } from 'fastify';
import Type, { type Static, type TSchema } from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import { describeList, ListQuery, type ListRange, listRange } from '../../list-page.ts';
import { type Catalogue, isUnpaged } from './published-list.ts';

interface CatalogueRoute<Item extends TSchema> {
  readonly path: string;
  readonly summary: string;
  readonly item: Item;
  readonly catalogue: Catalogue;
  /** Whether clients may cache it. */
  readonly caching?: FastifyContextConfig['caching'];
  count(): Promise<number>;
  read(range: ListRange): Promise<Static<Item>[]>;
}

export function registerCatalogue<Item extends TSchema>(app: HttpApp, route: CatalogueRoute<Item>): void {
  // The types of the items are checked where the route is declared.
  const { path, summary, item, catalogue, caching, count, read }: CatalogueRoute<TSchema> = route;
  apiRoutes(app, { tags: ['public'], permission: 'public' }).get(
    path,
    summary,
    {
      config: { ...(caching === undefined ? {} : { caching }), errors: ['rate_limited'] },
      onRequest: rateLimitHook(catalogue.limiter),
      schema: { querystring: ListQuery, response: { 200: Type.Array(item) } },
    },
    async (request, reply) => {
      const load = () => read(listRange(request.query));
      if (isUnpaged(request)) return catalogue.list.send(reply, load);
      await describeList(request, reply, count);
      return load();
    },
  );
}
