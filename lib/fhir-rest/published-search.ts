// Searches by `url` or `_id` find definitions too that are there without having been stored: they stand behind what is stored.
import type { Criterion, SearchQuery } from '#lib/fhir/search/query.ts';
import type { SearchResult } from '#lib/fhir-store/search.ts';
import type { PublishedDefinitions, PublishedQuery } from '#lib/terminology/published.ts';

/** The result with them on its last page; the very same where the search asks for anything else. */
export function withPublished(
  query: SearchQuery,
  result: SearchResult,
  published: PublishedDefinitions | undefined,
): SearchResult {
  const asked = published === undefined ? undefined : publishedQuery(query);
  if (published === undefined || asked === undefined) return result;
  const found = published.find(asked);
  if (found.length === 0) return result;
  const isShown = query.summary !== 'count' && query.count > 0 && result.nextCursor === undefined && query.offset === 0;
  const more = found.map((each) => ({ ...each, resourceType: query.resourceType, version: 1 }));
  return {
    ...result,
    matches: isShown ? [...result.matches, ...more] : result.matches,
    total: result.total === undefined ? undefined : result.total + found.length,
  };
}

/** Undefined where the search has other conditions than ids, URLs and versions, or neither an id nor a URL. */
function publishedQuery({ resourceType, criteria }: SearchQuery): PublishedQuery | undefined {
  let asked: PublishedQuery = { resourceType };
  for (const criterion of criteria) {
    const part = partOf(criterion);
    // Two conditions of the same kind: both would have to hold.
    if (part === undefined || Object.keys(part).some((name) => name in asked)) return undefined;
    asked = { ...asked, ...part };
  }
  return asked.ids === undefined && asked.urls === undefined ? undefined : asked;
}

function partOf(criterion: Criterion): Omit<PublishedQuery, 'resourceType'> | undefined {
  if (criterion.kind === 'id') return { ids: criterion.ids };
  if (criterion.kind === 'uri' && criterion.parameter.code === 'url' && criterion.match === 'exact') {
    return { urls: criterion.values };
  }
  if (criterion.kind !== 'token' || criterion.parameter.code !== 'version') return undefined;
  const { isNegated, twin, values } = criterion;
  const versions = values.flatMap(({ code }) => code ?? []);
  return isNegated || twin !== undefined || versions.length < values.length ? undefined : { versions };
}
