// The links of a searchset (decision G6; hl7.org/fhir/R5/http.html#paging).
import type { SearchQuery } from '#fhir/search/parse/query.ts';

interface FoundPage {
  readonly nextCursor: string | undefined;
  /** How many the page holds. */
  readonly found: number;
}

/**
 * The self link holds what was understood; the next one goes on the way the client pages: by page, by offset or by
 * cursor. So do, behind the first page of pages and offsets, `first` and `previous`. `address` is that of the search,
 * without a query; without `nextCursor` there is no next page. A page may hold fewer than were asked for, where they
 * are large.
 */
export function searchLinks(
  query: SearchQuery,
  { nextCursor, found }: FoundPage,
  address: string,
): { relation: string; url: string }[] {
  const self = new URLSearchParams(query.understood.map(([name, value]) => [name, value]));
  const url = (given: URLSearchParams) => (given.size === 0 ? address : `${address}?${given}`);
  const isPaged = self.has('page') || self.has('per_page');
  const links = [{ relation: 'self', url: url(self) }];
  const back = linksBack(query, { self, isPaged, url });
  if (nextCursor === undefined) return [...links, ...back];
  const next = new URLSearchParams(self);
  if (isPaged) next.set('page', String(Math.floor(query.offset / query.count) + 2));
  else if (self.has('_offset')) next.set('_offset', String(query.offset + found));
  else next.set('_cursor', nextCursor);
  return [...links, { relation: 'next', url: url(next) }, ...back];
}

/**
 * Behind the first page: where it all begins, and the page before. A client that pages by cursor knows the one, and no
 * cursor says the other.
 */
function linksBack(
  { offset, count }: SearchQuery,
  { self, isPaged, url }: { self: URLSearchParams; isPaged: boolean; url: (given: URLSearchParams) => string },
): { relation: string; url: string }[] {
  const to = (relation: string, name: string, value: number) => {
    const given = new URLSearchParams(self);
    given.set(name, String(value));
    return { relation, url: url(given) };
  };
  if (offset === 0 || count === 0) return [];
  if (isPaged) return [to('first', 'page', 1), to('previous', 'page', Math.ceil(offset / count))];
  return [to('first', '_offset', 0), to('previous', '_offset', Math.max(0, offset - count))];
}
