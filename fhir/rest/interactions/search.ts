// The search interactions: of a type, a compartment or the whole system (hl7.org/fhir/R5/http.html#search; decision
// G6). The plan and the SQL of a search are in fhir/store/search.

import type { Compartment, SearchQuery } from '#fhir/search/parse/query.ts';
import type { ShownVersion } from '#fhir/store/read/stored-version.ts';
import type { ExplainedStatement } from '#fhir/store/search/explain.ts';
import type { SearchResult } from '#fhir/store/search/search.ts';
import { authorise } from '#lib/auth/permissions.ts';
import type { Queryable } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { type RouteContext, urlOf } from '../context.ts';
import { type BundleEntry, bundleText } from '../http/bundle-text.ts';
import { searchLinks } from '../http/search-links.ts';
import type { FhirTypeOptions } from '../options.ts';
import { type FindStored, withPublished } from '../published-search.ts';
import { ALL_TYPES, liesIn, requireAllIn, typesOfRecord } from '../routes/compartments.ts';
import { isSubset } from '../subset.ts';
import { subsetTexts } from '../subset-texts.ts';
import { recordAccess } from './access-records.ts';
import type { FhirCall, FhirResponse } from './call.ts';
import { cutEntry } from './cut-entry.ts';
import { namedPatients } from './named-patients.ts';
import { invalidQueryParameter } from './paging.ts';
import { type RecordedRead, readRecorded } from './read-recorded.ts';
import { asWhole, searchRecord } from './search-record.ts';
import { readTypes, requestedTypes } from './types.ts';

const FORMAT_NAMES = ['_format', '_pretty'];
const EXPLAIN = '_explain';

/** @throws ServiceError `validation_error`, `invalid_request` */
export function search(call: FhirCall, type: FhirTypeOptions, context: RouteContext): Promise<FhirResponse> {
  return searchWithin(call, { type, compartment: undefined }, context);
}

/**
 * Searches the resources of a type in a compartment (hl7.org/fhir/R5/http.html#vsearch).
 * @throws ServiceError as `search`
 */
export async function searchWithin(
  call: FhirCall,
  { type, compartment }: { readonly type: FhirTypeOptions; readonly compartment: Compartment | undefined },
  context: RouteContext,
): Promise<FhirResponse> {
  const { options } = context;
  const access = options.access(call.principal, 'search-type');
  const { hasPages = false, aliases = new Map<string, string>(), ownNames = [], condition } = type.search ?? {};
  const query = options.store.parse(type.type, call.query, {
    isStrict: call.preferences.isStrict,
    hasPages,
    aliases,
    ...(compartment === undefined ? {} : { compartment }),
    ownNames: new Set([...ownNames, ...FORMAT_NAMES, ...(options.system === undefined ? [] : [EXPLAIN])]),
  });
  const extra = condition?.(call.query);
  const searched = { access, ...(extra === undefined ? {} : { condition: extra }) };
  const naming = { query: call.query, resourceType: type.type, compartment, aliases };
  const named = await namedPatients(naming, options.store.parameters);
  const record = { action: 'E', interaction: 'search', resourceType: type.type, named } as const;
  const find: FindStored = async (asked, keep) => {
    const kept = keep === undefined ? {} : { keep };
    const reading: RecordedRead<SearchResult> = {
      read: ({ db, searches: batched }) =>
        options.store.search(db, asked, { ...searched, ...(batched === undefined ? {} : { batched }), ...kept }),
      recordOf: (result, { db }) =>
        searchRecord({ record, query: asked, result, ofWhom: (whole) => options.store.search(db, whole, searched) }),
    };
    return readRecorded(call, reading, context);
  };
  if (isExplained(call, context)) {
    const { result, statements } = await options.store.explain(options.database, query, searched);
    await recordAccess(call, { ...record, versions: [...result.matches, ...result.included] }, context);
    return { status: 200, text: JSON.stringify(explanation(statements)) };
  }
  const published = compartment === undefined ? options.published : undefined;
  const { sortLanguage } = options.store.parameters;
  const result = await withPublished(query, { published, sortLanguage }, find);
  const within = compartment === undefined ? '' : `${compartment.type}/${compartment.id}/`;
  const links = searchLinks(query, pageOf(result), `${options.baseUrl}/${within}${type.type}`);
  const head = { type: 'searchset' as const, total: result.total, links, timestamp: new Date() };
  return { status: 200, text: bundleText(head, await entriesOf(call, { query, result }, context)) };
}

/**
 * Searches all types, or those in a compartment (hl7.org/fhir/R5/http.html#search-system,
 * #vsearch).
 * @throws ServiceError as `search`
 */
