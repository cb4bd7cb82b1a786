// Access record of a search (decision G9). It names the patients whose data was shown, and the patients that the search
// names. It also names those to whom a searched identifier belongs, even if only a total is returned. A search that
// finds nothing and names nobody is recorded without a patient, with the names of its parameters.
import type { SearchQuery } from '#fhir/search/parse/query.ts';
import type { SearchResult } from '#fhir/store/search/search.ts';
import type { AccessRecord } from './access-records.ts';
import { queriedParameters, queriesByIdentifier } from './named-patients.ts';

interface Searched {
  readonly record: Omit<AccessRecord, 'versions' | 'parameterNames'>;
  readonly query: SearchQuery;
  readonly result: SearchResult;
  /** Finds what fulfils the query, of an answer that is not shown. */
  readonly ofWhom: (query: SearchQuery) => Promise<SearchResult>;
}

/** An identifier belongs to one; so many are recorded of one that belongs to many. */
const MAX_FOUND = 100;

export async function searchRecord(searched: Searched): Promise<AccessRecord> {
  const { record, query, result, ofWhom } = searched;
  const shown = [...result.matches, ...result.included];
  const isNamed = shown.length > 0 || (record.named ?? []).length > 0;
  const hidden =
    !isNamed && isTotalOfSome(searched) && queriesByIdentifier(query) ? await ofWhom(toFind(query)) : undefined;
  const versions = [...shown, ...(hidden?.matches ?? [])];
  const parameterNames = !isNamed && isOfNone(searched) ? queriedParameters(query) : [];
  return { ...record, versions, parameterNames };
}

/** The query of one of several types, to be asked as `whole` is. */
export function asWhole(query: SearchQuery, whole: SearchQuery): SearchQuery {
  const { count, offset, cursor, total, summary } = whole;
  return { ...query, includes: [], sort: [], count, offset, cursor, total, summary };
}

function toFind(query: SearchQuery): SearchQuery {
  return {
    ...query,
    includes: [],
    sort: [],
    count: MAX_FOUND,
    offset: 0,
    cursor: undefined,
    total: 'none',
    summary: 'false',
  };
}

/** Whether the response reports that there are some, and shows none of them. */
function isTotalOfSome({ result }: Searched): boolean {
  return result.total !== undefined && result.total > 0;
}

/** Whether there is nothing, and not only nothing more. */
function isOfNone({ query, result }: Searched): boolean {
  const isBegin = query.cursor === undefined && query.offset === 0;
  return isBegin && (result.total === 0 || (result.total === undefined && query.count > 0));
}
