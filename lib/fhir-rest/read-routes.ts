// GET of single versions and of histories (hl7.org/fhir/R5/http.html#read, #vread, #history).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { notFound, validationError } from '#lib/errors.ts';
import { parseDateTimePeriod } from '#lib/fhir/date-time.ts';
import type { HistoryQuery } from '#lib/fhir-store/history.ts';
import type { StoredVersion } from '#lib/fhir-store/stored-version.ts';
import { requirePrincipal } from '#lib/http/app.ts';
import { type BundleEntry, bundleText } from './bundle-text.ts';
import { queryOf } from './content.ts';
import { answer, type RouteContext, recordLook, urlOf } from './context.ts';
import type { FhirTypeOptions } from './options.ts';
import { isKnownToClient, tellVersion } from './preferences.ts';
import { isSubset, subsetText } from './subset.ts';

interface IdParams {
  readonly id: string;
}

const DEFAULT_COUNT = 20;
const MAX_COUNT = 1000;
const VERSION = /^[1-9]\d{0,8}$/;

export function registerReadRoutes(scope: FastifyInstance, type: FhirTypeOptions, context: RouteContext): void {
  const { options } = context;
  const { type: resourceType, read: permission, interactions } = type;
  const { store, database } = options;
  const route = (summary: string) => ({ config: { permission }, schema: { tags: [resourceType], summary } });

  if (interactions.includes('read')) {
    scope.get<{ Params: IdParams }>(`/${resourceType}/:id`, route(`Read a ${resourceType}`), async (request, reply) => {
      const access = options.access(requirePrincipal(request), 'read');
      const version = await store.read(database, { resourceType, id: request.params.id }, access);
      return sendVersion(request, reply, { version, interaction: 'read' }, context);
    });
  }
  if (interactions.includes('vread')) {
    scope.get<{ Params: IdParams & { version: string } }>(
      `/${resourceType}/:id/_history/:version`,
      route(`Read a version of a ${resourceType}`),
      async (request, reply) => {
        const access = options.access(requirePrincipal(request), 'vread');
        const { id, version: number } = request.params;
        if (!VERSION.test(number)) throw notFound(`${resourceType}/${id}/_history/${number}`);
        const version = await store.vread(database, { resourceType, id, version: Number(number) }, access);
        return sendVersion(request, reply, { version, interaction: 'vread' }, context);
      },
    );
  }
  if (interactions.includes('history-instance')) {
    scope.get<{ Params: IdParams }>(
      `/${resourceType}/:id/_history`,
      route(`History of a ${resourceType}`),
      (request, reply) => sendHistory(request, reply, { resourceType, id: request.params.id }, context),
    );
  }
  if (interactions.includes('history-type')) {
    scope.get(`/${resourceType}/_history`, route(`History of every ${resourceType}`), (request, reply) =>
      sendHistory(request, reply, { resourceType, id: undefined }, context),
    );
  }
}

async function sendVersion(
  request: FastifyRequest,
  reply: FastifyReply,
  { version, interaction }: { version: StoredVersion; interaction: 'read' | 'vread' },
  context: RouteContext,
): Promise<FastifyReply> {
  tellVersion(reply, version);
  if (isKnownToClient(request, version)) return reply.code(304).send();
  const { resourceType } = version;
  await recordLook(request, { action: 'R', interaction, resourceType, versions: [version] }, context);
  const query = queryOf(request);
  if (query.size === 0) return answer(request, reply, version.content);
  const wanted = context.options.store.parse(resourceType, subsetParameters(query));
  const subset = { summary: wanted.summary, elements: wanted.elements };
  const text = isSubset(subset) ? subsetText(version.content, subset, context.definitions) : version.content;
  return answer(request, reply, text);
}

function subsetParameters(query: URLSearchParams): [string, string][] {
  return [...query].filter(([name]) => name === '_summary' || name === '_elements');
}

async function sendHistory(
  request: FastifyRequest,
  reply: FastifyReply,
  address: { readonly resourceType: string; readonly id: string | undefined },
  context: RouteContext,
): Promise<FastifyReply> {
  const { options } = context;
  const interaction = address.id === undefined ? 'history-type' : 'history-instance';
  const access = options.access(requirePrincipal(request), interaction);
  const given = queryOf(request);
  const { versions, nextCursor } = await options.store.history(options.database, historyQuery(address, given), access);
  await recordLook(request, { action: 'R', interaction, resourceType: address.resourceType, versions }, context);
  const path = address.id === undefined ? address.resourceType : `${address.resourceType}/${address.id}`;
  const url = (query: URLSearchParams) => `${options.baseUrl}/${path}/_history${query.size === 0 ? '' : `?${query}`}`;
  const links = [{ relation: 'self', url: url(given) }];
  if (nextCursor !== undefined) {
    const next = new URLSearchParams(given);
    next.set('_cursor', nextCursor);
    links.push({ relation: 'next', url: url(next) });
  }
  const head = { type: 'history' as const, total: undefined, links, timestamp: new Date() };
  return answer(
    request,
    reply,
    bundleText(
      head,
      versions.map((version) => historyEntry(version, context)),
    ),
  );
}

function historyEntry(version: StoredVersion, context: RouteContext): BundleEntry {
  const { resourceType, id, isDeleted } = version;
  const method = isDeleted ? 'DELETE' : version.version === 1 ? 'POST' : 'PUT';
  const status = isDeleted ? '204' : version.version === 1 ? '201' : '200';
  return {
    fullUrl: urlOf(context, version),
    resource: isDeleted ? undefined : version.content,
    request: { method, url: method === 'POST' ? resourceType : `${resourceType}/${id}` },
    response: { status, etag: `W/"${version.version}"`, lastModified: version.lastUpdated.toISOString() },
  };
}

function historyQuery(
  address: { readonly resourceType: string; readonly id: string | undefined },
  given: URLSearchParams,
): HistoryQuery {
  const time = (name: string) => {
    const text = given.get(name);
    if (text === null) return undefined;
    const period = parseDateTimePeriod(text.replace(/ (?=\d\d:\d\d$)/, '+'));
    if (period === undefined) throw faulty(name, 'must be a date or a time');
    return { from: new Date(period.start), to: new Date(period.end) };
  };
  const count = given.get('_count') ?? String(DEFAULT_COUNT);
  if (!/^[1-9]\d{0,8}$/.test(count)) throw faulty('_count', 'must be a whole number from 1');
  const since = time('_since')?.from;
  const at = time('_at');
  const cursor = given.get('_cursor');
  return {
    ...address,
    count: Math.min(Number(count), MAX_COUNT),
    ...(since === undefined ? {} : { since }),
    ...(at === undefined ? {} : { at }),
    ...(cursor === null ? {} : { cursor }),
  };
}

function faulty(name: string, message: string) {
  return validationError([{ message: `${name} ${message}`, field: name, issue: 'value' }]);
}
