// HTTP responses that several features send: a stored ServiceRequest, and a page of a short list.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import { FHIR_JSON } from '#lib/http/error-handler.ts';
import { linkHeader, makePage, type Page, type PageRequest } from '#lib/http/response/page.ts';

/** Sends the version with its ETag. */
export function sendResource(reply: FastifyReply, version: StoredVersion): FastifyReply {
  return reply
    .header('etag', `W/"${version.version}"`)
    .header('last-modified', version.lastUpdated.toUTCString())
    .type(FHIR_JSON)
    .serializer((text: string) => text)
    .send(version.content);
}

/** The requested page of all items of a short list, such as a request's forms or matches; sets the `Link` header. */
export function pageOfList<Item, View>(
  { url, query }: Pick<FastifyRequest, 'url'> & { readonly query: PageRequest },
  reply: FastifyReply,
  items: readonly Item[],
  toView: (item: Item) => View,
): Page<View> {
  const { page, per_page: perPage } = query;
  reply.header('link', linkHeader(url, query, items.length));
  return makePage(items.slice((page - 1) * perPage, page * perPage).map(toView), items.length, query);
}
