// Searches that name what they look for, by id, address, name or title, find definitions too that are there without
// having been stored. Both are sorted and paged together. What is equal to what is stored comes behind it. Without a
// sort order it comes behind all that is stored.
import type { SearchQuery } from '#fhir/search/parse/query.ts';
import { PAGE_LENGTH } from '#fhir/store/read/long-texts.ts';
import type { ShownVersion } from '#fhir/store/read/stored-version.ts';
import { writeCursor } from '#fhir/store/search/cursor.ts';
import type { SearchResult } from '#fhir/store/search/search.ts';
import type { KeepMatches, SearchPlace } from '#fhir/store/search/search-sql.ts';
import type { PublishedDefinition, PublishedDefinitions, PublishedQuery } from '#fhir/terminology/published.ts';
import { comparePlaces, publishedMatch, publishedSort } from './published-match.ts';

/** Finds what is stored; of a page's matches as many are shown as `keep` says. */
export type FindStored = (query: SearchQuery, keep?: KeepMatches) => Promise<SearchResult>;

/** No resource has a key behind it. */
const LAST_KEY = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/**
 * Between the cursor of what is stored and the id of the published definition that a page ended with: no sign of
 * either.
 */
const DIVIDER = '~';

/**
 * The definitions that a search may find, none where it finds none, and in the order of which language texts are
 * sorted.
 */
export interface PublishedSite {
  readonly published: PublishedDefinitions | undefined;
  readonly sortLanguage: string;
}

/** The result with them; that of what is stored alone where the search asks for anything that they do not answer. */
export async function withPublished(query: SearchQuery, site: PublishedSite, find: FindStored): Promise<SearchResult> {
  const found = findPublished(query, site);
  if (found === undefined) return find(query);
  const [stored, last] = (query.cursor ?? '').split(DIVIDER);
  const asked = { ...query, cursor: query.cursor === undefined ? undefined : stored };
  if (query.summary === 'count') return withTotal(await find(asked), found.length);
  let page: Page | undefined;
  const result = await find(asked, (places, isEnd) => {
    page = pageOf({ places, isEnd }, afterLast(found, { asked, last }), query);
    return page.kept;
  });
  const whole = asked.cursor === undefined ? withTotal(result, found.length) : result;
  return page === undefined ? whole : shown(page, whole, query);
}

function withTotal(result: SearchResult, more: number): SearchResult {
  return { ...result, total: result.total === undefined ? undefined : result.total + more };
}

/** A definition and what it is sorted by. */
interface Found {
  readonly definition: PublishedDefinition;
  /** Its place among those that are together in packages. */
  readonly order: number;
  readonly sort: readonly (string | null)[];
}

/** In order; undefined where the search has other conditions than they answer, or names nothing. */
function findPublished(query: SearchQuery, { published, sortLanguage }: PublishedSite): readonly Found[] | undefined {
  if (published === undefined) return undefined;
  const match = publishedMatch(query.criteria);
  const narrowed = match === undefined ? undefined : narrow(query);
  if (match === undefined || narrowed === undefined) return undefined;
  return published
    .find(narrowed)
    .filter(match)
    .map(
      (definition, order): Found => ({ definition, order, sort: publishedSort(definition, query.sort, sortLanguage) }),
    )
    .sort((a, b) => comparePlaces(a.sort, b.sort, query.sort) || byId(a.definition.id, b.definition.id));
}

/** Undefined where nothing says which are looked for: lists are of what is stored. */
function narrow({ resourceType, criteria }: SearchQuery): PublishedQuery | undefined {
  let isNamed = false;
  let asked: PublishedQuery = { resourceType };
  for (const criterion of criteria) {
    if (criterion.kind === 'id') asked = { ...asked, ids: criterion.ids };
    else if (criterion.kind === 'uri' && criterion.match === 'exact') asked = { ...asked, urls: criterion.values };
    isNamed ||= criterion.kind === 'id' || criterion.kind === 'uri' || criterion.kind === 'string';
  }
  return isNamed ? asked : undefined;
}

