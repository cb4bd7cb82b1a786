// The routes of what waits for a decision: the list, and the POST that decides (decisions I8 to I11).
import type { Static, TSchema } from 'typebox';
import type { ApiRoutes } from '#lib/http/api-routes.ts';
import { type Actor, actorOf } from '../../actor.ts';
import type { ListRange } from '../../list-page.ts';
import { registerList } from './list-route.ts';

interface Route {
  readonly path: string;
  readonly summary: string;
}

/** Errors are those of the service. */
interface PendingRoutes<Item extends TSchema, Row, Body extends TSchema, Decided extends TSchema> {
  readonly list: Route & { readonly item: Item };
  readonly decision: Route & { readonly body: Body; readonly decided: Decided };
  /** What the caller may decide. */
  readonly pending: (actor: Actor, range: ListRange) => Promise<readonly Row[]>;
  readonly countPending: (actor: Actor) => Promise<number>;
  toItem(row: Row): Static<Item>;
  decide(actor: Actor, body: Static<Body>): Promise<Static<Decided>>;
}

export function registerPending<Item extends TSchema, Row, Body extends TSchema, Decided extends TSchema>(
  routes: ApiRoutes,
  options: PendingRoutes<Item, Row, Body, Decided>,
): void {
  // The types of items and bodies are checked where the routes are declared.
  const { list, decision, decide, ...queue }: PendingRoutes<TSchema, Row, TSchema, TSchema> = options;
  const { pending: read, countPending: count, toItem } = queue;
  registerList(routes, list.path, list.summary, { item: list.item, read, count, toItem });
  const { body, decided } = decision;
  routes.post(
    decision.path,
    decision.summary,
    { config: { idempotent: true, errors: ['not_found'] }, schema: { body, response: { 200: decided } } },
    async (request) => decide(actorOf(request), request.body),
  );
}