export async function searchAll(
  call: FhirCall,
  context: RouteContext,
  compartment?: Compartment,
): Promise<FhirResponse> {
  const { options } = context;
  const access = options.access(call.principal, 'search-type');
  const readable = readTypes(call, 'search-type', context);
  const types = compartment === undefined ? readable : typesWithin(compartment, readable, { call, context });
  const [first, ...others] = options.store.parseSystem(types, call.query, {
    isStrict: call.preferences.isStrict,
    ...(compartment === undefined ? {} : { compartment }),
    ownNames: new Set([...FORMAT_NAMES, ...(options.system === undefined ? [] : [EXPLAIN])]),
  });
  if (first === undefined) throw new ServiceError('forbidden', 'You may search none of these types');
  const queries = [first, ...others];
  const named = await namedPatients(
    { query: call.query, resourceType: undefined, compartment },
    options.store.parameters,
  );
  const record = { action: 'E', interaction: 'search', resourceType: undefined, named } as const;
  if (isExplained(call, context)) {
    const { result, statements } = await options.store.explainSystem(options.database, queries, { access });
    await recordAccess(call, { ...record, versions: [...result.matches, ...result.included] }, context);
    return { status: 200, text: JSON.stringify(explanation(statements)) };
  }
  const find = (db: Queryable, whole?: SearchQuery) =>
    options.store.searchSystem(db, whole === undefined ? queries : queries.map((query) => asWhole(query, whole)), {
      access,
    });
  const reading: RecordedRead<SearchResult> = {
    read: ({ db }) => find(db),
    recordOf: (found, { db }) =>
      searchRecord({ record, query: first, result: found, ofWhom: (whole) => find(db, whole) }),
  };
  const result = await readRecorded(call, reading, context);
  const asked = call.query.getAll('_type').map((value): [string, string] => ['_type', value]);
  const query = { ...first, understood: [...asked, ...first.understood] };
  const within = compartment === undefined ? '' : `${compartment.type}/${compartment.id}/${ALL_TYPES}`;
  const links = searchLinks(query, pageOf(result), `${options.baseUrl}/${within}`);
  const head = { type: 'searchset' as const, total: result.total, links, timestamp: new Date() };
  return { status: 200, text: bundleText(head, await entriesOf(call, { query, result }, context)) };
}

/**
 * Of the types those that are in the compartment.
 * @throws ServiceError `validation_error` when `_type` names another
 */
function typesWithin(
  { type: compartment }: Compartment,
  types: readonly string[],
  { call, context }: { readonly call: FhirCall; readonly context: RouteContext },
): string[] {
  const asked = requestedTypes(call.query);
  requireAllIn(compartment, asked, context);
  return typesOfRecord(types, asked).filter((type) => liesIn(compartment, type, context));
}

/** @throws ServiceError `forbidden` for all but admins; `invalid_request` within a transaction */
function isExplained({ query, principal, execution }: FhirCall, { options }: RouteContext): boolean {
  const value = query.get(EXPLAIN);
  if (options.system === undefined || value === null || value === 'false') return false;
  if (value !== 'true') throw invalidQueryParameter(EXPLAIN, 'must be true or false');
  authorise('search:explain', principal);
  if (execution.within === undefined) return true;
  throw new ServiceError('invalid_request', 'A search within a transaction cannot be explained');
}

/**
 * As FHIR has no resource for it, a Parameters resource: for each statement its text, its values and its plan, as JSON.
 */
function explanation(statements: readonly ExplainedStatement[]): object {
  const parameter = statements.map(({ sql, values, plan }) => ({
    name: 'statement',
    part: [
      { name: 'sql', valueString: sql },
      { name: 'values', valueString: JSON.stringify(values) },
      { name: 'plan', valueString: JSON.stringify(plan) },
    ],
  }));
  return { resourceType: 'Parameters', parameter };
}

function pageOf({ nextCursor, matches }: SearchResult) {
  return { nextCursor, found: matches.length };
}

async function entriesOf(
  call: FhirCall,
  { query, result }: { readonly query: SearchQuery; readonly result: SearchResult },
  context: RouteContext,
): Promise<BundleEntry[]> {
  const { matches, included, cut } = result;
  const subset = { summary: query.summary, elements: query.elements };
  const shown: readonly ShownVersion[] = [...matches, ...included];
  const contents = shown.map(({ content }) => content);
  const texts = isSubset(subset) ? await subsetTexts(contents, subset, call, context) : contents;
  const entry = (version: ShownVersion, index: number): BundleEntry => ({
    fullUrl: urlOf(context, version),
    resource: texts[index],
    search: { mode: index < matches.length ? 'match' : 'include' },
  });
  return [...shown.map(entry), ...(cut === undefined ? [] : [cutEntry(cut)])];
}
