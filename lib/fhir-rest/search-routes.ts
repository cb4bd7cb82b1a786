// Search by GET and by POST _search (hl7.org/fhir/R5/http.html#search; decision G6).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SearchQuery } from '#lib/fhir/search/query.ts';
import type { SearchResult } from '#lib/fhir-store/search.ts';
import type { StoredVersion } from '#lib/fhir-store/stored-version.ts';
import { requirePrincipal } from '#lib/http/app.ts';
import { type BundleEntry, bundleText } from './bundle-text.ts';
import { answerType, queryOf, readForm } from './content.ts';
import { answer, type RouteContext, recordLook, urlOf } from './context.ts';
import type { FhirTypeOptions } from './options.ts';
import { readPreferences } from './preferences.ts';
import { isSubset, subsetText } from './subset.ts';

const FORMAT_NAMES = ['_format', '_pretty'];

export function registerSearchRoutes(scope: FastifyInstance, type: FhirTypeOptions, context: RouteContext): void {
  if (!type.interactions.includes('search-type')) return;
  const { type: resourceType, read: permission } = type;
  const schema = { tags: [resourceType], summary: `Search for a ${resourceType}` };
  scope.get(`/${resourceType}`, { config: { permission }, schema }, (request, reply) =>
    sendSearch(request, reply, { type, given: queryOf(request) }, context),
  );
  scope.post(`/${resourceType}/_search`, { config: { permission }, schema }, (request, reply) =>
    sendSearch(
      request,
      reply,
      { type, given: new URLSearchParams([...queryOf(request), ...readForm(request)]) },
      context,
    ),
  );
}

async function sendSearch(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, given }: { type: FhirTypeOptions; given: URLSearchParams },
  context: RouteContext,
): Promise<FastifyReply> {
  const { options } = context;
  // A format that cannot be sent is said before anything is looked up.
  answerType(request, given);
  const access = options.access(requirePrincipal(request), 'search-type');
  const { isStrict } = readPreferences(request);
  const { hasPages = false, aliases = new Map<string, string>(), ownNames = [], condition } = type.search ?? {};
  const query = options.store.parse(type.type, given, {
    isStrict,
    hasPages,
    aliases,
    ownNames: new Set([...ownNames, ...FORMAT_NAMES]),
  });
  const extra = condition?.(given);
  const result = await options.store.search(options.database, query, {
    access,
    ...(extra === undefined ? {} : { condition: extra }),
  });
  const versions = [...result.matches, ...result.included];
  await recordLook(request, { action: 'E', interaction: 'search', resourceType: type.type, versions }, context);
  const head = {
    type: 'searchset' as const,
    total: result.total,
    links: linksOf(query, result, context),
    timestamp: new Date(),
  };
  return answer(request, reply, bundleText(head, entriesOf(query, result, context)), given);
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

/** The self link holds what was understood; the next one goes on the way the client pages: by page, by offset or by cursor. */
function linksOf(
  query: SearchQuery,
  { nextCursor }: SearchResult,
  { options }: RouteContext,
): { relation: string; url: string }[] {
  const self = new URLSearchParams(query.understood.map(([name, value]) => [name, value]));
  const url = (given: URLSearchParams) =>
    `${options.baseUrl}/${query.resourceType}${given.size === 0 ? '' : `?${given}`}`;
  const links = [{ relation: 'self', url: url(self) }];
  if (nextCursor === undefined) return links;
  const next = new URLSearchParams(self);
  if (self.has('page') || self.has('per_page')) next.set('page', String(Math.floor(query.offset / query.count) + 2));
  else if (self.has('_offset')) next.set('_offset', String(query.offset + query.count));
  else next.set('_cursor', nextCursor);
  return [...links, { relation: 'next', url: url(next) }];
}
