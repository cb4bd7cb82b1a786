// The versions of one resource or of all of a type (hl7.org/fhir/R5/http.html#history).
import type { HistoryQuery, HistoryResult, HistoryVersion } from '#fhir/store/history/history.ts';
import { type RouteContext, urlOf } from '../context.ts';
import { type BundleEntry, bundleText } from '../http/bundle-text.ts';
import { etagOf } from '../http/preferences.ts';
import { readSubset, type SubsetRequest } from '../subset.ts';
import { subsetTexts } from '../subset-texts.ts';
import type { FhirCall, FhirResponse } from './call.ts';
import { invalidQueryParameter, pageLinks, readPaging, readPeriod, requireKnown } from './paging.ts';
import { type RecordedRead, readRecorded } from './read-recorded.ts';
import { readTypes } from './types.ts';

const DEFAULT_COUNT = 20;
const NAMES = ['_since', '_at', '_sort', '_summary', '_elements'];

/** Whose history: of one resource, or of a type when `id` is undefined. */
export interface HistoryAddress {
  readonly resourceType: string;
  readonly id: string | undefined;
}

/** @throws ServiceError `not_found`, `validation_error`, `invalid_request` */
export async function history(call: FhirCall, address: HistoryAddress, context: RouteContext): Promise<FhirResponse> {
  const { options } = context;
  const interaction = address.id === undefined ? 'history-type' : 'history-instance';
  const access = options.access(call.principal, interaction);
  const query = { ...address, ...readPage(call, NAMES), owner: call.principal.id };
  const subset = readSubset(call.query);
  const reading: RecordedRead<HistoryResult> = {
    read: ({ db }) => options.store.history(db, query, access),
    recordOf: ({ versions }) => ({ action: 'R', interaction, resourceType: address.resourceType, versions }),
  };
  const { versions, nextCursor } = await readRecorded(call, reading, context);
  const path = address.id === undefined ? address.resourceType : `${address.resourceType}/${address.id}`;
  const bundle = { versions, nextCursor, subset, address: `${options.baseUrl}/${path}/_history` };
  return historyBundle(call, bundle, context);
}

/**
 * The versions of everything that the caller may read, newest first; `_type` narrows it to some types
 * (hl7.org/fhir/R5/http.html#history).
 * @throws ServiceError `validation_error`, `invalid_request`
 */
export async function systemHistory(call: FhirCall, context: RouteContext): Promise<FhirResponse> {
  const { options } = context;
  const access = options.access(call.principal, 'history-type');
  const page = readPage(call, [...NAMES, '_type']);
  const subset = readSubset(call.query);
  const types = readTypes(call, 'history-type', context);
  const query = { ...page, resourceTypes: types, owner: call.principal.id };
  const reading: RecordedRead<HistoryResult> = {
    read: ({ db }) => options.store.systemHistory(db, query, access),
    recordOf: (found) => ({
      action: 'R',
      interaction: 'history-system',
      resourceType: undefined,
      versions: found.versions,
    }),
  };
  const { versions, nextCursor } = await readRecorded(call, reading, context);
  return historyBundle(call, { versions, nextCursor, subset, address: `${options.baseUrl}/_history` }, context);
}

interface HistoryPage extends HistoryResult {
  readonly address: string;
  readonly subset: SubsetRequest;
}

async function historyBundle(call: FhirCall, page: HistoryPage, context: RouteContext): Promise<FhirResponse> {
  const { versions, nextCursor, address, subset } = page;
  const links = pageLinks(address, call.query, nextCursor);
  const head = { type: 'history' as const, total: undefined, links, timestamp: new Date() };
  const texts = await subsetTexts(
    versions.map(({ content, isDeleted }) => (isDeleted ? EMPTY : content)),
    subset,
    call,
    context,
  );
  const entries = versions.map((version, index) => historyEntry(version, texts[index], context));
  return { status: 200, text: bundleText(head, entries) };
}

/** Of what was deleted no text is shown. */
const EMPTY = '{}';

function historyEntry(version: HistoryVersion, text: string | undefined, context: RouteContext): BundleEntry {
  const { resourceType, id, isDeleted, isNew } = version;
  const method = methodOf(version);
  const status = isDeleted ? '204' : isNew ? '201' : '200';
  return {
    fullUrl: urlOf(context, version),
    resource: isDeleted ? undefined : text,
    request: { method, url: method === 'POST' ? resourceType : `${resourceType}/${id}` },
    response: { status, etag: etagOf(version), lastModified: version.lastUpdated.toISOString() },
  };
}

/** How the version was made. */
function methodOf({ isDeleted, isPosted, isPatched }: HistoryVersion): 'DELETE' | 'POST' | 'PATCH' | 'PUT' {
  if (isDeleted) return 'DELETE';
  if (isPosted) return 'POST';
  return isPatched ? 'PATCH' : 'PUT';
}

function readPage(call: FhirCall, names: readonly string[]): Omit<HistoryQuery, 'resourceType' | 'id'> {
  requireKnown(call, names);
  const page = readPaging(call.query, DEFAULT_COUNT);
  const at = readPeriod(call.query, '_at');
  return { ...page, isAscending: readOrder(call.query), ...(at === undefined ? {} : { at }) };
}

/** Whether the oldest comes first. @throws ServiceError `validation_error` */
function readOrder(query: URLSearchParams): boolean {
  const order = query.get('_sort') ?? '-_lastUpdated';
  if (order === '_lastUpdated') return true;
  if (order === '-_lastUpdated' || order === 'none') return false;
  throw invalidQueryParameter('_sort', 'must be _lastUpdated, -_lastUpdated or none');
}
