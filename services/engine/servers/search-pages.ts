// The pages of a search on an external server. The links of a page are rewritten to the engine, because the caller
// cannot authenticate at the server.
import { ServiceError } from '#lib/errors.ts';
import { isBelow } from '../shared/upstream/pages.ts';
import type { LinksOf } from '../shared/upstream/resource-head.ts';
import type { ServerDefinition } from '../shared/upstream/server-definition.ts';

/** The parameter that names a further page. */
export const PAGE_PARAMETER = '_page';

/**
 * Returns the path of a search below the base: of its first page, or of a page that the server named.
 * @throws ServiceError `validation_error` for a page outside the server's base
 */
export function searchPath(server: ServerDefinition, resourceType: string, query: string): string {
  const given = new URLSearchParams(query);
  const page = given.get(PAGE_PARAMETER);
  if (page === null) {
    // The engine reads JSON, whatever format the caller requests.
    given.delete('_format');
    const rest = given.toString();
    return `/${resourceType}${rest === '' ? '' : `?${rest}`}`;
  }
  if (isBelow(server, page)) return page;
  const message = `'${PAGE_PARAMETER}' must be the address of a page of this server`;
  throw new ServiceError('validation_error', message, { issues: [{ message, field: PAGE_PARAMETER }] });
}

/**
 * Returns the Bundle with rewritten links. Links that cannot be rewritten are left out. All other bytes stay the same.
 */
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
  // A FHIR list must not be empty.
  const [[start, end], text] = own.length === 0 ? [links.whole, ''] : [links.value, JSON.stringify(own)];
  return Buffer.concat([body.subarray(0, start), Buffer.from(text), body.subarray(end)]);
}
