// A list that everybody may read, kept ready to send for a moment: many ask for it, few change it. A change made
// through this node is seen at once by whoever made it, on other nodes within a second.
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Clock } from '#lib/clock.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import type { ListQueryValues } from '../list-page.ts';

const KEPT_MS = 1_000;

/** A list and how often an address may ask for it. */
export interface Catalogue {
  readonly limiter: RateLimiter;
  readonly list: PublishedList;
}

export interface PublishedList {
  /** Answers with the whole list; `load` reads it when nothing is kept. */
  send(reply: FastifyReply, load: () => Promise<readonly unknown[]>): Promise<FastifyReply>;
  /** Forgets what is kept, and what is being read: that may be older than the change. */
  drop(): void;
}

/** Whether the whole list is asked for, and no page of it. */
export function isWhole({ query }: FastifyRequest<{ Querystring: ListQueryValues }>): boolean {
  return query.page === undefined && query.per_page === undefined;
}

export function createPublishedList(clock: Clock): PublishedList {
  let kept: { readonly body: Promise<Buffer>; readonly until: number } | undefined;

  function bodyOf(reply: FastifyReply, load: () => Promise<readonly unknown[]>): Promise<Buffer> {
    if (kept !== undefined && kept.until > clock.now()) return kept.body;
    // The time counts from the start of the look-up, since what is committed later may not be in it.
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
 * Drops the lists before a change is answered: whatever a caller who is known may have changed. Call it before the
 * routes are registered.
 */
export function dropAfterChanges(app: HttpApp, lists: readonly PublishedList[]): void {
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
