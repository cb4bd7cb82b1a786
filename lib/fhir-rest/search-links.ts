// The links of a searchset (decision G6; hl7.org/fhir/R5/http.html#paging).
import type { SearchQuery } from '#lib/fhir/search/query.ts';

interface FoundPage {
  readonly nextCursor: string | undefined;
  /** How many the page holds. */
  readonly found: number;
}

/**
 * The self link holds what was understood; the next one goes on the way the client pages: by page, by offset or by cursor.
 * `address` is that of the search, without a query; without `nextCursor` there is no next page.
 * A page may hold fewer than were asked for, where they are large.
 */
export function searchLinks(
  query: SearchQuery,
  { nextCursor, found }: FoundPage,
  address: string,
): { relation: string; url: string }[] {
  const self = new URLSearchParams(query.understood.map(([name, value]) => [name, value]));
  const url = (given: URLSearchParams) => (given.size === 0 ? address : `${address}?${given}`);
  const links = [{ relation: 'self', url: url(self) }];
  if (nextCursor === undefined) return links;
  const next = new URLSearchParams(self);
  if (self.has('page') || self.has('per_page')) next.set('page', String(Math.floor(query.offset / query.count) + 2));
  else if (self.has('_offset')) next.set('_offset', String(query.offset + found));
  else next.set('_cursor', nextCursor);
  return [...links, { relation: 'next', url: url(next) }];
}
