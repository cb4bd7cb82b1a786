// Searching a type (hl7.org/fhir/R5/http.html#search; decision G6).
import type { Compartment, SearchQuery } from '#lib/fhir/search/query.ts';
import type { SearchResult } from '#lib/fhir-store/search.ts';
import type { StoredVersion } from '#lib/fhir-store/stored-version.ts';
import { type BundleEntry, bundleText } from '../bundle-text.ts';
import { type RouteContext, urlOf } from '../context.ts';
import type { FhirTypeOptions } from '../options.ts';
import { searchLinks } from '../search-links.ts';
import { isSubset, subsetText } from '../subset.ts';
import type { FhirAnswer, FhirCall } from './call.ts';
import { recordLook } from './looks.ts';

const FORMAT_NAMES = ['_format', '_pretty'];

/** @throws ServiceError `validation_error`, `invalid_request` */
export function search(call: FhirCall, type: FhirTypeOptions, context: RouteContext): Promise<FhirAnswer> {
  return searchWithin(call, { type, compartment: undefined }, context);
}

/** What of a type lies in a compartment (hl7.org/fhir/R5/http.html#vsearch). @throws ServiceError as `search` */
export async function searchWithin(
  call: FhirCall,
  { type, compartment }: { readonly type: FhirTypeOptions; readonly compartment: Compartment | undefined },
  context: RouteContext,
): Promise<FhirAnswer> {
  const { options } = context;
  const access = options.access(call.principal, 'search-type');
  const { hasPages = false, aliases = new Map<string, string>(), ownNames = [], condition } = type.search ?? {};
  const query = options.store.parse(type.type, call.query, {
    isStrict: call.preferences.isStrict,
    hasPages,
    aliases,
    ...(compartment === undefined ? {} : { compartment }),
    ownNames: new Set([...ownNames, ...FORMAT_NAMES]),
  });
  const extra = condition?.(call.query);
  const result = await options.store.search(call.workplace.db, query, {
    access,
    ...(extra === undefined ? {} : { condition: extra }),
  });
  const versions = [...result.matches, ...result.included];
  await recordLook(call, { action: 'E', interaction: 'search', resourceType: type.type, versions }, context);
  const within = compartment === undefined ? '' : `${compartment.type}/${compartment.id}/`;
  const links = searchLinks(query, result.nextCursor, `${options.baseUrl}/${within}${type.type}`);
  const head = { type: 'searchset' as const, total: result.total, links, timestamp: new Date() };
  return { status: 200, text: bundleText(head, entriesOf(query, result, context)) };
}

function entriesOf(query: SearchQuery, { matches, included }: SearchResult, context: RouteContext): BundleEntry[] {
  const subset = { summary: query.summary, elements: query.elements };
  const isPartial = isSubset(subset);
  const entry = (version: StoredVersion, mode: 'match' | 'include'): BundleEntry => ({
    fullUrl: urlOf(context, version),
    resource: isPartial ? subsetText(version.content, subset, context.definitions) : version.content,
    search: { mode },
  });
  return [
    ...matches.map((version) => entry(version, 'match')),
    ...included.map((version) => entry(version, 'include')),
  ];
}