function byId(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/**
 * Those behind the page before: it ended with a definition, or with something stored, which goes before what is equal
 * to it.
 */
function afterLast(
  found: readonly Found[],
  { asked, last }: { readonly asked: SearchQuery; readonly last: string | undefined },
): readonly Found[] {
  if (asked.cursor === undefined) return found;
  // It has been read and found good by the store.
  const [, , ...sort] = JSON.parse(Buffer.from(asked.cursor, 'base64url').toString('utf8')) as (string | null)[];
  return found.filter((each) => {
    const order = comparePlaces(each.sort, sort, asked.sort);
    return order > 0 || (order === 0 && (last === undefined || byId(each.definition.id, last) > 0));
  });
}

interface Page {
  /** How many of what is stored it shows. */
  readonly kept: number;
  /** For each entry the definition, or undefined for what is stored. */
  readonly entries: readonly (ShownDefinition | undefined)[];
  /** Where the page ends, when another follows. */
  readonly end: (SearchPlace & { readonly id?: string }) | undefined;
}

interface ShownDefinition {
  readonly id: string;
  readonly content: string;
}

function pageOf(
  { places, isEnd }: { readonly places: readonly SearchPlace[]; readonly isEnd: boolean },
  published: readonly Found[],
  { count, sort }: SearchQuery,
): Page {
  const merged: (SearchPlace | Found)[] = [];
  let next = 0;
  for (const place of places) {
    const before = published.slice(next).findIndex((each) => comparePlaces(each.sort, place.sort, sort) >= 0);
    const end = before === -1 ? published.length : next + before;
    merged.push(...published.slice(next, end), place);
    next = end;
  }
  // What follows the last of what is stored may be behind others that are.
  if (isEnd) merged.push(...published.slice(next));
  const entries = withTexts(merged.slice(0, count));
  const page = merged.slice(0, entries.length);
  const isLast = isEnd && page.length === merged.length;
  return { kept: page.filter(isStored).length, entries, end: isLast ? undefined : endOf(page.at(-1)) };
}

function isStored(each: SearchPlace | Found): each is SearchPlace {
  return 'rid' in each;
}

function endOf(last: SearchPlace | Found | undefined): Page['end'] {
  if (last === undefined || isStored(last)) return last;
  return { sort: last.sort, rid: LAST_KEY, id: last.definition.id };
}

/**
 * The definitions with their texts, as many as fit in a page; at least one. Those of one block are unpacked together.
 */
function withTexts(page: readonly (SearchPlace | Found)[]): Page['entries'] {
  const found = page.flatMap((each) => (isStored(each) ? [] : [each]));
  const texts = new Map<Found, string>();
  let left = PAGE_LENGTH;
  for (const each of found.toSorted((a, b) => a.order - b.order)) {
    if (left <= 0) break;
    const text = each.definition.content();
    texts.set(each, text);
    left -= text.length;
  }
  const entries: (ShownDefinition | undefined)[] = [];
  for (const each of page) {
    if (isStored(each)) {
      entries.push(undefined);
      continue;
    }
    const content = texts.get(each);
    if (content === undefined) break;
    entries.push({ id: each.definition.id, content });
  }
  return entries;
}

function shown({ entries, end }: Page, result: SearchResult, query: SearchQuery): SearchResult {
  const { resourceType } = query;
  const stored = result.matches.values();
  const matches = entries.flatMap((entry): readonly ShownVersion[] => {
    if (entry !== undefined) return [{ ...entry, resourceType, version: 1 }];
    const { value } = stored.next();
    return value === undefined ? [] : [value];
  });
  const place = end && writeCursor({ ...end, total: result.total ?? null }, query);
  const nextCursor = end?.id === undefined ? place : `${place}${DIVIDER}${end.id}`;
  return { ...result, matches, nextCursor };
}
