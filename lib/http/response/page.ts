// Pagination of lists outside FHIR (decision G5): `page` and `per_page` in, {data, page, per_page, total} and `Link`
// headers out.
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type TSchema } from 'typebox';

export const PageQuery = {
  page: Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1, description: 'Page number, from 1' }),
  per_page: Type.Integer({ minimum: 1, maximum: 200, default: 20, description: 'Items per page' }),
};

export interface PageRequest {
  readonly page: number;
  readonly per_page: number;
}

/** The schema of a page of items. A page of `Provider` has the name `ProviderPage` in /openapi.json. */
export function pageOf<T extends TSchema & { readonly title?: string }>(item: T) {
  const members = {
    data: Type.Array(item),
    page: Type.Integer(),
    per_page: Type.Integer(),
    total: Type.Integer(),
  };
  return Type.Object(members, item.title === undefined ? {} : { title: `${item.title}Page` });
}

export type Page<T> = { data: T[]; page: number; per_page: number; total: number };

export function makePage<T>(data: T[], total: number, request: PageRequest): Page<T> {
  return { data, page: request.page, per_page: request.per_page, total };
}

/** Adds the page's `Link` header. */
export function sendPage<P extends Page<unknown>>(
  { url }: Pick<FastifyRequest, 'url'>,
  reply: FastifyReply,
  page: P,
): P {
  reply.header('link', linkHeader(url, page, page.total));
  return page;
}

/** SQL's LIMIT and OFFSET for a page. */
export function limitOf(request: PageRequest): { limit: number; offset: number } {
  return { limit: request.per_page, offset: (request.page - 1) * request.per_page };
}

/** The `Link` header (RFC 8288) with first, prev, next and last, keeping the other query parameters. */
export function linkHeader(url: string, request: PageRequest, total: number): string {
  const last = Math.max(1, Math.ceil(total / request.per_page));
  const [path = '', query = ''] = url.split('?', 2);
  const link = (page: number, rel: string) => {
    const parameters = new URLSearchParams(query);
    parameters.set('page', String(page));
    parameters.set('per_page', String(request.per_page));
    return `<${path}?${parameters}>; rel="${rel}"`;
  };
  const links = [link(1, 'first')];
  if (request.page > 1) links.push(link(Math.min(request.page - 1, last), 'prev'));
  if (request.page < last) links.push(link(request.page + 1, 'next'));
  return [...links, link(last, 'last')].join(', ');
}
