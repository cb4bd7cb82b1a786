// Identity's lists are plain arrays; with `page` or `per_page` one page of them, with Link and X-Total-Count (decision
// G5).
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { linkHeader } from '#lib/http/response/page.ts';

export const ListQuery = Type.Object(
  {
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'Page number, from 1' })),
    per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Items per page (20)' })),
  },
  { additionalProperties: false },
);

/** `limit` null: everything. */
export interface ListRange {
  readonly limit: number | null;
  readonly offset: number;
}

export interface ListQueryValues {
  readonly page?: number;
  readonly per_page?: number;
}

const PER_PAGE = 20;

/** What part of the list is asked for. */
export function listRange(query: ListQueryValues): ListRange {
  if (query.page === undefined && query.per_page === undefined) return { limit: null, offset: 0 };
  const limit = query.per_page ?? PER_PAGE;
  return { limit, offset: ((query.page ?? 1) - 1) * limit };
}

/** Sets Link and X-Total-Count when a page was asked for; `count` tells the length of the whole list. */
export async function describeList(
  request: FastifyRequest<{ Querystring: ListQueryValues }>,
  reply: FastifyReply,
  count: () => Promise<number>,
): Promise<void> {
  const { page, per_page: perPage } = request.query;
  if (page === undefined && perPage === undefined) return;
  const total = await count();
  reply.header('x-total-count', String(total));
  reply.header('link', linkHeader(request.url, { page: page ?? 1, per_page: perPage ?? PER_PAGE }, total));
}
