// Responses of the FHIR endpoints: one resource with its ETag, or a searchset Bundle (decisions G3 and G6).
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Definitions, r5Definitions } from '#fhir/definitions/definitions.ts';
import { outcomeOfIssues } from '#fhir/resources/operation-outcome.ts';
import { bundleText } from '#fhir/rest/http/bundle-text.ts';
import { sendFormatted } from '#fhir/rest/http/http-call.ts';
import { readPreferences } from '#fhir/rest/http/preferences.ts';
import { searchLinks } from '#fhir/rest/http/search-links.ts';
import { isSubset, type SubsetRequest, subsetText } from '#fhir/rest/subset.ts';
import type { SearchQuery } from '#fhir/search/parse/query.ts';
import { contentTag } from '#lib/http/response/entity-tag.ts';
import type { DirectoryResource, FoundPage } from './kind.ts';

const WHOLE: SubsetRequest = { summary: 'false', elements: [] };

/** The directory stores no versions: the ETag is a hash of the content that this caller sees. */
export function sendResource(
  request: FastifyRequest,
  reply: FastifyReply,
  found: DirectoryResource,
  wanted: SubsetRequest = WHOLE,
): FastifyReply {
  const text = JSON.stringify(found.resource);
  const tag = setValidators(reply, found, text);
  if (isKnown(request, found, tag)) return reply.code(304).send();
  return sendFormatted(request, reply, isSubset(wanted) ? subsetText(text, wanted, r5Definitions()) : text);
}

/** 201 with the content that `Prefer` requests. */
export function sendCreated(
  request: FastifyRequest,
  reply: FastifyReply,
  created: DirectoryResource,
  baseUrl: string,
): FastifyReply {
  const text = JSON.stringify(created.resource);
  setValidators(reply, created, text);
  const { resourceType, id } = created.resource;
  reply.code(201).header('location', `${baseUrl}/${resourceType}/${id}`);
  const { result } = readPreferences(request.headers['prefer']);
  if (result === 'minimal') return reply.send();
  return sendFormatted(request, reply, result === 'OperationOutcome' ? JSON.stringify(outcomeOfIssues([])) : text);
}

export function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { query, page, given }: { query: SearchQuery; page: FoundPage; given: URLSearchParams },
  baseUrl: string,
): FastifyReply {
  const definitions = r5Definitions();
  const { nextCursor, resources } = page;
  const links = searchLinks(query, { nextCursor, found: resources.length }, `${baseUrl}/${query.resourceType}`);
  const head = { type: 'searchset' as const, total: page.total, links, timestamp: new Date() };
  const entries = page.resources.map((found) => ({
    fullUrl: `${baseUrl}/${found.resource.resourceType}/${found.resource.id}`,
    resource: entryText(found, query, definitions),
    search: { mode: 'match' as const },
  }));
  return sendFormatted(request, reply, bundleText(head, entries), given);
}

/** An omitted long element is marked as with `_elements`: the tag says that the resource is incomplete. */
function entryText(
  { resource, isPartial }: DirectoryResource,
  wanted: SubsetRequest,
  definitions: Definitions,
): string {
  const text = JSON.stringify(resource);
  if (isSubset(wanted)) return subsetText(text, wanted, definitions);
  return isPartial ? subsetText(text, { summary: 'false', elements: Object.keys(resource) }, definitions) : text;
}

function setValidators(reply: FastifyReply, { lastUpdated }: DirectoryResource, text: string): string {
  const tag = contentTag(text);
  reply.header('etag', `W/"${tag}"`);
  if (lastUpdated !== undefined) reply.header('last-modified', lastUpdated.toUTCString());
  return tag;
}

function isKnown(request: FastifyRequest, { lastUpdated }: DirectoryResource, tag: string): boolean {
  const tags = request.headers['if-none-match'];
  if (tags !== undefined) return tags.split(',').some((one) => ['*', `W/"${tag}"`, `"${tag}"`].includes(one.trim()));
  const since = Date.parse(request.headers['if-modified-since'] ?? '');
  return lastUpdated !== undefined && Math.floor(lastUpdated.getTime() / 1000) * 1000 <= since;
}
