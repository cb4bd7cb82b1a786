// GET of a list of identity: the whole list, or the page that the query selects (decision G5).
import Type, { type Static, type TSchema } from 'typebox';
import type { ApiRoutes } from '#lib/http/api-routes.ts';
import { type Actor, actorOf } from '../../actor.ts';
import { describeList, ListQuery, type ListRange, listRange } from '../../list-page.ts';

interface ListRoute<Item extends TSchema, Row> {
  readonly item: Item;
  /** The length of the whole list. */
  count(actor: Actor): Promise<number>;
  /** Errors are those of the service. */
  read(actor: Actor, range: ListRange): Promise<readonly Row[]>;
  toItem(row: Row): Static<Item>;
}

export function registerList<Item extends TSchema, Row>(
  routes: ApiRoutes,
  path: string,
  summary: string,
  list: ListRoute<Item, Row>,
): void {
  // The types of the items are checked where the route is declared.
  const { item, count, read, toItem }: ListRoute<TSchema, Row> = list;
  routes.get(
    path,
    summary,
    { schema: { querystring: ListQuery, response: { 200: Type.Array(item) } } },
    async (request, reply) => {
      const actor = actorOf(request);
      await describeList(request, reply, () => count(actor));
      return (await read(actor, listRange(request.query))).map(toItem);
    },
  );
}
