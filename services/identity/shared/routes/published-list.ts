// A cache of the serialized response of a public list: many requests read it, few change it. A change through this node
// is visible to its author at once, and on other nodes within a second.
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Clock } from '#lib/clock.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import type { ListQueryValues } from '../../list-page.ts';

const KEPT_MS = 1_000;

/** A list and its rate limit. */
export interface Catalogue {
  readonly limiter: RateLimiter;
  readonly list: PublishedList;
}

export interface PublishedList {
  /** Sends the whole list; `load` reads it when nothing is cached. */
  send(reply: FastifyReply, load: () => Promise<readonly unknown[]>): Promise<FastifyReply>;
  /** Drops the cached response and any load in progress, which may be older than the change. */
  drop(): void;
}

/** Whether the request is for the whole list, not for a page of it. */
export function isUnpaged({ query }: FastifyRequest<{ Querystring: ListQueryValues }>): boolean {
  return query.page === undefined && query.per_page === undefined;
}

export function createPublishedList(clock: Clock): PublishedList {
  let kept: { readonly body: Promise<Buffer>; readonly until: number } | undefined;

  function bodyOf(reply: FastifyReply, load: () => Promise<readonly unknown[]>): Promise<Buffer> {
    if (kept !== undefined && kept.until > clock.now()) return kept.body;
    // The lifetime starts with the query, since later commits may be missing from its result.
    const until = clock.now() + KEPT_MS;
    const body = load().then((items) => Buffer.from(String(reply.serializeInput(Object(items), '200'))));
    const entry = { body, until };
    kept = entry;
    body.catch(() => {
      if (kept === entry) kept = undefined;
    });
    return body;
  }

  return {
    async send(reply, load) {
      const body = await bodyOf(reply, load);
      return reply.header('content-type', 'application/json; charset=utf-8').send(body);
    },
    drop: () => {
      kept = undefined;
    },
  };
}

/**
 * Drops the lists before the response to a change is sent: any write by an authenticated caller may have changed them.
 * Call it before the routes are registered.
 */
export function dropAfterWrites(app: HttpApp, lists: readonly PublishedList[]): void {
  const drop: RouteOptions['onSend'] = (_request, _reply, payload, done) => {
    for (const list of lists) list.drop();
    done(null, payload);
  };
  app.addHook('onRoute', (route) => {
    const isRead = [route.method].flat().every((method) => method === 'GET' || method === 'HEAD');
    if (isRead || route.config?.permission === 'public') return;
    route.onSend = [route.onSend ?? [], drop].flat();
  });
}
