// Pagination of identity's lists (decision G5). A list is a plain array; `page` or `per_page` selects one page of it,
// with Link and X-Total-Count.
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

/** `limit` null: the whole list. */
export interface ListRange {
  readonly limit: number | null;
  readonly offset: number;
}

export interface ListQueryValues {
  readonly page?: number;
  readonly per_page?: number;
}

const PER_PAGE = 20;

/** The part of the list that the query selects. */
export function listRange(query: ListQueryValues): ListRange {
  if (query.page === undefined && query.per_page === undefined) return { limit: null, offset: 0 };
  const limit = query.per_page ?? PER_PAGE;
  return { limit, offset: ((query.page ?? 1) - 1) * limit };
}

/** Sets Link and X-Total-Count when the query selects a page; `count` returns the length of the whole list. */
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
