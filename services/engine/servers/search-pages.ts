// Searches on an external server, page by page: the links of an answer lead back through us, as the caller cannot sign
// in to the server.
import { ServiceError } from '#lib/errors.ts';
import { isBelow } from '../shared/upstream/pages.ts';
import type { LinksOf } from '../shared/upstream/resource-head.ts';
import type { ServerDefinition } from '../shared/upstream/server-definition.ts';

/** What leads to a further page. */
export const PAGE_PARAMETER = '_page';

/**
 * The address of a search: below the base, of its first page, or of one that the server itself named.
 * @throws ServiceError `validation_error` for a page that is not the server's
 */
export function searchPath(server: ServerDefinition, resourceType: string, query: string): string {
  const given = new URLSearchParams(query);
  const page = given.get(PAGE_PARAMETER);
  if (page === null) {
    // We read JSON, whatever the caller would like.
    given.delete('_format');
    const rest = given.toString();
    return `/${resourceType}${rest === '' ? '' : `?${rest}`}`;
  }
  if (isBelow(server, page)) return page;
  const message = `'${PAGE_PARAMETER}' must be the address of a page of this server`;
  throw new ServiceError('validation_error', message, { issues: [{ message, field: PAGE_PARAMETER }] });
}

/** The Bundle with other links: those without an address of ours are left out; everything else stays byte for byte. */
export function withOwnLinks(
  body: Buffer,
  links: LinksOf | undefined,
  addressOf: (url: string) => string | undefined,
): Buffer {
  if (links === undefined) return body;
  const own = links.links.flatMap(({ relation, url }) => {
    const address = addressOf(url);
    return address === undefined ? [] : [{ relation, url: address }];
  });
  // A list of FHIR is never empty.
  const [[start, end], text] = own.length === 0 ? [links.whole, ''] : [links.value, JSON.stringify(own)];
  return Buffer.concat([body.subarray(0, start), Buffer.from(text), body.subarray(end)]);
}
